import { useComputed, useSignal } from "@preact/signals";
import { formatInterval } from "../../../../src/domain/duration.ts";
import { FAULTS } from "../../../faults/kinds.ts";
import { addressOf, select, setFilters, setting } from "../actions.ts";
import { api } from "../api.ts";
import { nameOf, statusOf } from "../arrivals.ts";
import { isLoaded } from "../asking.ts";
import { type CallFilters, fitsCall, gistOf, LOG_KEEPS, NO_CALL_FILTERS, operationOf } from "../logic/calls.ts";
import { isFiltered } from "../logic/filters.ts";
import { labelsOf } from "../logic/findings.ts";
import { formatCount, momentInWords, preciseClock, prettyJson } from "../logic/format.ts";
import { curlOf } from "../logic/shell.ts";
import * as state from "../state.ts";
import { callFindings, requests, server } from "../state.ts";
import type { LoggedRequest } from "../wire.ts";
import { type ColumnHead, Pairs } from "./card.tsx";
import { CodeBlock, CopyButton } from "./copy.tsx";
import { FilterFrame } from "./filter-bar.tsx";
import { ANY, bound, FormProblem, SelectField, useCall } from "./form.tsx";
import { LongList, Pane } from "./long-list.tsx";
import { FindingNotes, HttpStatus, Warned } from "./marks.tsx";

const COLUMNS: readonly ColumnHead[] = [
  ["Time", "c-at", 7.25],
  ["Request", "c-call", 10.5],
  ["Answer", "c-answer", 7],
  ["About", "c-about"],
  ["Took", "c-took number", 4.75],
  ["Findings", "c-findings", 11.5],
];

