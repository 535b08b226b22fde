import { useSignal } from "@preact/signals";
import { formatInterval } from "../../../../src/domain/duration.ts";
import { readOrNull } from "../../../../src/domain/read-or-null.ts";
import { addressOf } from "../actions.ts";
import { api } from "../api.ts";
import { nameOf } from "../arrivals.ts";
import { counted, timeOfDay } from "../logic/format.ts";
import { numberOrText } from "../logic/typed.ts";
import { MOST_DELIVERIES, webhook } from "../state.ts";
import type { Attempt, Delivery, Webhook } from "../wire.ts";
import { Card } from "./card.tsx";
import { CodeBlock } from "./copy.tsx";
import { CallForm, type Draft, FormProblem, useCall, useForm } from "./form.tsx";

const FORMS: readonly Webhook["form"][] = ["payment.updated", "flat", "template"];
const LABELS = {
  url: "Address",
  form: "Form",
  template: "Template",
  times: "Times",
  delay: "Delay",
  early: "Sent before stkpush.php answers",
};
const FIRST = { form: "payment.updated", times: "1", delay: "0s", early: "no" };
const EXAMPLE = '{"order": "{{reference}}", "state": "{{status}}"}';

/** The address that gets each payment that becomes final, the injected failures, and what was sent. */
export function WebhookCard() {
  const tried = useSignal<Attempt | null>(null);
  const { webhook: inForce, deliveries } = webhook.value;
  // The fields show what is set.
  const set = inForce && textsOf(inForce);
  const form = useForm("webhook", LABELS, { ...FIRST, ...set });
  const { times, early, template, ...texts } = form.values;
  const sent = texts.form === "template" ? { template: readOrNull(() => JSON.parse(template)) ?? template } : {};
  const body = { ...texts, ...sent, times: numberOrText(times), early: early === "yes" };
  const remove = () => void form.run(() => api.call({ method: "DELETE", path: "/webhook" }));
  const sendTest = () =>
    void form.run(async () => {
      tried.value = (await api.post<{ attempt: Attempt }>("/webhook/test", {})).attempt;
    });
  return (
    <Card title="Webhook" isWide>
      <p class="hint">
        {inForce
          ? `Each payment that becomes final is sent to ${inForce.url}. `
          : "No webhook: clients poll, as the specification says. Set an address to send it each payment that becomes final. "}
        {inForce && "A client must poll all the same."}
      </p>
      <CallForm form={form} call={{ method: "PUT", path: "/webhook", body }} action={inForce ? "Change" : "Set"}>
        {form.input("url", { placeholder: "http://127.0.0.1:3000/hook", size: 26 })}
        {form.select("form", FORMS)}
        {texts.form === "template" && form.input("template", { placeholder: EXAMPLE, size: 40 })}
        {form.input("times", { size: 4 })}
        {form.input("delay", { size: 5 })}
        {form.select("early", ["no", "yes"])}
      </CallForm>
      {inForce && (
        <div class="row">
          <button type="button" onClick={sendTest}>
            Send a test event
          </button>
          <button type="button" onClick={remove}>
            Remove webhook
          </button>
        </div>
      )}
      <ul aria-live="polite">{tried.value && <AttemptLine attempt={tried.value} />}</ul>
      {deliveries.length > 0 && (
        <>
          <h3>
            Deliveries <span class="pill">{deliveries.length}</span>
          </h3>
          <ul class="entries">
            {deliveries.map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} isNamed />
            ))}
          </ul>
          {deliveries.length >= MOST_DELIVERIES && (
            <p class="hint">The newest {MOST_DELIVERIES}. The story of a payment has its own.</p>
          )}
        </>
      )}
    </Card>
  );
}

const textsOf = ({ template, times, early, ...texts }: Webhook): Draft<keyof typeof LABELS> => ({
  ...texts,
  template: template === undefined ? "" : JSON.stringify(template),
  times: String(times),
  early: early ? "yes" : "no",
});

interface DeliveryItemProps {
  readonly delivery: Delivery;
  readonly isNamed?: boolean;
}

const answerOf = ({ status }: Attempt): string => (status === null ? "no answer" : `HTTP ${status}`);

const startOf = ({ attempts, due_at }: Delivery): string => timeOfDay(attempts[0]?.at ?? due_at);

function stateOf(delivery: Delivery): readonly [state: string, tone: string | undefined, more: string] {
  const { state, due_at, attempts } = delivery;
  const last = attempts.at(-1);
  const answer = last ? ` (${answerOf(last)})` : "";
  const tries = counted(attempts.length, "attempt");
  if (state === "delivered") return ["delivered", "completed", attempts.length > 1 ? ` after ${tries}` : ""];
  if (state === "failed") return ["failed", "failed", last ? `, ${tries}${answer}` : ""];
  if (!last) return ["waiting", undefined, ` until ${timeOfDay(due_at)}`];
  return [`failed ${counted(attempts.length, "time")}`, "failed", `${answer}, tries again at ${timeOfDay(due_at)}`];
}

/** One message for the webhook: its state, and below it each attempt and the message. */
export function DeliveryItem({ delivery, isNamed = false }: DeliveryItemProps) {
  const { id, attempts, body, checkout_request_id, resend_of } = delivery;
  const call = useCall();
  const repeated = webhook.value.deliveries.find((one) => one.id === resend_of);
  const [state, tone, more] = stateOf(delivery);
  return (
    <li class="row small delivery">
      <details>
        <summary>
          <time>{startOf(delivery)}</time>{" "}
          <b class="tone" data-tone={tone}>
            {state}
          </b>
          {more}
          {resend_of !== undefined && `, repeats the delivery ${repeated ? `of ${startOf(repeated)}` : resend_of}`}
        </summary>
        <ul class="hint">
          {attempts.map((attempt) => (
            <AttemptLine key={attempt.at_ms} attempt={attempt} />
          ))}
        </ul>
        <CodeBlock text={JSON.stringify(body, null, 2)} what="the message" />
      </details>
      {isNamed && <a href={addressOf("transactions", checkout_request_id)}>{nameOf(checkout_request_id)}</a>}
      <button
        type="button"
        class="quiet"
        aria-label={`Deliver again: delivery ${id}`}
        onClick={() => void call.run(() => api.post(`/webhook/deliveries/${id}/resend`, {}))}
      >
        Deliver again
      </button>
      <FormProblem problems={call.problems} />
    </li>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const { at, duration_ms, problem, answer } = attempt;
  return (
    <li class="tone" data-tone={problem && "failed"}>
      <time>{timeOfDay(at)}</time> {answerOf(attempt)} after {formatInterval(duration_ms)}
      {problem && `: ${problem}`}
      {answer && (
        <>
          ; the answer: <code>{answer}</code>
        </>
      )}
    </li>
  );
}
