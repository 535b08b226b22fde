import { formatDuration } from "../../src/domain/duration.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { REFUSAL_HEADER } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import { durations } from "../../src/system.ts";
import { Failure, type FailureCode } from "../terminal/failure.ts";
import { headersNaming, nothingAnswersAt, type Server } from "./server.ts";

/** One request to a server: its headers, its answer, and what a failure means for the user. */

/** An answer of the payment service or of the control API. */
export type Answer = { readonly success: boolean; readonly message: string } & Record<string, unknown>;

/** One of the two APIs of a server. */
export interface Api {
  readonly address: string;
  readonly server: Server;
  /** Headers with the key or the token of the caller. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly hints: Hints;
  /** What to do if the server has no such path. */
  readonly hintOfAddress: string;
  /** Answers the requests in this process. */
  readonly handler?: Handler | undefined;
}

/** What to do about a refusal. */
type Hints = { readonly [C in FailureCode]?: string };

export interface SendOptions {
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined;
  /** More hints than those of the API. */
  readonly hints?: Hints;
  /** A text of every success that the caller can use. */
  readonly needs?: string;
  /** What is true if the answer is lost; by default, somebody must check whether the write was done. */
  readonly ifLost?: /** It only reads. */
    | "nothing_changed"
    /** The second time changes nothing more. */
    | "repeat"
    /** This command shows whether it was done. */
    | { readonly checkWith: string };
}

export const READS: SendOptions = { ifLost: "nothing_changed" };

export const bearer = (token: string | null): Record<string, string> =>
  token === null ? {} : { Authorization: `Bearer ${token}` };

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * @returns the answer of a request that succeeded
 * @throws Failure in the words of the service; `unreachable` if nothing answers; {@link LostAnswer}
 */
