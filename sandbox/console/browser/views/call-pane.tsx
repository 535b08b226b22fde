import { addressOf } from "../actions.ts";
import { api } from "../api.ts";
import { nameOf } from "../arrivals.ts";
import { paymentOf } from "../logic/calls.ts";
import { callFindings, isLoaded, requests } from "../state.ts";
import { FormProblem, useCall } from "./form.tsx";
import { FindingNotes, HttpStatus } from "./marks.tsx";
import { Pairs } from "./pairs.tsx";
import { Pane } from "./pane.tsx";
import { CallDetails } from "./request-step.tsx";

/** One request to the merchant API with all details. */
export function CallPane({ id }: { id: number }) {
  const request = requests.value.find((one) => one.id === id);
  const call = useCall();
  if (!request) {
    return (
      <Pane label="One request" title="Request" what="the request" row={id}>
        {isLoaded.value && <p class="hint">It is no longer in the log, which keeps the last 1,000.</p>}
      </Pane>
    );
  }
  const payment = paymentOf(request);
  const again = request.headers["x-sandbox-replay-of"];
  return (
    <Pane
      label="One request"
      title={
        <>
          {request.method} <HttpStatus status={request.status} />
        </>
      }
      what="the request"
      row={id}
    >
      <p class="hint">
        {request.at} · <code>{request.target}</code>
        {again !== undefined && (
          <>
            {" "}
            · sent again from the console, as <a href={addressOf("requests", again)}>request {again}</a>
          </>
        )}
      </p>
      <div class="row">
        <button
          type="button"
          disabled={call.isUnderWay || request.body_cut_bytes > 0}
          title="With the sandbox's own key; the audit leaves it out"
          onClick={() => void call.run(() => api.post(`/requests/${id}/replay`, {}))}
        >
          Send again
        </button>
        {payment !== null && (
          <>
            <a class="button" href={addressOf("transactions", payment)}>
              Payment {nameOf(payment)}
            </a>
            <a class="button" href={addressOf("requests", null, { payment })}>
              Its requests
            </a>
          </>
        )}
      </div>
      <FormProblem problems={call.problems} />
      <FindingNotes found={callFindings.value.get(id)} />
      <CallDetails request={request} />
      <details class="hint">
        <summary>Headers</summary>
        <Pairs class="headers" of={Object.entries(request.headers)} />
      </details>
    </Pane>
  );
}
