import { useComputed } from "@preact/signals";
import { addressOf, select, setFilters } from "../actions.ts";
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
import { bound, FilterFrame, SelectFilter, TextFilter } from "./filter-bar.tsx";
import { ANY, FormProblem, useCall } from "./form.tsx";
import { LongList, Pane } from "./long-list.tsx";
import { FindingNotes, HttpStatus, Warned } from "./marks.tsx";
import { CallDetails } from "./request-step.tsx";

/** A person cannot follow more requests in a second. */
const READABLE_PER_SECOND = 20;

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
  const shown = useComputed(() => {
    const found = state.callFindings.value;
    return state.requests.value.filter((one) => fitsCall(one, state.callFilters.value, found.get(one.id))).reverse();
  });
  const rate = state.requestsPerSecond.value;
  const isAll = !isFiltered(state.callFilters.value);
  return (
    <div class="split" data-open={state.openCall.value !== null}>
      <section class="list-side" aria-label="Requests">
        <CallFilterBar />
        <p class="hint">
          {rate > READABLE_PER_SECOND
            ? `${formatCount(rate)} requests a second: the newest ${formatCount(state.MOST_REQUESTS)} are kept, the rest is left out.`
            : `The last ${formatCount(state.MOST_REQUESTS)} requests to the merchant API, newest first.`}
        </p>
        <LongList
          all={shown.value}
          selection={JSON.stringify(state.callFilters.value)}
          label="Requests, newest first"
          style="requests"
          columns={COLUMNS}
          row={Row}
        >
          {state.isLoaded.value && shown.value.length === 0 && (
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

const MOST_NAMES = 12;

const distinct = (...names: readonly string[]): string[] => [...new Set(names)].slice(0, MOST_NAMES);

/** The filters of the log. The page has the whole log, so it filters without the server. */
function CallFilterBar() {
  const { value } = state.callFilters;
  const bind = (name: keyof CallFilters) => bound("call", name, value[name], (typed) => setFilters({ [name]: typed }));
  const paths = distinct(...PATHS, ...state.requests.value.map(({ target }) => operationOf(target)));
  const methods = distinct("GET", "POST", ...state.requests.value.map(({ method }) => method));
  const kinds = distinct(...state.findings.value.map(({ kind }) => kind));
  const ofKinds = kinds.map((kind) => [kind, labelOf({ kind })] as const);
  return (
    <FilterFrame
      search={{ ...bind("search"), placeholder: "Anything in a request or its answer" }}
      more={
        <>
          <SelectFilter label="Path" of={[ANY, ...paths]} {...bind("path")} />
          <SelectFilter label="Method" of={[ANY, ...methods]} {...bind("method")} />
          <SelectFilter label="Answer" of={[ANY, "2xx", "4xx", "5xx", "lost"]} {...bind("answer")} />
          <SelectFilter label="Finding" of={[["", "any or none"], "any", ...ofKinds]} {...bind("finding")} />
          <TextFilter label="Payment" placeholder="ws_CO_…" size={10} {...bind("payment")} />
        </>
      }
      isMoreSet={isFiltered({ ...value, search: "" })}
      none={NO_CALL_FILTERS}
      isFiltered={isFiltered(value)}
    />
  );
}

const PATHS = ["stkpush.php", "status.php", "transactions.php"];

/** One request to the merchant API with all details. */
function CallPane({ id }: { id: number }) {
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
