import { addressOf } from "../actions.ts";
import { operationOf } from "../logic/calls.ts";
import { formatCount, formatInterval, preciseClock, prettyJson } from "../logic/format.ts";
import { replayCurl } from "../logic/shell.ts";
import { server } from "../state.ts";
import type { Finding, LoggedRequest } from "../wire.ts";
import { CodeBlock, CopyButton } from "./copy.tsx";
import { FindingNotes, HttpStatus } from "./marks.tsx";

interface RequestStepProps {
  readonly request: LoggedRequest;
  readonly found: readonly Finding[] | undefined;
  /** The time since the previous request. */
  readonly intervalMs?: number | null;
  readonly isOpen?: boolean;
}

/** A request on one line, with its body and answer below. */
export function RequestStep({ request, found, intervalMs, isOpen = false }: RequestStepProps) {
  return (
    <>
      <details class="call" open={isOpen}>
        <summary>
          <time>{preciseClock(request.at_ms)}</time>
          {intervalMs != null && <span class="muted">+{formatInterval(intervalMs)}</span>}
          <code title={`${request.method} ${request.target}`}>{operationOf(request.target)}</code>
          <HttpStatus request={request} />
          <span class="muted">{statusOf(request.answer)}</span>
        </summary>
        <CallDetails request={request} isBrief={isOpen} />
        <p class="hint">
          <a href={addressOf("requests", String(request.id))}>Open this request</a>
        </p>
      </details>
      <FindingNotes found={found} />
    </>
  );
}

/**
 * The request and the answer.
 * @param isBrief shows the body as it was sent, and hides the answer at first
 */
export function CallDetails({ request, isBrief = false }: { request: LoggedRequest; isBrief?: boolean }) {
  const { body, body_cut_bytes, status, delivered, answer, answer_cut_bytes, fault, duration_ms } = request;
  const { leniencies, lenient_takes } = request;
  return (
    <div class="stack call-details">
      <p class="hint line between">
        took {formatInterval(duration_ms)}
        {fault && ` · fault: ${fault}`}
        {server.value && body_cut_bytes === 0 && (
          <CopyButton
            text={replayCurl(request, server.value)}
            what="the request as a curl command"
            label="Copy as curl"
          />
        )}
      </p>
      {lenient_takes && (
        <p class="hint">
          The real services may accept this form. <code>momo serve --accept lenient</code> accepts it, too.
        </p>
      )}
      {leniencies.length > 0 && (
        <p class="hint">
          Accepted leniently: {leniencies.map(({ member, came }) => `${member} (${came})`).join(", ")}.
        </p>
      )}
      <p class="label">Sent</p>
      {body === null ? (
        <p class="hint">no body</p>
      ) : (
        <CodeBlock text={isBrief ? body : prettyJson(body)} what="the body that was sent" />
      )}
      <NotKept bytes={body_cut_bytes} />
      <details open={!isBrief}>
        <summary class="label">Answer</summary>
        {!delivered && (
          <p class="hint">
            {status === null
              ? "The connection was closed without an answer."
              : "The client did not get this answer: its connection ended first."}
          </p>
        )}
        {status !== null && <CodeBlock text={textOf(answer)} what="the answer" />}
        <NotKept bytes={answer_cut_bytes} />
      </details>
    </div>
  );
}

function NotKept({ bytes }: { bytes: number }) {
  return bytes > 0 ? <p class="hint">{formatCount(bytes)} bytes more, which the log does not keep.</p> : null;
}

const textOf = (answer: unknown) => (typeof answer === "string" ? answer : JSON.stringify(answer, null, 2));

function statusOf(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return "";
  const { status } = answer as { status?: unknown };
  return typeof status === "string" ? status : "";
}
