import { addressOf } from "../actions.ts";
import { api } from "../api.ts";
import { nameOf } from "../arrivals.ts";
import { formatInterval, timeOfDay } from "../logic/format.ts";
import { counted } from "../logic/steering.ts";
import { isLoaded } from "../state.ts";
import type { Attempt, Delivery } from "../wire.ts";
import { CodeBlock } from "./code-block.tsx";
import { FormProblem, useCall } from "./form.tsx";

interface DeliveryItemProps {
  readonly delivery: Delivery;
  /** Whether the payment is named. */
  readonly isNamed?: boolean;
}

const TONES: Readonly<Record<string, string>> = { delivered: "completed", failed: "failed", lost: "failed" };

/** One message for the webhook: its state, and below it each attempt and the message. */
export function DeliveryItem({ delivery, isNamed = false }: DeliveryItemProps) {
  const { id, state, due_at, attempts, body, checkout_request_id, resend_of } = delivery;
  const call = useCall();
  const last = attempts.at(-1);
  // Names are known when everything is loaded.
  isLoaded.value;
  return (
    <li class="row delivery">
      <details>
        <summary>
          <time>{timeOfDay(last?.at ?? due_at)}</time>{" "}
          <b class="tone" data-tone={TONES[state]}>
            {state}
          </b>
          {state === "waiting" && ` until ${timeOfDay(due_at)}`}
          {last && `, ${counted(attempts.length, "attempt")}: ${last.problem ?? last.status}`}
          {resend_of !== undefined && `, sent again after ${resend_of}`}
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
        disabled={call.isUnderWay}
        aria-label={`Send delivery ${id} again`}
        onClick={() => void call.run(() => api.post(`/webhook/deliveries/${id}/resend`, {}))}
      >
        Send again
      </button>
      <FormProblem problems={call.problems} />
    </li>
  );
}

export function AttemptLine({ attempt: { at, status, duration_ms, problem, answer } }: { attempt: Attempt }) {
  return (
    <li>
      <time>{timeOfDay(at)}</time> {status === null ? "no answer" : `HTTP ${status}`} after{" "}
      {formatInterval(duration_ms)}
      {problem && `: ${problem}`}
      {answer && (
        <>
          {" "}
          <code>{answer}</code>
        </>
      )}
    </li>
  );
}
