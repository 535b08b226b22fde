import type { RefusalFacts } from "../src/domain/error.ts";
import { createListeners, type Listener } from "../src/domain/listeners.ts";
import { parametersIn } from "../src/domain/parameters.ts";
import type { FaultName } from "./faults/kinds.ts";

/** The members of a JSON object, or of a form. */
export type Members = Readonly<Record<string, unknown>>;

/** A request to the merchant API, and its answer: the record of the log, the audit, the events and the terminal. */
export interface LoggedRequest {
  /** Counts from 1 since the server started; with a seed, since the last reset. */
  readonly id: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Headers;
  /** The beginning of the body, as far as it was read and is text, or null. */
  readonly body: string | null;
  /** How many bytes of the body are not kept. */
  readonly bodyCutBytes: number;
  /** The payment that it started or asked about, also if a fault replaced the answer; or null. */
  readonly checkoutRequestId: string | null;
  /** Null if a fault closed the connection without an answer. */
  readonly status: number | null;
  /** False if the connection ended before the answer. */
  readonly isDelivered: boolean;
  /** The beginning of the answer, also if it was lost. */
  readonly answer: string | null;
  readonly answerCutBytes: number;
  /** The injected fault, or null. */
  readonly fault: FaultName | null;
  /** What only the lenient form accepted: the member, and its value. */
  readonly leniencies: readonly { readonly member: string; readonly came: string }[];
  /** Whether the strict form refused what the lenient form accepts. */
  readonly isTakenLeniently: boolean;
}

/** The header of a request that a person sends again from the console; it has the id of the first request in the log. */
export const REPLAY_HEADER = "x-sandbox-replay-of";

/** The header that momo's own requests have, with a secret of the server: they are no client's. */
export const OWN_HEADER = "x-momo-own";

/** A request that was just answered: with its whole body and answer, and with what the log does not keep. */
export interface AnsweredRequest extends Omit<LoggedRequest, "bodyCutBytes" | "answerCutBytes"> {
  /** Those of the body; null if it has none. */
  readonly members: Members | null;
  /** Those of the answer. */
  readonly said: Members;
  /** Whether the answer is that of a fault, and not of the operation. */
  readonly isInjected: boolean;
  /** Those of the operation's own answer, if a fault gave the client another one; else null. */
  readonly hidden: Members | null;
  /** The place of its arrival in the order of all events: the clock can stand still. */
  readonly arrived: number;
  /** Whether it reached its operation: its path, its method, its credentials and its origin are right. */
  readonly isAdmitted: boolean;
  /** What its operation refused; null if it did not. */
  readonly refusal: RefusalFacts | null;
}

/** It must not keep the answered request, which can be long. */
export type LogListener = (answered: AnsweredRequest, logged: LoggedRequest) => void;

/** How many requests are kept. */
const LOG_CAPACITY = 1000;

/** How many characters of each body and answer are kept. With a head of at most 16 KiB, this bounds the whole log. */
const KEPT_LENGTH = 4096;

export interface RequestLog {
  /** The place of an event in the order of all events. */
  nextPlace(): number;
  /** The id of a request that is added next. */
  nextId(): number;
  /** Takes the whole body and answer, and cuts them. */
  add(request: AnsweredRequest): void;
  /** Oldest first. */
  readonly list: () => readonly LoggedRequest[];
  clear(): void;
  /** The next request has the id 1. */
  restart(): void;
  readonly subscribe: (listener: Listener<[answered: AnsweredRequest, logged: LoggedRequest]>) => () => void;
}

