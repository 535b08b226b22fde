import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { numberOrText } from "../logic/problems.ts";
import { deliveries, MOST_DELIVERIES, webhook } from "../state.ts";
import type { Attempt, Webhook } from "../wire.ts";
import { Card } from "./card.tsx";
import { ControlGroup } from "./commands.tsx";
import { AttemptLine, DeliveryItem } from "./delivery.tsx";
import { CallForm, type Draft, Options, useForm } from "./form.tsx";
import { UndoLine, useUndo } from "./undo.tsx";

const FORMS: readonly Webhook["form"][] = ["payment.updated", "flat"];
const LABELS = {
  url: "Address",
  form: "Form",
  times: "Times",
  delay: "Delay",
  early: "Before the start's answer",
};
const FIRST = { form: "payment.updated", times: "1", delay: "0s", early: "no" };
const REMOVAL = { method: "DELETE", path: "/webhook" };
const TEST = { method: "POST", path: "/webhook/test", body: {} };

/** The address that gets each payment that becomes final, the injected failures, and what was sent. */
export function WebhookCard() {
  const draft = useSignal<Draft<keyof typeof LABELS>>({});
  const tried = useSignal<Attempt | null>(null);
  const inForce = webhook.value;
  // The fields show what is set.
  const set = inForce && { ...inForce, times: String(inForce.times), early: inForce.early ? "yes" : "no" };
  const form = useForm("webhook", LABELS, draft, { ...FIRST, ...(set as Draft<keyof typeof LABELS> | null) });
  const undo = useUndo();
  const { times, early, ...texts } = form.values;
  const body = { ...texts, times: numberOrText(times), early: early === "yes" };
  const put = (settings: object | null) => ({ method: "PUT", path: "/webhook", body: settings });
  async function remove() {
    if (await form.run(() => api.call(REMOVAL))) {
      undo.offer("The webhook is removed.", () => void form.run(() => api.call(put(inForce))));
    }
  }
  const sendTest = () =>
    form.run(async () => {
      tried.value = (await api.call<{ attempt: Attempt }>(TEST)).attempt;
    });
  return (
    <Card title="Webhook" isWide>
      <p class="hint">
        {inForce
          ? `Each payment that becomes final is sent to ${inForce.url}. `
          : "None, as in the specification. momo sends each payment that becomes final to the address that is set here. "}
        A client must poll in any case.
      </p>
      <UndoLine undo={undo} />
      <CallForm
        call={form}
        command={put(body)}
        action={inForce ? "Change" : "Set"}
        isIncomplete={body.url === ""}
        onDone={() => {
          draft.value = {};
        }}
      >
        {form.input("url", { placeholder: "http://127.0.0.1:3000/hook", size: 26 })}
        {form.select("form", <Options names={FORMS} />)}
        {form.input("times", { size: 4 })}
        {form.input("delay", { size: 5 })}
        {form.select("early", <Options names={["no", "yes"]} />)}
      </CallForm>
      {inForce && (
        <ControlGroup
          controls={[
            { label: "Send a test event", run: () => void sendTest(), command: TEST },
            { label: "Remove webhook", run: () => void remove(), command: REMOVAL },
          ]}
        />
      )}
      <div role="status">
        {tried.value && (
          <ul>
            <AttemptLine attempt={tried.value} />
          </ul>
        )}
      </div>
      {deliveries.value.length > 0 && (
        <>
          <h3>
            Deliveries <span class="count">{deliveries.value.length}</span>
          </h3>
          <ul>
            {deliveries.value.map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} isNamed />
            ))}
          </ul>
          {deliveries.value.length >= MOST_DELIVERIES && (
            <p class="hint">The newest {MOST_DELIVERIES}. The story of a payment has its own.</p>
          )}
        </>
      )}
    </Card>
  );
}
