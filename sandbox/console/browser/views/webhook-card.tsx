import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { numberOrText } from "../logic/problems.ts";
import { webhookInWords } from "../logic/steering-words.ts";
import { webhook } from "../state.ts";
import type { Webhook } from "../wire.ts";
import { CallForm } from "./call-form.tsx";
import { Card } from "./card.tsx";
import { type Draft, useForm } from "./form.tsx";
import { Options } from "./options.tsx";
import { RemovableList } from "./removable-list.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

const FORMS: readonly Webhook["form"][] = ["payment.updated", "flat"];
const LABELS = { url: "Address", form: "Form", times: "Times", delay: "Delay" };
const REMOVAL = { method: "DELETE", path: "/webhook" };

/** The address that gets each payment that becomes final, and the injected failures. */
export function WebhookCard() {
  const draft = useSignal<Draft<keyof typeof LABELS>>({});
  const form = useForm("webhook", LABELS, draft, { form: "payment.updated" });
  const undo = useUndo();
  const inForce = webhook.value;
  const { url, times, delay } = form.values;
  const body = {
    url,
    form: form.values.form,
    times: numberOrText(times),
    delay: delay || undefined,
  };
  const put = (settings: object | null) => ({ method: "PUT", path: "/webhook", body: settings });
  async function remove() {
    if (await form.run(() => api.call(REMOVAL))) {
      undo.offer("The webhook is removed.", () => void form.run(() => api.call(put(inForce))));
    }
  }
  return (
    <Card title="Webhook" isWide>
      {inForce ? (
        <RemovableList
          what="webhook"
          items={[{ words: webhookInWords(inForce), command: REMOVAL, remove: () => void remove() }]}
        />
      ) : (
        <p class="hint">
          None, as in the specification. momo sends each payment that becomes final to the address that is set here. A
          client must poll in any case.
        </p>
      )}
      <UndoLine undo={undo} />
      <CallForm
        call={form}
        command={put(body)}
        action="Set"
        onDone={() => {
          draft.value = {};
        }}
      >
        {form.input("url", { placeholder: "http://127.0.0.1:3000/hook", size: 26 })}
        {form.select("form", <Options names={FORMS} />)}
        {form.input("times", { placeholder: "1", size: 4 })}
        {form.input("delay", { placeholder: "0s", size: 5 })}
      </CallForm>
    </Card>
  );
}