/** The last {@link LOG_CAPACITY} requests. JSON is made only when they are read. */
export function createRequestLog(reportFault: (error: unknown) => void): RequestLog {
  /** A ring, because to drop the oldest from the beginning of a list would cost a poll 3 %. */
  let kept: LoggedRequest[] = [];
  /** The place of the next request: once the ring is full, that of the oldest. */
  let next = 0;
  const { subscribe, announce } = createListeners<Parameters<LogListener>>(reportFault);
  let lastId = 0;
  let lastPlace = 0;

  function clear(): void {
    kept = [];
    next = 0;
  }

  return {
    nextPlace(): number {
      lastPlace += 1;
      return lastPlace;
    },
    nextId(): number {
      lastId += 1;
      return lastId;
    },
    add(request: AnsweredRequest): void {
      const body = beginningOf(request.body);
      const answer = beginningOf(request.answer);
      // Without the members, which can be long. It is written out because a rest of the request would cost a poll 2 %.
      const logged: LoggedRequest = {
        id: request.id,
        atMs: request.atMs,
        durationMs: request.durationMs,
        method: request.method,
        target: request.target,
        headers: request.headers,
        body: body.text,
        bodyCutBytes: body.cutBytes,
        checkoutRequestId: request.checkoutRequestId,
        status: request.status,
        isDelivered: request.isDelivered,
        answer: answer.text,
        answerCutBytes: answer.cutBytes,
        fault: request.fault,
        leniencies: request.leniencies,
        isTakenLeniently: request.isTakenLeniently,
      };
      kept[next] = logged;
      next = (next + 1) % LOG_CAPACITY;
      announce(request, logged);
    },
    /** Oldest first. */
    list: (): readonly LoggedRequest[] => [...kept.slice(next), ...kept.slice(0, next)],
    clear,
    restart(): void {
      clear();
      lastId = 0;
    },
    subscribe,
  };
}

/** Remove the word at the cut: it may be the first part of a secret, which redaction would not recognise. */
const MAX_CUT_WORD = 600;

/** What is kept of a text, and how many of its bytes are not. */
function beginningOf(text: string | null): { readonly text: string | null; readonly cutBytes: number } {
  if (text === null || text.length <= KEPT_LENGTH) return { text, cutBytes: 0 };
  let end = KEPT_LENGTH;
  while (end > KEPT_LENGTH - MAX_CUT_WORD && /[\w%\\]/.test(text.charAt(end - 1))) end -= 1;
  // Do not cut a surrogate pair.
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  // Copied through bytes: a slice of a string keeps the whole string in memory.
  const kept = Buffer.from(text.slice(0, end));
  return { text: kept.toString(), cutBytes: Buffer.byteLength(text) - kept.length };
}

/** A request that a fault delays: it is in the log when it is answered. */
export interface DelayedRequest extends Pick<AnsweredRequest, "atMs" | "headers" | "arrived"> {
  readonly path: string;
  /** Of its body, once that was read. */
  members: Members | null;
}

/** The members of a text: of a JSON object, or of a form. Null for anything else. */
export function membersOf(text: string | null): Members | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text.startsWith("\u{FEFF}") ? text.slice(1) : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
  } catch {
    return /^[^\s{["=]+=/.test(text) ? Object.fromEntries(parametersIn(text)) : null;
  }
}

export interface RequestCounts {
  readonly list: () => {
    operation: string;
    status: string;
    count: number;
  }[];
  add({ target, status }: Pick<LoggedRequest, "target" | "status">): void;
}

/** The status of a request that got no answer. */
const UNANSWERED = "none";

/**
 * Counts the requests to the merchant API by operation and status.
 * @param operations the names of the operations by their paths
 */
export function createRequestCounts(operations: ReadonlyMap<string, string>): RequestCounts {
  const counts = new Map<string, Map<number | null, number>>();
  return {
    list: () =>
      [...counts].flatMap(([operation, byStatus]) =>
        [...byStatus].map(([status, count]) => ({ operation, status: String(status ?? UNANSWERED), count })),
      ),
    add({ target, status }: Pick<LoggedRequest, "target" | "status">): void {
      const end = target.indexOf("?");
      const operation = operations.get(end < 0 ? target : target.slice(0, end)) ?? "other";
      const byStatus = counts.get(operation) ?? new Map<number | null, number>();
      counts.set(operation, byStatus);
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    },
  };
}