export async function request(api: Api, path: string, init: RequestInit, options: SendOptions): Promise<Answer> {
  const headers = { ...headersOf(api), ...options.headers, ...(init.headers as object) };
  const url = api.address + path;
  const [response, text] = await explained(api, options, async () => {
    const late = AbortSignal.timeout(options.timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([late, options.signal]) : late;
    const { handler, server } = api;
    const got = await (handler
      ? handler(new Request(url, { ...init, headers }))
      : server.send(url, { ...init, headers, redirect: "manual", signal }));
    return [got, await got.text()] as const;
  });
  const answer = parseAnswer(text, options.needs);
  if (response.status !== 200 || !answer?.success) throw refusalOf(api, options, response, answer);
  return answer;
}

/**
 * A stream of events, open until one side closes it.
 * @param signal ends the request and the stream
 * @throws Failure as {@link request} does
 */
export async function openStream(
  api: Api,
  path: string,
  more: Record<string, string>,
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { ...headersOf(api), ...more };
  // The time-out is for the answer only, not for the stream.
  const late = new AbortController();
  const end = () => late.abort(new DOMException("", "TimeoutError"));
  const cancelAlarm = durations.alarm(durations.nowMs() + REQUEST_TIMEOUT_MS, end);
  const until = signal ? AbortSignal.any([late.signal, signal]) : late.signal;
  const response = await explained(api, READS, () =>
    api.server.send(api.address + path, { headers, redirect: "manual", signal: until }),
  ).finally(cancelAlarm);
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (response.status === 200 && isStream && response.body) return response.body;
  throw refusalOf(api, READS, response, parseAnswer(await response.text()));
}

/** Sends a request. @throws Failure that says why there is no answer */
async function explained<T>(api: Api, options: SendOptions, exchange: () => Promise<T>): Promise<T> {
  try {
    return await exchange();
  } catch (error) {
    throw api.handler ? error : withoutAnswer(error as NodeJS.ErrnoException, api, options);
  }
}

/** The headers that say who asks, and which server is meant. */
const headersOf = ({ server, credentials }: Api): Record<string, string> => ({
  ...credentials,
  ...headersNaming(server),
});

/** The service refused the request. */
export class Refused extends Failure {
  constructor(
    /** That of HTTP. */
    readonly status: number,
    /** As momo's own answers have it; null from another service. */
    readonly kind: string | null,
    message: string,
    hints: Hints,
  ) {
    const code = status === 404 ? "not_found" : status === 401 || status === 403 ? "unauthorized" : "refused";
    // A guard that answers 403 does not want another token.
    super(code, message, (status === 403 ? null : hints[code]) ?? null);
  }
}

/** The reason of a refusal. If the answer does not have the form of ours, another program sent it. */
function refusalOf(api: Api, options: SendOptions, { status, headers }: Response, answer: Answer | null): Failure {
  const kind = headers.get(REFUSAL_HEADER);
  const { origin } = new URL(api.address);
  const isWrite = options.ifLost !== "nothing_changed";
  if (answer && status === 421) return new Failure("unreachable", `${origin}: ${answer.message}`, ANOTHER_SERVER);
  const ofPath = kind === "path" ? { not_found: api.hintOfAddress } : {};
  // A gateway says so of requests that the service may have carried out.
  if (answer && isWrite && [502, 503, 504].includes(status)) return new LostAnswer(answer.message, options);
  // The network took no prompt (§4.1), so nothing is stored.
  const isUnclear = isWrite && status === 500 && kind !== "provider";
  const ofFault = isUnclear ? { refused: howToCheck(options) } : {};
  if (answer)
    return new Refused(status, kind, answer.message, { ...api.hints, ...options.hints, ...ofPath, ...ofFault });
  const message = `${origin} answers (HTTP ${status}), but not like the payment service`;
  // A gateway answers with its own page when the service is down.
  if (status >= 500 || (isWrite && status === 200)) return new LostAnswer(message, options, `; ${CHECK_ADDRESS}`);
  return new Failure("unexpected", message, CHECK_ADDRESS);
}

const ANOTHER_SERVER = "start one on this directory with momo serve, or name the directory of the other with --data";

export const CHECK_ADDRESS = "check --base-url or MOMO_BASE_URL: it ends with the base path, such as /v2";

/** @param needs a text that a success must have */
function parseAnswer(text: string, needs?: string): Answer | null {
  const answer = readOrNull(() => JSON.parse(text) as Partial<Answer> | null);
  if (answer?.success === true && needs !== undefined && typeof answer[needs] !== "string") return null;
  return typeof answer?.success === "boolean" && typeof answer.message === "string" ? (answer as Answer) : null;
}

/** A request was sent, and no answer says whether the write was done. */
export class LostAnswer extends Failure {
  /** @param more added to the hint */
  constructor(what: string, options: SendOptions, more = "") {
    const code = options.ifLost === "nothing_changed" ? "unreachable" : "answer_lost";
    super(code, what, howToCheck(options) + more);
  }
}

function howToCheck({ ifLost }: SendOptions): string {
  if (ifLost === "nothing_changed") return "nothing was changed: try again";
  const check = typeof ifLost === "object" ? `check with ${ifLost.checkWith}` : "check";
  const next = ifLost === "repeat" ? "repeat it, which does no harm" : `${check} before you repeat it`;
  return `it may have been carried out: ${next}`;
}

/** Errors before a request is sent: of the name, the connection or the encryption. Other errors can come later. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EINVAL|\w*(?:CERT|TLS|SSL|VERIFY)\w*)$/;

function withoutAnswer(error: NodeJS.ErrnoException, { address, server }: Api, options: SendOptions): Failure {
  const { origin } = new URL(address);
  if (error.code === "EPROTO") {
    return new Failure("unreachable", `${origin} does not speak https`, `try ${origin.replace("https:", "http:")}`);
  }
  if (BEFORE_SENDING.test(String(error.code))) return nothingAnswersAt(origin, server);
  if (error.name !== "TimeoutError")
    return new LostAnswer(`${origin} closed the connection without an answer`, options);
  const limit = formatDuration(options.timeoutMs ?? REQUEST_TIMEOUT_MS);
  return new LostAnswer(`${origin} did not answer within ${limit}`, options, STOPPED);
}

/** Added to the hint if the server accepted the connection and did not answer. */
const STOPPED = "; the server may be stopped or busy: momo doctor says which";
