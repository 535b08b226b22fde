import { useComputed, useSignal } from "@preact/signals";
import { labelOf } from "../logic/findings.ts";
import { formatCount, formatInterval, timeOfDay } from "../logic/format.ts";
import { gistOf } from "../logic/gist.ts";
import { isLoaded, MOST_REQUESTS, mistakes, requests, requestsPerSecond } from "../state.ts";
import type { LoggedRequest } from "../wire.ts";
import { CloseIcon, WarningIcon } from "./icons.tsx";
import { LongList } from "./long-list.tsx";
import { MistakeNote } from "./mistake-note.tsx";
import { CallDetails, HttpStatus } from "./request-step.tsx";
import { Spacer } from "./spacer.tsx";
import { useWindowed } from "./windowed.ts";

const ROW_REM = 2.5;

/** More in a second nobody can follow. */
const FOLLOWED_PER_SECOND = 20;

/** The merchant API's log as it happens, with what a client does wrong. */
export function Requests() {
  const selected = useSignal<LoggedRequest | null>(null);
  const onlyMistakes = useSignal(false);
  const newestFirst = useComputed(() => {
    const all = requests.value.toReversed();
    return onlyMistakes.value ? all.filter(({ id }) => mistakes.value.has(id)) : all;
  });
  const list = useWindowed(newestFirst.value, ROW_REM);
  const rate = requestsPerSecond.value;
  return (
    <div class="split" data-open={selected.value !== null}>
      <section class="list-side" aria-label="Requests">
        <div class="log-bar">
          <p class="hint">
            {rate > FOLLOWED_PER_SECOND
              ? `${formatCount(rate)} calls a second: the newest ${formatCount(MOST_REQUESTS)} are kept, the rest is left out.`
              : `The last ${formatCount(MOST_REQUESTS)} calls of the merchant API, newest first.`}
          </p>
          <label class="check">
            <input
              type="checkbox"
              checked={onlyMistakes.value}
              onChange={(event) => {
                onlyMistakes.value = event.currentTarget.checked;
              }}
            />
            Only mistakes ({mistakes.value.size})
          </label>
        </div>
        <LongList list={list} label="Calls, newest first">
          <table class="requests">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Call</th>
                <th scope="col">Answer</th>
                <th scope="col" class="when-wide">
                  About
                </th>
                <th scope="col" class="number when-wider">
                  Took
                </th>
                <th scope="col">Mistakes</th>
              </tr>
            </thead>
            <Spacer height={list.above} />
            <tbody class="rows">
              {list.rows.map((request) => (
                <Row
                  key={request.id}
                  request={request}
                  isOpen={selected.value?.id === request.id}
                  onOpen={() => {
                    selected.value = request;
                  }}
                />
              ))}
            </tbody>
            <Spacer height={list.below} />
          </table>
          {isLoaded.value && newestFirst.value.length === 0 && (
            <div class="empty">
              <h2>{onlyMistakes.value ? "No mistakes" : "No requests yet"}</h2>
              <p>
                {onlyMistakes.value
                  ? "Nothing that the last calls did looks wrong."
                  : "Point your app at this server, and every call shows here as it is answered."}{" "}
                <a href="#start">How to start</a>
              </p>
            </div>
          )}
        </LongList>
      </section>
      {selected.value && (
        <Details
          request={selected.value}
          onClose={() => {
            selected.value = null;
          }}
        />
      )}
    </div>
  );
}

function Row({ request, isOpen, onOpen }: { request: LoggedRequest; isOpen: boolean; onOpen: () => void }) {
  const found = mistakes.value.get(request.id);
  return (
    <tr data-open={isOpen} onClick={onOpen}>
      <td>
        <button type="button" class="row-link" aria-expanded={isOpen}>
          <time>{timeOfDay(request.at)}</time>
        </button>
      </td>
      <td class="target">
        <code>
          <b>{request.method}</b> {request.target}
        </code>
      </td>
      <td>
        <HttpStatus status={request.status} />
        {request.fault && <span class="tag">{request.fault}</span>}
      </td>
      <td class="when-wide gist">{gistOf(request)}</td>
      <td class="number when-wider">{formatInterval(request.duration_ms)}</td>
      <td>
        {found && (
          <span class="warned" title={found.map(({ message }) => message).join(" ")}>
            <WarningIcon />
            {found.map(labelOf).join(", ")}
          </span>
        )}
      </td>
    </tr>
  );
}

function Details({ request, onClose }: { request: LoggedRequest; onClose: () => void }) {
  return (
    <section class="story" aria-label="One call" onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <header>
        <h2>
          {request.method} <HttpStatus status={request.status} />
        </h2>
        <button type="button" class="quiet square" aria-label="Close the call" onClick={onClose}>
          <CloseIcon />
        </button>
        <p class="hint">
          {request.at} · <code>{request.target}</code>
        </p>
      </header>
      {mistakes.value.get(request.id)?.map((mistake) => (
        <MistakeNote key={mistake.message} mistake={mistake} />
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
    </section>
  );
}