/** The live log of the merchant API, with the findings about clients. */
export function Requests() {
  const count = useSignal(state.PAGE_SIZE);
  const fits = (one: LoggedRequest) => fitsCall(one, state.callFilters.value);
  const fitting = useComputed(() => requests.rows.value.filter(fits));
  const waiting = useComputed(() => requests.waiting.value.filter(fits).length);
  const isAll = !isFiltered(state.callFilters.value);
  const isEmptied = state.audit.value.chapters > 1;
  const nothing = isEmptied ? "The log is empty" : "No requests yet";
  return (
    <div class="split" data-open={state.openCall.value !== null}>
      <section class="list-side column" aria-label="Requests">
        <CallFilterBar />
        <p class="hint">
          The last {formatCount(state.MOST_REQUESTS)} requests to the merchant API, the newest answer first.
        </p>
        <LongList
          rows={fitting.value.slice(0, count.value)}
          waiting={waiting.value}
          showWaiting={() => requests.showWaiting()}
          more={fitting.value.length > count.value ? setting(count, count.value + state.PAGE_SIZE) : null}
          label="Requests, newest first"
          style="requests"
          columns={COLUMNS}
          row={Row}
        >
          {isLoaded.value && fitting.value.length === 0 && (
            <div class="empty stack muted">
              <h2>{isAll ? nothing : "No request fits these filters"}</h2>
              {isAll && (
                <p>
                  {isEmptied && "A reset or a restore has emptied it. "}
                  Each request of your app to this server is shown here when it is answered.{" "}
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
  const { id, at_ms, method, target, fault, status, duration_ms } = request;
  const isOpen = state.openCall.value === id;
  const found = state.callFindings.value.get(id);
  const about = aboutOf(request);
  return (
    <tr data-open={isOpen} onClick={() => select(String(id))}>
      <td class="c-at small" style="grid-area: time">
        <button type="button" class="bare" tabIndex={-1} data-row={id} aria-expanded={isOpen}>
          <time>{preciseClock(at_ms)}</time>
        </button>
      </td>
      <td class="c-call" style="grid-area: call" title={`${method} ${target}`}>
        <code>
          <b>{method}</b> {operationOf(target)}
        </code>
      </td>
      <td class="c-answer" style="grid-area: answer">
        <HttpStatus request={request} /> {/* Its words would say twice that an answer is lost. */}
        {fault && status !== null && <span class="pill">{FAULTS[fault].words.replace(/^an? /, "")}</span>}
      </td>
      <td class="c-about muted small" style="grid-area: about" title={about}>
        {about}
      </td>
      <td class="c-took number">{formatInterval(duration_ms)}</td>
      <td class="c-findings" style="grid-area: findings">
        {found && <Warned words={labelsOf(found)} />}
      </td>
    </tr>
  );
}

/** The subject of a request; for a poll, its payment. */
function aboutOf(request: LoggedRequest): string {
  const gist = gistOf(request);
  const payment = request.target.includes("/status.php") ? request.checkout_request_id : null;
  if (payment === null) return gist;
  // An answer that was lost has no gist.
  return gist === "" ? nameOf(payment) : `${gist} · ${nameOf(payment)}`;
}

/** The filters of the log. The page has the whole log, so it filters without the server. */
function CallFilterBar() {
  const { value } = state.callFilters;
  const bind = (name: keyof CallFilters) =>
    bound(`call-${name}`, value[name], (typed) => setFilters({ [name]: typed }));
  return (
    <FilterFrame
      search={{ ...bind("search"), placeholder: "Anything in a request or its answer" }}
      none={NO_CALL_FILTERS}
      isFiltered={isFiltered(value)}
    >
      <SelectField label="Answer" of={[ANY, "2xx", "4xx", "5xx", "lost"]} {...bind("answer")} />
    </FilterFrame>
  );
}

function CallPane({ id }: { id: number }) {
  const request = requests.newest.value.find((one) => one.id === id);
  const call = useCall();
  if (!request) {
    return (
      <Pane label="One request" title="Request" what="the request" row={id}>
        {isLoaded.value && <p class="hint">It is no longer in the log. {LOG_KEEPS}</p>}
      </Pane>
    );
  }
  const payment = request.checkout_request_id;
  const again = request.headers["x-sandbox-replay-of"];
  return (
    <Pane
      label="One request"
      title={[`${request.method} `, <HttpStatus key="status" request={request} />]}
      what="the request"
      row={id}
    >
      <p class="hint">
        {momentInWords(request.at)} · <code>{request.target}</code>
        {again !== undefined && (
          <>
            {" "}
            · repeats <a href={addressOf("requests", again)}>request {again}</a>, from the console
          </>
        )}
      </p>
      <Fate of={request} />
      <div class="row">
        {payment !== null && (
          <>
            <a class="button" href={addressOf("transactions", payment)}>
              Its payment
            </a>
            <a class="button" href={addressOf("requests", null, { search: payment })}>
              Its requests
            </a>
          </>
        )}
        <button
          type="button"
          disabled={request.body_cut_bytes > 0}
          title="With the sandbox's own key; the audit leaves it out"
          onClick={() => void call.run(() => api.post(`/requests/${id}/replay`, {}))}
        >
          Repeat the request
        </button>
      </div>
      <FormProblem problems={call.problems} />
      <FindingNotes found={callFindings.value.get(id)} about={id} />
      <CallDetails request={request} />
      <details class="hint">
        <summary>Headers</summary>
        <Pairs class="headers" of={Object.entries(request.headers)} />
      </details>
    </Pane>
  );
}

/** Whether a push has started a payment, if its answer does not say so. */
function Fate({ of: { target, answer, delivered, fault, checkout_request_id } }: { of: LoggedRequest }) {
  const told = (answer as { readonly checkout_request_id?: unknown } | null)?.checkout_request_id;
  const isTold = delivered && (fault === null || told === checkout_request_id);
  if (!target.includes("/stkpush.php") || isTold) return null;
  if (checkout_request_id === null) return <p>Nothing was stored: there is no payment.</p>;
  return (
    <p class="box tone" data-tone="pending">
      The payment exists ({statusOf(checkout_request_id) ?? "see it"}), although the client does not know it.
    </p>
  );
}

function CallDetails({ request }: { request: LoggedRequest }) {
  const { body, body_cut_bytes, status, delivered, answer, answer_cut_bytes, fault, duration_ms } = request;
  return (
    <>
      <p class="hint line between">
        took {formatInterval(duration_ms)}
        {fault && ` · injected by you: ${FAULTS[fault].words}`}
        {server.value && body_cut_bytes === 0 && (
          <CopyButton
            text={curlOf(request, server.value.base_url)}
            what="the request as a curl command"
            label="Copy as curl"
          />
        )}
      </p>
      <h3>Sent</h3>
      {body === null ? (
        <p class="hint">no body</p>
      ) : (
        <CodeBlock text={prettyJson(body)} what="the body that was sent" />
      )}
      <NotKept bytes={body_cut_bytes} />
      <h3>Answer</h3>
      {!delivered && (
        <p class="hint">
          {status === null
            ? "The connection was closed without an answer."
            : "The client did not get this answer: its connection ended first."}
        </p>
      )}
      {status !== null && <CodeBlock text={textOf(answer)} what="the answer" />}
      <NotKept bytes={answer_cut_bytes} />
    </>
  );
}

function NotKept({ bytes }: { bytes: number }) {
  return bytes > 0 ? <p class="hint">{formatCount(bytes)} bytes more, which the log does not keep.</p> : null;
}

const textOf = (answer: unknown) => (typeof answer === "string" ? answer : JSON.stringify(answer, null, 2));
