import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { webhookInWords } from "../logic/steering-words.ts";
import { webhook } from "../state.ts";
import type { Webhook } from "../wire.ts";
import { CommandLines } from "./commands.tsx";
import { Field, FormProblem, numberOrText, submits, useCall } from "./form.tsx";
import { RemovableList } from "./removable-list.tsx";
import { TextField } from "./text-field.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

const FORMS: readonly Webhook["form"][] = ["payment.updated", "flat"];
const MEMBERS = ["url", "form", "times", "delay", "shuffle", "lost"] as const;
type Draft = Readonly<Record<(typeof MEMBERS)[number], string>>;

const EMPTY: Draft = { url: "", form: "payment.updated", times: "", delay: "", shuffle: "", lost: "" };

/** Who is told of each payment that becomes final, and what goes wrong on the way. */
export function WebhookCard() {
  const call = useCall(MEMBERS);
  const undo = useUndo();
  const draft = useSignal(EMPTY);
  const inForce = webhook.value;
  const { url, form, times, delay, shuffle, lost } = draft.value;
  const body = {
    url,
    form,
    ...(times !== "" && { times: numberOrText(times) }),
    ...(delay !== "" && { delay }),
    ...(shuffle !== "" && { shuffle }),
    ...(lost !== "" && { lost: numberOrText(lost) }),
  };
  const removal = { method: "DELETE", path: "/webhook", momo: null };

  async function submit() {
    if (await call.run(() => api.put("/webhook", body))) draft.value = EMPTY;
  }
  async function remove() {
    if (await call.run(() => api.delete("/webhook"))) {
      undo.offer("The webhook is removed.", () => void call.run(() => api.put("/webhook", inForce)));
    }
  }
  function input(name: keyof Draft, label: string, placeholder: string, size: number) {
    return (
      <TextField
        form="webhook"
        name={name}
        label={label}
        problems={call.problems}
        placeholder={placeholder}
        size={size}
        value={draft.value[name]}
        onText={(text) => {
          draft.value = { ...draft.value, [name]: text };
        }}
      />
    );
  }
  return (
    <section class="card wide-card" aria-label="Webhook">
      <h2>Webhook</h2>
      {inForce ? (
        <RemovableList
          what="webhook"
          items={[{ words: webhookInWords(inForce), command: removal, remove: () => void remove() }]}
        />
      ) : (
        <p class="hint">
          None, as in the specification. momo sends each payment that becomes final to the address that is set here. A
          client must poll in any case.
        </p>
      )}
      <UndoLine undo={undo} />
      <form class="row" onSubmit={submits(submit)}>
        {input("url", "Address", "http://127.0.0.1:3000/hook", 26)}
        <Field form="webhook" name="form" label="Form" problems={call.problems}>
          {(facts) => (
            <select
              {...facts}
              value={form}
              onChange={({ currentTarget }) => {
                draft.value = { ...draft.value, form: currentTarget.value };
              }}
            >
              {FORMS.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        {input("times", "Times", "1", 4)}
        {input("delay", "Delay", "0s", 5)}
        {input("shuffle", "Shuffle", "0s", 5)}
        {input("lost", "Share lost", "0", 5)}
        <button type="submit">Set</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines command={{ method: "PUT", path: "/webhook", body, momo: null }} />
    </section>
  );
}
