import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { numberOrText } from "../logic/problems.ts";
import { deliveries, MOST_DELIVERIES, webhook } from "../state.ts";
import type { Attempt, Webhook } from "../wire.ts";
import { Card } from "./card.tsx";
import { ControlGroup } from "./commands.tsx";
import { AttemptLine, DeliveryItem } from "./delivery.tsx";
import { CallForm, type Draft, useForm } from "./form.tsx";
import { useUndo } from "./undo.tsx";

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
  const tried = useSignal<Attempt | null>(null);
  const inForce = webhook.value;
  // The fields show what is set.
  const set = inForce && { ...inForce, times: String(inForce.times), early: inForce.early ? "yes" : "no" };
  const form = useForm("webhook", LABELS, { ...FIRST, ...(set as Draft<keyof typeof LABELS> | null) });
  const undo = useUndo(form);
  const { times, early, ...texts } = form.values;
  const body = { ...texts, times: numberOrText(times), early: early === "yes" };
  const put = (settings: object | null) => ({ method: "PUT", path: "/webhook", body: settings });
  const remove = () => void undo.change(REMOVAL, "The webhook is removed.", put(inForce));
  const sendTest = () =>
    void form.run(async () => {
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
      {undo.line}
      <CallForm form={form} command={put(body)} action={inForce ? "Change" : "Set"} isIncomplete={body.url === ""}>
        {form.input("url", { placeholder: "http://127.0.0.1:3000/hook", size: 26 })}
        {form.select("form", FORMS)}
        {form.input("times", { size: 4 })}
        {form.input("delay", { size: 5 })}
        {form.select("early", ["no", "yes"])}
      </CallForm>
      {inForce && (
        <ControlGroup
          controls={[
            { label: "Send a test event", run: sendTest, command: TEST },
            { label: "Remove webhook", run: remove, command: REMOVAL },
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
            Deliveries <span class="pill">{deliveries.value.length}</span>
          </h3>
          <ul class="entries">
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
