import { redact } from "../../src/domain/redact.ts";
import { visible } from "../../src/domain/visible.ts";

/** A request to the merchant API with its answer. An entry of the request log has this shape. */
export interface AuditedCall {
  /** Its number in the log. */
  readonly id: number;
  /** When it arrived, by the sandbox's clock. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: { get(name: string): string | null };
  readonly body: string | null;
  /** Null if the connection was closed without an answer. */
  readonly status: number | null;
  /** The answer, also if it was not delivered. */
  readonly answer: string | null;
  /** The injected fault, or null. */
  readonly fault: string | null;
  /** What only the lenient mode accepts: the member or parameter, and its value. */
  readonly leniencies: readonly { readonly member: string; readonly came: string }[];
  /** Whether the strict mode refused what the lenient mode accepts. */
  readonly isTakenLeniently?: boolean;
}

/** An instant, by three clocks. */
export interface Moment {
  /** The sandbox's clock. */
  readonly nowMs: number;
  /** Real time, from an arbitrary start. */
  readonly realMs: number;
  /** How long the sandbox clock has run by itself: without the time while it was frozen, and without moves. */
  readonly ranMs: number;
}

/** When a request arrived, in real time. */
export const cameMs = ({ durationMs }: AuditedCall, answered: Moment): number => answered.realMs - durationMs;

/**
 * Whether the client has certainly read the operation's own answer. During a delay, it may have closed the connection; an error can
 * let the answer through.
 */
export const isSurelyRead = ({ status, fault, answer }: AuditedCall): boolean =>
  status === 200 && (fault === null || (fault === "error" && Boolean(answer?.startsWith('{"success":true'))));

/** Whether a command of momo sent it: a person who looks with `momo status` is not the client. */
export const isByMomo = ({ headers }: AuditedCall): boolean => headers.get("User-Agent")?.startsWith("momo/") ?? false;

/** Whether an injected fault refused the request. */
export const isByFault = ({ fault }: AuditedCall): boolean => fault === "error";

/** Whether the service refused the request because of the client. */
export const isRefused = (call: AuditedCall): boolean =>
  call.status !== null && call.status >= 400 && call.status < 500 && !isByFault(call);

/** The members of a body: of a JSON object, or of a form. Null for anything else. */
export function membersOf(body: string | null): Readonly<Record<string, unknown>> | null {
  if (body === null) return null;
  try {
    const value: unknown = JSON.parse(body.startsWith("\u{FEFF}") ? body.slice(1) : body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return /^[^\s{["=]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body)) : null;
  }
}

const MARKS = { checkout_request_id: '"checkout_request_id":"', status: '"status":"' } as const;

/**
 * A string member of an answer, without escapes, such as an id or a status. Searching takes a tenth of the time of parsing. Quotes
 * inside a string are escaped, so only a member matches.
 */
export function textIn(answer: string | null, member: keyof typeof MARKS, from = 0): string | null {
  const mark = MARKS[member];
  const start = answer?.indexOf(mark, from) ?? -1;
  if (answer === null || start < 0) return null;
  const begin = start + mark.length;
  return answer.slice(begin, answer.indexOf('"', begin));
}

/** The message in a refusal; the text itself if it is no JSON with a message. */
export function messageIn(answer: string | null): string {
  const message = membersOf(answer)?.message;
  return typeof message === "string" ? message : (answer ?? "no answer");
}

/** The transactions in the answer of a list, in both forms: each item begins with its id. */
export function* itemsIn(answer: string): Generator<{ readonly number: number; readonly isFinal: boolean }> {
  const mark = '{"id":';
  for (let place = answer.indexOf(mark); place >= 0; place = answer.indexOf(mark, place + mark.length)) {
    const status = textIn(answer, "status", place);
    if (status === null) return;
    yield {
      number: Number.parseInt(answer.slice(place + mark.length, place + mark.length + 16), 10),
      isFinal: status !== "pending",
    };
  }
}

const MOST_SHOWN = 100;

/** A text from the client for a message: one line, no secret, bounded length. */
export function clean(text: string, most = MOST_SHOWN): string {
  const line = visible(redact(text));
  return (line.length > most ? `${line.slice(0, most)}…` : line).toWellFormed();
}
