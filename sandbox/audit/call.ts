import { redact } from "../../src/domain/redact.ts";
import { visible } from "../../src/domain/visible.ts";
import type { AnsweredRequest } from "../request-log.ts";

/** An instant, by three clocks. */
export interface Moment {
  /** The sandbox's clock. */
  readonly nowMs: number;
  /** Real time, from an arbitrary start. */
  readonly realMs: number;
  /** How long the sandbox clock has run by itself: without the time while it was frozen, and without moves. */
  readonly ranMs: number;
}

/** A request and its parts, for the rules. */
export interface Reading {
  readonly call: AnsweredRequest;
  /** When it was answered. */
  readonly at: Moment;
  /** When it arrived, in real time. */
  readonly arrivedMs: number;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The raw query. */
  readonly query: string;
  /** The base path that the client used, or the default. */
  readonly base: string;
  /** The rest of the path. */
  readonly operation: string;
  /** What the operation accepts: the members of its body, or the parameters of its query. */
  readonly inputs: readonly string[] | undefined;
}

/**
 * Whether the client has certainly read the operation's own answer. During a delay, it may have closed the connection; an error can
 * let the answer through.
 */
export const isSurelyRead = ({ status, fault, said }: AnsweredRequest): boolean =>
  status === 200 && (fault === null || (fault === "error" && said.success === true));

/** Whether a command of momo sent it. Its pushes are judged, but apart from those of the client. */
export const isByMomo = ({ headers }: Pick<AnsweredRequest, "headers">): boolean =>
  headers.get("User-Agent")?.startsWith("momo/") ?? false;

/** Whether a person looks with a command of momo, such as `momo status`: that is not the client. */
export const isLook = ({ call, operation }: Reading): boolean => isByMomo(call) && operation !== "/stkpush.php";

/** Whether an injected fault refused the request. */
export const isByFault = ({ fault }: AnsweredRequest): boolean => fault === "error";

/** Whether the service refused the request because of the client. */
export const isRefused = (call: AnsweredRequest): boolean =>
  call.status !== null && call.status >= 400 && call.status < 500 && !isByFault(call);

/** The message in an answer; the text itself if it has none. */
export const messageOf = ({ said, answer }: AnsweredRequest): string =>
  typeof said.message === "string" ? said.message : (answer ?? "no answer");

/** A string member of an answer, such as an id or a status. */
export function textIn({ said }: AnsweredRequest, member: string): string | null {
  const value = said[member];
  return typeof value === "string" ? value : null;
}

interface Row {
  readonly id: number;
  readonly status: string;
}

/** The transactions in the answer of a list, in both forms. */
export function rowsIn({ status, said }: AnsweredRequest): readonly Row[] {
  const rows: unknown = said.transactions ?? said.data;
  const isList = status === 200 && Array.isArray(rows);
  return isList ? rows.filter((row) => typeof row === "object" && row !== null) : [];
}

const MOST_SHOWN = 100;

/** A text from the client for a message: one line, no secret, bounded length. */
export function clean(text: string, most = MOST_SHOWN): string {
  const line = visible(redact(text));
  if (line.length <= most) return line.toWellFormed();
  const start = line.slice(0, most);
  // A quote that was cut is closed.
  const quotes = start.replaceAll(/\\./g, "").split('"').length - 1;
  return `${start}…${quotes % 2 === 0 ? "" : '"'}`.toWellFormed();
}

/** A duration in words. */
export function inSeconds(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${Math.round(durationMs / 100) / 10} s`;
}
