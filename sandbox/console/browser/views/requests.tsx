import { useComputed, useSignal } from "@preact/signals";
import { addressOf, select, setFilters, setting } from "../actions.ts";
import { api } from "../api.ts";
import { nameOf } from "../arrivals.ts";
import { type CallFilters, fitsCall, gistOf, NO_CALL_FILTERS, operationOf, paymentOf } from "../logic/calls.ts";
import { isFiltered } from "../logic/filters.ts";
import { labelOf, labelsOf } from "../logic/findings.ts";
import { formatCount, formatInterval, preciseClock } from "../logic/format.ts";
import * as state from "../state.ts";
import { callFindings, isLoaded, requests } from "../state.ts";
import type { LoggedRequest } from "../wire.ts";
import { type ColumnHead, Pairs } from "./card.tsx";
import { bound, FilterFrame, SelectFilter } from "./filter-bar.tsx";
import { ANY, FormProblem, useCall } from "./form.tsx";
import { LongList, Pane } from "./long-list.tsx";
import { FindingNotes, HttpStatus, Warned } from "./marks.tsx";
import { CallDetails } from "./request-step.tsx";

const COLUMNS: readonly ColumnHead[] = [
  ["Time", "c-at", 8.5],
  ["Request", "c-call", 11],
  ["Answer", "c-answer", 5.5],
  ["About", "c-about"],
  ["Took", "number when-wide", 5.5],
  ["Findings", "c-findings", 11],
];

/** The live log of the merchant API, with the findings about clients. */
export function Requests() {
  const count = useSignal(state.PAGE_SIZE);
  const fits = (one: LoggedRequest) => fitsCall(one, state.callFilters.value, state.callFindings.value.get(one.id));
  const fitting = useComputed(() => requests.rows.value.filter(fits));
  const waiting = useComputed(() => requests.waiting.value.filter(fits).length);
  const isAll = !isFiltered(state.callFilters.value);
  return (
    <div class="split" data-open={state.openCall.value !== null}>
      <section class="list-side" aria-label="Requests">
        <CallFilterBar />
        <p class="hint">The last {formatCount(state.MOST_REQUESTS)} requests to the merchant API, newest first.</p>
        <LongList
          rows={fitting.value.slice(0, count.value)}
          waiting={waiting.value}
          mostWaiting={requests.mostWaiting}
          showWaiting={() => requests.showWaiting()}
          more={fitting.value.length > count.value ? setting(count, count.value + state.PAGE_SIZE) : null}
          label="Requests, newest first"
          style="requests"
          columns={COLUMNS}
          row={Row}
        >
          {state.isLoaded.value && fitting.value.length === 0 && (
            <div class="empty stack muted">
              <h2>{isAll ? "No requests yet" : "No request fits these filters"}</h2>
              {isAll && (
                <p>
                  Send the requests of your app to this server: each is shown here when it is answered.{" "}
                  <a href={addressOf("start")}>How&nbsp;to&nbsp;start</a>
                </p>
              )}
            </div>
          )}
        </LongList>
      </section>
      {state.openCall.value !== null && <CallPane key={state.openCall.value} id={state.openCall.value} />}
    </div>
  );
}

function Row({ of: request }: { of: LoggedRequest }) {
  const { id, at_ms, method, target, fault, duration_ms } = request;
  const isOpen = state.openCall.value === id;
  const found = state.callFindings.value.get(id);
  const about = aboutOf(request);
  return (
    <tr data-open={isOpen} onClick={() => select(String(id))}>
      <td class="c-at small">
        <button type="button" class="bare" tabIndex={-1} data-row={id} aria-expanded={isOpen}>
          <time>{preciseClock(at_ms)}</time>
        </button>
      </td>
      <td class="c-call" title={`${method} ${target}`}>
        <code>
          <b>{method}</b> {operationOf(target)}
        </code>
      </td>
      <td class="c-answer">
        <HttpStatus request={request} />
        {fault && <span class="pill">{fault}</span>}
      </td>
      <td class="c-about muted small" title={about}>
        {about}
      </td>
      <td class="number when-wide">{formatInterval(duration_ms)}</td>
      <td class="c-findings">{found && <Warned words={labelsOf(found)} />}</td>
    </tr>
  );
}

/** The subject of a request; for a poll, its payment. */
function aboutOf(request: LoggedRequest): string {
  const gist = gistOf(request);
  const payment = request.target.includes("/status.php") ? paymentOf(request) : null;
  return payment === null ? gist : `${gist} · ${nameOf(payment)}`;
}

/** The filters of the log. The page has the whole log, so it filters without the server. */
function CallFilterBar() {
  const { value } = state.callFilters;
  const bind = (name: keyof CallFilters) => bound("call", name, value[name], (typed) => setFilters({ [name]: typed }));
  const kinds = new Set(state.findings.value.map(({ kind }) => kind));
  const ofKinds = [...kinds].map((kind) => [kind, labelOf({ kind })] as const);
  return (
    <FilterFrame
      search={{ ...bind("search"), placeholder: "Anything in a request or its answer" }}
      none={NO_CALL_FILTERS}
      isFiltered={isFiltered(value)}
    >
      <SelectFilter label="Answer" of={[ANY, "2xx", "4xx", "5xx", "lost"]} {...bind("answer")} />
      <SelectFilter label="Finding" of={[["", "any or none"], "any", ...ofKinds]} {...bind("finding")} />
    </FilterFrame>
  );
}

/** One request to the merchant API with all details. */
function CallPane({ id }: { id: number }) {
  const isThis = (one: LoggedRequest) => one.id === id;
  const request = requests.rows.value.find(isThis) ?? requests.waiting.value.find(isThis);
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
          {request.method} <HttpStatus request={request} />
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
            <a class="button" href={addressOf("requests", null, { search: payment })}>
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
