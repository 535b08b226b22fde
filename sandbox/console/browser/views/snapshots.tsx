import { useSignal } from "@preact/signals";
import { setting } from "../actions.ts";
import { api } from "../api.ts";
import { snapshotInWords } from "../logic/counts.ts";
import { countedAll } from "../logic/format.ts";
import { nameOf } from "../logic/typed.ts";
import { faults, merchants, requests, rules, snapshots, whole } from "../state.ts";
import { Card } from "./card.tsx";
import { ConfirmButton, Question } from "./dialog.tsx";
import { FieldProblem, submits, useForm } from "./form.tsx";

export function SnapshotsCard() {
  const form = useForm("snapshot", { name: "Name" });
  const typed = form.values.name;
  const name = nameOf(typed);
  const there = snapshots.value.find((one) => one.name === name);
  const isReplacing = useSignal(false);
  const done = useSignal("");
  const saving = { method: "PUT", path: `/snapshots/${name}`, body: {} };
  function showSaved() {
    done.value = typed === name ? `“${name}” is saved.` : `“${typed}” is saved as “${name}”.`;
    form.clear();
  }
  async function save() {
    if (name === "") throw new FieldProblem("name", "give the snapshot a name");
    await api.call(saving);
    showSaved();
  }
  return (
    <Card title="Snapshots" count={snapshots.value.length} isWide>
      <p class="hint">
        A snapshot holds payments, rules, faults, default, webhook and clock, until the server stops. Merchants,
        accounts and keys are not in it, nor is the log of requests: a restore empties it.
      </p>
      <ul class="entries" hidden={snapshots.value.length === 0}>
        {snapshots.value.map((snapshot) => (
          <li key={snapshot.name} class="row between">
            <span>
              <b>{snapshot.name}</b>: {snapshotInWords(snapshot)}
            </span>
            <span class="row">
              <ConfirmButton
                label={<NameFor act="Restore" name={snapshot.name} />}
                question={`Restore “${snapshot.name}”?`}
                loss={`You lose what is here now: ${lost()}. You get “${snapshot.name}”: ${snapshotInWords(snapshot)}. Default and webhook become what they were then. ${KEPT}`}
                yes="Restore it"
                call={{ method: "POST", path: `/snapshots/${snapshot.name}/restore`, body: {} }}
                onDone={setting(done, `“${snapshot.name}” is restored: ${snapshotInWords(snapshot)}.`)}
              />
              <ConfirmButton
                label={<NameFor act="Remove" name={snapshot.name} />}
                question={`Remove “${snapshot.name}”?`}
                loss={`Lost for good: the snapshot with ${snapshotInWords(snapshot)}.`}
                yes="Remove it"
                call={{ method: "DELETE", path: `/snapshots/${snapshot.name}` }}
                onDone={setting(done, `“${snapshot.name}” is removed.`)}
              />
            </span>
          </li>
        ))}
      </ul>
      <form class="row" onSubmit={submits(async () => (there ? setting(isReplacing, true)() : form.run(save)))}>
        {form.input("name", { placeholder: "prepared" })}
        <button type="submit">{there ? "Replace …" : "Save"}</button>
      </form>
      {typed !== name && <p class="hint">It is saved as “{name}”.</p>}
      <p class="hint" role="status">
        {done.value}
      </p>
      {form.problem()}
      <Question
        question={`Replace “${name}”?`}
        loss={`Lost for good: the snapshot with ${there ? snapshotInWords(there) : ""}.`}
        yes="Replace it"
        isAsked={isReplacing}
        call={saving}
        onDone={showSaved}
      />
    </Card>
  );
}

/** The name stands beside the button, so it is only for screen readers. */
const NameFor = ({ act, name }: { act: string; name: string }) => (
  <span>
    {act} <span class="unseen">{name} </span>…
  </span>
);

/** What a reset sets. */
export const AT_START = "Default, webhook and clock become as they are after a start.";

export const KEPT = "Snapshots, merchants, accounts, keys and findings stay.";

export function ResetCard() {
  const done = useSignal("");
  return (
    <Card title="Reset" isWide>
      <p class="hint">
        Removes payments, rules, faults and the log. {AT_START} {KEPT}
      </p>
      <div>
        <ConfirmButton
          label="Reset …"
          question="Reset the sandbox?"
          loss={`Removed: ${lost()}. ${AT_START} ${KEPT}`}
          yes="Reset it"
          call={{ method: "POST", path: "/reset", body: {} }}
          onDone={setting(done, "Everything is reset. The audit keeps its findings.")}
        />
      </div>
      <p class="hint" role="status">
        {done.value}
      </p>
    </Card>
  );
}

/** What a reset or a restore removes: `62 payments, 3 rules, 140 logged requests` */
export function lost(): string {
  const steered = { rule: rules.value.length, fault: faults.value.length };
  const here = countedAll({ payment: whole.value.total, ...steered, "logged request": requests.rows.value.length });
  if (here.length === 0) here.push("nothing");
  // The count is for one merchant.
  if (merchants.value.length > 1) here.push("and the payments of the other merchants");
  return here.join(", ");
}
