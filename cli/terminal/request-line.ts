import type { LoggedRequest } from "../../sandbox/request-log.ts";
import { redact } from "../../src/domain/credentials.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { LogFormat } from "./options.ts";
import { isErrorTerminal, lineOf, type Piece, styled } from "./output.ts";
import { jsonText } from "./plain.ts";

/** A call of the merchant API as one line on stderr, for a person or for a collector of logs. Neither holds a secret. */

/** A head may be 16 KiB of path; a line of a log may not. */
const MAX_PATH_LENGTH = 200;

/** An answer that tells of one payment, or a refusal, is shorter; a list tells of no outcome, and is not worth the reading. */
const MAX_TELLING_ANSWER = 2000;

/** Of a call that is refused for its form alone. */
const HINT = "--accept lenient would take this form";

/** What an answer says of the payment; a refusal says why in its message. */
interface Outcome {
  readonly checkout_request_id?: string;
  readonly transaction_status?: string;
  readonly message?: string;
}

/** @param atMs the host's time, whatever momo's own clock shows */
export function requestLine(format: LogFormat, request: LoggedRequest, atMs: number): string {
  const path = redact(request.target.split("?", 1)[0] ?? "").slice(0, MAX_PATH_LENGTH);
  const outcome = outcomeOf(request);
  return format === "json" ? jsonLine(request, path, outcome, atMs) : prettyLine(request, path, outcome, atMs);
}

function outcomeOf({ answer }: LoggedRequest): Outcome {
  if (answer === null || answer.length > MAX_TELLING_ANSWER) return {};
  const { success, message, checkout_request_id, status: transaction_status } = JSON.parse(answer);
  return {
    ...(checkout_request_id !== undefined && { checkout_request_id }),
    ...(transaction_status !== undefined && { transaction_status }),
    ...(success === false && { message: redact(message) }),
  };
}

function jsonLine(request: LoggedRequest, path: string, outcome: Outcome, atMs: number): string {
  return jsonText({
    time: new Date(atMs).toISOString(),
    level: "info",
    method: request.method,
    path,
    status: request.status,
    duration_ms: Math.round(request.durationMs * 1000) / 1000,
    ...outcome,
    ...(request.fault !== null && { fault: request.fault }),
    ...(request.leniencies.length > 0 && { leniencies: request.leniencies.map(({ member }) => member) }),
    ...(request.isTakenLeniently && { hint: HINT }),
  });
}

function prettyLine(request: LoggedRequest, path: string, outcome: Outcome, atMs: number): string {
  const { status, fault, leniencies, isTakenLeniently } = request;
  const style = status === null || status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  const words: (Piece | null | undefined)[] = [
    formatTimestamp(atMs).slice(-"HH:MM:SS".length),
    styled(style, String(status ?? "---")),
    request.method.padEnd(4),
    path,
    styled("dim", `${request.durationMs.toFixed(1)} ms`),
    outcome.transaction_status,
    outcome.checkout_request_id,
    outcome.message,
    fault && `(fault: ${fault})`,
    leniencies.length > 0 ? `(lenient: ${leniencies.map(({ member }) => member).join(", ")})` : null,
    isTakenLeniently ? `(${HINT})` : null,
  ];
  const pieces = words.flatMap((word) => (word ? [word, "  "] : []));
  return lineOf(pieces.slice(0, -1), isErrorTerminal);
}

/** What went wrong where nobody waits for an answer, among lines of the same format. */
export function faultLine(format: LogFormat, message: string, atMs: number): string {
  if (format === "pretty") return lineOf([`momo: ${message}`], isErrorTerminal);
  return jsonText({ time: new Date(atMs).toISOString(), level: "error", message });
}
