import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { snapshotInWords, totalOf } from "../logic/counts.ts";
import { isFiltered } from "../logic/filters.ts";
import { countedAll } from "../logic/format.ts";
import { nameOf } from "../logic/typed.ts";
import { counts, faults, filters, merchants, requests, rules, snapshots, webhook } from "../state.ts";
import { Card } from "./card.tsx";
import { ConfirmButton } from "./dialog.tsx";
import { CallForm, FormProblem, useCall, useForm } from "./form.tsx";

export function SnapshotsCard() {
  const form = useForm("snapshot", { name: "Name" });
  const name = nameOf(form.values.name);
  const done = useSignal("");
  const change = (words: string, method: string, path: string) =>
    void form.run(async () => {
      done.value = "";
      await api.call({ method, path, ...(method === "POST" && { body: {} }) });
      done.value = words;
    });
  return (
    <Card title="Snapshots" count={snapshots.value.length} isWide>
      <p class="hint">
        A snapshot holds payments, rules, faults, default, webhook and clock, until the server ends. Merchants, accounts
        and keys are not in it.
      </p>
      <ul class="entries" hidden={snapshots.value.length === 0}>
        {snapshots.value.map((snapshot) => (
          <li key={snapshot.name} class="row between">
            <span>
              <b>{snapshot.name}</b>: {snapshotInWords(snapshot)}
            </span>
            <span class="row">
              <ConfirmButton
                id={`restore-${snapshot.name}`}
                label={<NameFor act="Restore" name={snapshot.name} />}
                question={`Restore “${snapshot.name}”?`}
                loss={`You lose what is here now: ${lost()}. You get “${snapshot.name}”: ${snapshotInWords(snapshot)}, with its default and webhook. ${KEPT}`}
                yes="Restore it"
                run={() =>
                  change(
                    `“${snapshot.name}” is restored: ${snapshotInWords(snapshot)}.`,
                    "POST",
                    `/snapshots/${snapshot.name}/restore`,
                  )
                }
              />
              <ConfirmButton
                id={`remove-${snapshot.name}`}
                label={<NameFor act="Remove" name={snapshot.name} />}
                question={`Remove “${snapshot.name}”?`}
                loss={`Lost for good: the snapshot with ${snapshotInWords(snapshot)}.`}
                yes="Remove it"
                run={() => change(`“${snapshot.name}” is removed.`, "DELETE", `/snapshots/${snapshot.name}`)}
              />
            </span>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {done.value}
      </p>
      <CallForm
        form={form}
        call={{
          method: "PUT",
          path: `/snapshots/${encodeURIComponent(name)}`,
          body: {},
        }}
        action="Save"
        onDone={() => {
          done.value = `“${name}” is saved.`;
        }}
      >
        {form.input("name", { placeholder: "prepared" })}
      </CallForm>
    </Card>
  );
}

/** The name stands beside the button, so it is only for screen readers. */
const NameFor = ({ act, name }: { act: string; name: string }) => (
  <span>
    {act} <span class="unseen">{name} </span>…
  </span>
);

export const KEPT = "Merchants, accounts, keys and findings stay.";

/** Resets everything except merchants, accounts and keys. */
export function ResetCard() {
  const call = useCall();
  const done = useSignal("");
  async function reset() {
    done.value = "";
    if (await call.run(() => api.post("/reset", {}))) done.value = "Everything is reset.";
  }
  return (
    <Card title="Reset" isWide>
      <p class="hint">
        Removes payments, rules, faults, the log and the webhook, and resets the default and the clock. {KEPT}
      </p>
      <div>
        <ConfirmButton
          id="confirm-reset"
          label="Reset …"
          question="Forget it all?"
          loss={`Lost for good: ${lost()}. ${KEPT}`}
          yes="Forget it all"
          run={() => void reset()}
        />
      </div>
      <p class="hint" role="status">
        {done.value}
      </p>
      <FormProblem problems={call.problems} />
    </Card>
  );
}

/** What a reset or a restore removes: `62 payments, 3 rules, 140 logged requests` */
export function lost(): string {
  const payments = counts.value === null ? 0 : totalOf(counts.value);
  const steered = { rule: rules.value.length, fault: faults.value.length };
  const here = countedAll({ payment: payments, ...steered, "logged request": requests.rows.value.length });
  if (webhook.value) here.push("the webhook");
  if (here.length === 0) here.push("nothing but the clock");
  // The counts are for all filters but the status, and for one merchant.
  if (isFiltered({ ...filters.value, status: "" })) here.push("and the payments that the filters hide");
  if (merchants.value.length > 1) here.push("and the payments of the other merchants");
  return here.join(", ");
}
