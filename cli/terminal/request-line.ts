import type { LoggedRequest } from "../../sandbox/request-log.ts";
import { redact } from "../../src/domain/credentials.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { LogFormat } from "./options.ts";
import { isErrorTerminal, lineOf, type Piece, styled } from "./output.ts";
import { jsonText } from "./plain.ts";

/** A request of the merchant API as one line on stderr, for a person or for a collector of logs. It has no secret. */

/** A path can be 16 KiB long, which is too much for a line. */
const MAX_PATH_LENGTH = 200;

/** Longer answers are lists, which have no outcome to show, so they are not parsed. */
const MAX_PARSED_ANSWER = 2000;

/** For a request that only the strict form refuses. */
const HINT = "--accept lenient would take this form";

/** What an answer says about the payment. A refusal gives the reason in its message. */
interface Outcome {
  readonly checkout_request_id?: string;
  readonly transaction_status?: string;
  readonly message?: string;
}

/** @param atMs the host's time, not the sandbox's */
export function requestLine(format: LogFormat, request: LoggedRequest, atMs: number): string {
  const path = redact(request.target.split("?", 1)[0] ?? "").slice(0, MAX_PATH_LENGTH);
  const outcome = outcomeOf(request);
  return format === "json" ? jsonLine(request, path, outcome, atMs) : prettyLine(request, path, outcome, atMs);
}

function outcomeOf({ answer }: LoggedRequest): Outcome {
  if (answer === null || answer.length > MAX_PARSED_ANSWER) return {};
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
  return timedLine(atMs, [
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
  ]);
}

/** The time of the day, and the words that are not empty. */
export function timedLine(atMs: number, words: readonly (Piece | null | undefined)[]): string {
  const pieces = words.flatMap((word) => (word ? ["  ", word] : []));
  return lineOf([formatTimestamp(atMs).slice(-"HH:MM:SS".length), ...pieces], isErrorTerminal);
}

/** An error that no caller waits for, in the same format, or a message about the log itself. */
export function messageLine(format: LogFormat, message: string, atMs: number, level: "error" | "info"): string {
  if (format === "json") return jsonText({ time: new Date(atMs).toISOString(), level, message });
  return level === "error" ? lineOf([`momo: ${message}`], isErrorTerminal) : timedLine(atMs, [message]);
}
