import { api } from "../api.ts";
import { callFor, isRequestFailure, nextPayments, REQUEST_FAILURES } from "../logic/next-payments.ts";
import { numberOrText } from "../logic/typed.ts";
import { faults, rules } from "../state.ts";
import { Card } from "./card.tsx";
import { CallForm, type Choice, outcomeChoices, useForm } from "./form.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

const FAILURES: readonly Choice[] = Object.entries(REQUEST_FAILURES).map(([name, { words }]) => [name, words]);
const FIRST = { times: "3", outcome: "insufficient_funds" };

/** What happens to the next payments: one row, and what is left of it. */
export function NextPaymentsCard() {
  const form = useForm("next", { times: "How many", outcome: "What happens" }, FIRST);
  const { times, outcome } = form.values;
  const left = nextPayments(rules.value, faults.value);
  return (
    <Card title="The next payments" isWide>
      <CallForm form={form} call={callFor(outcome, numberOrText(times))} action="Apply" keeps>
        {form.input("times", { inputMode: "numeric", size: 4, required: true })}
        {form.select("outcome", [...FAILURES, ...outcomeChoices()])}
      </CallForm>
      <p class="hint">
        {isRequestFailure(outcome)
          ? "This hits the requests of clients, before all other faults. A test payment from this page has no faults."
          : "This decides before all rules, but not for a request that names its outcome (X-Sandbox-Outcome)."}
      </p>
      {left.length > 0 && (
        <ul class="entries" aria-label="What is left">
          {left.map(({ path, words }) => (
            <li key={path} class="line">
              <span class="grow">{words}</span>
              <IconButton
                icon={CloseIcon}
                label={`Remove: ${words}`}
                onClick={() => void form.run(() => api.call({ method: "DELETE", path }))}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
