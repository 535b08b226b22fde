import { useLayoutEffect } from "preact/hooks";
import { addressOf, select } from "../actions.ts";
import { api } from "../api.ts";
import { nameOf } from "../arrivals.ts";
import { paymentOf } from "../logic/calls.ts";
import { callFindings, isLoaded, requests } from "../state.ts";
import { FormProblem, useCall } from "./form.tsx";
import { returnFocus } from "./long-list.tsx";
import { FindingNote } from "./marks.tsx";
import { Pane } from "./pane.tsx";
import { CallDetails, HttpStatus } from "./request-step.tsx";

/** One request to the merchant API with all details. */
export function CallPane({ id }: { id: number }) {
  const request = requests.value.find((one) => one.id === id);
  const call = useCall();
  useLayoutEffect(() => () => returnFocus(String(id)), [id]);
  if (!request) {
    return (
      <Pane label="One request" title="Request" what="the request" onClose={() => select(null)}>
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
      onClose={() => select(null)}
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
      <div class="buttons">
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
      {callFindings.value.get(id)?.map((finding) => (
        <FindingNote key={finding.message} finding={finding} />
      ))}
      <CallDetails request={request} />
      <details>
        <summary>Headers</summary>
        <dl class="headers">
          {Object.entries(request.headers).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Pane>
  );
}
