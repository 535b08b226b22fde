import { api } from "../api.ts";
import { isFiltered } from "../logic/filters.ts";
import { counted } from "../logic/steering.ts";
import { counts, faults, filters, findings, merchants, requests, rules } from "../state.ts";
import { Card } from "./card.tsx";
import { CommandLines } from "./commands.tsx";
import { ConfirmButton } from "./dialog.tsx";
import { FormProblem, useCall } from "./form.tsx";

/** Resets everything except merchants, accounts and keys. */
export function ResetCard() {
  const call = useCall();
  return (
    <Card title="Reset">
      <p class="hint">
        Removes payments, rules, faults and the log, and resets the clock. Merchants, accounts and keys stay.
      </p>
      <div>
        <ConfirmButton
          id="confirm-reset"
          label="Reset …"
          question="Forget it all?"
          loss={`Lost for good: ${lossInWords()}.`}
          yes="Forget it all"
          run={() => void call.run(() => api.post("/reset", {}))}
        />
      </div>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "POST", path: "/reset", body: {}, momo: "reset --yes" }} />
    </Card>
  );
}

/** `62 payments, 3 rules, 140 logged requests` */
export function lossInWords(): string {
  const { value } = counts;
  const payments = value
    ? value.completed_count + value.failed_count + value.cancelled_count + value.expired_count + value.pending_count
    : 0;
  const parts = [
    [payments, "payment"],
    [rules.value.length, "rule"],
    [faults.value.faults.length, "fault"],
    [requests.value.length, "logged request"],
    [findings.value.length, "finding"],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, what]) => counted(count, what));
  // The counts are only for these filters and one merchant.
  const hidden = isFiltered(filters.value) ? ", and the payments that the filters hide" : "";
  const others = merchants.value.length > 1 ? `${hidden}, and the payments of the other merchants` : hidden;
  return `${words.join(", ") || "nothing but the clock"}${others}`;
}
