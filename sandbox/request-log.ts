import type { FaultKind } from "./faults.ts";

/** A call of the merchant API, as it came and as it was answered. */
export interface LoggedRequest {
  /** Counts from 1 since the server started. */
  readonly id: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Headers;
  /** The beginning of the body, as far as it was read and is text, or null. */
  readonly body: string | null;
  /** How many bytes of it are not kept. */
  readonly bodyCutBytes: number;
  /** The checkout request id of a body that was cut, so that the call is found for its payment. */
  readonly cutId?: string | undefined;
  /** Null if the connection was closed without an answer. */
  readonly status: number | null;
  /** The beginning of the answer, also if it was lost. */
  readonly answer: string | null;
  readonly answerCutBytes: number;
  /** The fault that struck it, or null. */
  readonly fault: FaultKind | null;
  /** What only the lenient form accepted: the member, and what came there. */
  readonly leniencies: readonly { readonly member: string; readonly came: string }[];
  /** Whether the strict form refused what the lenient form accepts. */
  readonly isTakenLeniently: boolean;
}

/** The header of a call that a person sends again from the console; it names the call in the log. */
export const REPLAY_HEADER = "x-sandbox-replay-of";

/** @param whole the complete body and answer. A listener must not keep them */
export type LogListener = (request: LoggedRequest, whole: Pick<LoggedRequest, "body" | "answer">) => void;

/** How many calls are kept. */
const LOG_CAPACITY = 1000;

/** How many characters of each body and answer are kept. With a head of at most 16 KiB, this bounds the whole log. */
export const KEPT_LENGTH = 4096;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The last {@link LOG_CAPACITY} calls. JSON is made when somebody reads them. */
export function createRequestLog() {
  const calls: LoggedRequest[] = [];
  const listeners = new Set<LogListener>();
  let lastId = 0;

  return {
    /** Takes the whole body and answer, and cuts them. */
    add(request: Omit<LoggedRequest, "id" | "bodyCutBytes" | "cutId" | "answerCutBytes">): void {
      lastId += 1;
      const [body, bodyCutBytes] = beginningOf(request.body);
      const [answer, answerCutBytes] = beginningOf(request.answer);
      const cutId = bodyCutBytes > 0 ? request.body?.match(CHECKOUT_REQUEST_ID)?.at(-1) : undefined;
      const logged = { ...request, id: lastId, body, bodyCutBytes, cutId, answer, answerCutBytes };
      calls.push(logged);
      if (calls.length > LOG_CAPACITY) calls.shift();
      for (const listener of listeners) listener(logged, request);
    },
    list: (): readonly LoggedRequest[] => calls,
    clear(): void {
      calls.length = 0;
    },
    subscribe(listener: LogListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** If JSON has a member twice, its last value counts. */
const CHECKOUT_REQUEST_ID = /ws_CO_[0-9]{14}_[0-9A-Z]{20}/g;

/** The end of a word at the cut may be the first part of a secret, perhaps escaped, that nobody would recognise. */
const MAX_CUT_WORD = 600;

/** @returns what is kept of a text, and how many bytes are not */
function beginningOf(text: string | null): [string | null, number] {
  if (text === null || text.length <= KEPT_LENGTH) return [text, 0];
  let end = KEPT_LENGTH;
  while (end > KEPT_LENGTH - MAX_CUT_WORD && /[\w%\\]/.test(text.charAt(end - 1))) end -= 1;
  // Do not cut a surrogate pair.
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  // Copied through bytes: a slice of a string keeps the whole string in memory.
  const kept = Buffer.from(text.slice(0, end));
  return [kept.toString(), Buffer.byteLength(text) - kept.length];
}
