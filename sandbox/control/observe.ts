import { atMost, type Clock, pause } from "../../src/domain/clock.ts";
import { shown } from "../../src/domain/error.ts";
import type { LoadedLater } from "../../src/domain/once.ts";
import { CHECKOUT_REQUEST_ID } from "../../src/domain/transaction.ts";
import { fail, type Reply, respond } from "../../src/http/reply.ts";
import {
  type Api,
  type Exchange,
  type Handler,
  newExchange,
  readBytes,
  type Target,
  targetOf,
} from "../../src/http/request.ts";
import type { Service } from "../../src/service/service.ts";
import type { Struck } from "../faults/kind.ts";
import { kindOf } from "../faults/kinds.ts";
import type { FaultPlan } from "../faults/plan.ts";
import {
  type AnsweredRequest,
  type DelayedRequest,
  type Members,
  membersOf,
  OWN_HEADER,
  type RequestLog,
} from "../request-log.ts";
import type { Steering } from "../steering.ts";
import { isFromAnotherSite } from "./guard.ts";

interface Refusing {
  readonly log: RequestLog;
  readonly clock: Clock;
  /** The clock of delays. */
  readonly realClock: Clock;
  /** Milliseconds with fractions, from an arbitrary start. */
  readonly stopwatch: () => number;
}

/** @param sentPath the path as the client sent it, if the request has another one */
export type Refuse = (request: Request, own: Reply, sentPath?: string) => Promise<Response>;

export interface ObserveOptions extends Refusing {
  readonly faults: FaultPlan;
  /** Where a fault is counted. */
  readonly steering: Steering;
  /** The requests that a fault delays now. */
  readonly delayed: Set<DelayedRequest>;
  /** Returns the merchant of a request, or throws. */
  readonly authenticate: Service["authenticate"];
  /** The secret that momo's own requests have in {@link OWN_HEADER}. */
  readonly ownSecret: string;
  readonly stopping: AbortSignal;
}

/**
 * Adds faults and the log to the merchant API. Requests from pages of other sites are refused. Faults affect only requests with
 * valid credentials.
 */
export function observe(merchantApi: LoadedLater<Api>, options: ObserveOptions): Handler {
  const { faults, log, ownSecret, clock, realClock, stopwatch, stopping } = options;
  const refuse = refuseAndLog(options);

  async function strike(operation: string, { headers }: Request) {
    try {
      await options.authenticate(headers.get("X-API-Key"), headers.get("X-API-Secret"));
    } catch {
      return null;
    }
    const counted = { operation, atMs: realClock.nowMs(), headers };
    const strikeNow = () => faults.strike(counted);
    const struck = faults.isCounted(operation) ? await options.steering.count(strikeNow) : strikeNow();
    return struck && { ...struck, ...counted };
  }

  async function wait(durationMs: number): Promise<boolean> {
    await pause(realClock, durationMs, stopping);
    return !stopping.aborted;
  }

  return async (request, keepOpen) => {
    const foreign = refusalOfAnotherSite(request.headers);
    if (foreign) return refuse(request, foreign);
    const arrived = log.nextPlace();
    const startedMs = stopwatch();
    const loaded = merchantApi.now;
    const api = loaded ?? (await merchantApi.load());
    const atMs = clock.nowMs();
    const target = targetOf(request);
    const called = faults.isEmpty ? null : api.called(request);
    const struck = called && (await strike(called, request));
    const kind = struck && kindOf(struck.fault);
    const delayed = kind?.delays ? delayedRequest(request, target.path, atMs, arrived) : null;
    if (delayed) {
      keepOpen?.(request);
      options.delayed.add(delayed);
    }
    const exchange = newExchange(target);
    const answer = () => api.answer(request, exchange, keepOpen);
    let own = null as Reply | null;
    const carryOut = async () => {
      own = await answer();
      return own;
    };
    const result = kind && (await kind.strike(struck.fault, { ...struck, carryOut, fail, wait }));
    const { answered, isInjected, hidden } = result ? answerOf(own, result) : plain(await answer());
    if (delayed) options.delayed.delete(delayed);
    if (isProbe(request.headers, ownSecret)) return respond(answered);
    const body = exchange.body ?? (answered.status === 200 && !result ? null : await unread(request, realClock));
    const isTakenLeniently = answered.status === 400 && api.wouldTake(request, body);
    const reply = isTakenLeniently && isIntercepted(request) ? withHint(answered) : answered;
    const durationMs = stopwatch() - startedMs;
    add(log, request, target, reply, {
      atMs,
      arrived,
      durationMs,
      body,
      exchange,
      hidden,
      fault: struck?.fault.kind ?? null,
      isInjected,
      isLost: result?.isLost === true,
      isAtOnce: loaded !== null && struck === null && exchange.isAnsweredAtOnce,
      isTakenLeniently,
    });
    return result?.response ?? respond(reply);
  };
}

function delayedRequest(request: Request, path: string, atMs: number, arrived: number): DelayedRequest {
  const delayed: DelayedRequest = { atMs, arrived, path, headers: request.headers, members: null };
  const keep = (bytes: Uint8Array) => {
    delayed.members = membersOf(new TextDecoder().decode(bytes));
  };
  readBytes(request.clone() as Request).then(keep, () => {}); // a body that breaks off charges nobody
  return delayed;
}

/** Of momo's own requests, those of `momo doctor` have this header: they start no payment, and are not logged. */
export const PROBE_HEADER = "x-momo-probe";

const isProbe = (headers: Headers, ownSecret: string): boolean =>
  headers.has(PROBE_HEADER) && headers.get(OWN_HEADER) === ownSecret;

/** Only --intercept gets requests with https. Such a program stays as it is. */
const isIntercepted = ({ url }: Request): boolean => url.startsWith("https:");

const withHint = ({ status, said, refusal }: Reply): Reply => ({
  ...fail(status, `${said.message}; momo exec --accept lenient takes it, for a program that stays as it is`),
  ...(refusal && { refusal }),
});

/** The log and the audit show a refused request, so that nobody searches for what a browser hides. */
export function refuseAndLog({ log, clock, realClock, stopwatch }: Refusing): Refuse {
  return async (request: Request, own: Reply, sentPath = targetOf(request).path): Promise<Response> => {
    const arrived = log.nextPlace();
    const startedMs = stopwatch();
    const atMs = clock.nowMs();
    const reply = refusalOfAnotherSite(request.headers) ?? own;
    const body = await unread(request, realClock);
    add(log, request, { path: sentPath, query: targetOf(request).query }, reply, {
      atMs,
      arrived,
      durationMs: stopwatch() - startedMs,
      body,
    });
    return respond(reply);
  };
}

type Facts = Pick<AnsweredRequest, "atMs" | "arrived" | "durationMs" | "body"> &
  Partial<
    Pick<AnsweredRequest, "fault" | "isInjected" | "isTakenLeniently" | "hidden"> & {
      readonly isLost: boolean;
      /** Whether nothing was waited for, neither the code, nor a fault, nor the operation: its client cannot have gone meanwhile. */
      readonly isAtOnce: boolean;
      readonly exchange: Exchange;
    }
  >;

function add(log: RequestLog, request: Request, { path, query }: Target, reply: Reply, facts: Facts): void {
  const { atMs, arrived, durationMs, body, fault = null, isLost = false, isInjected = false, hidden = null } = facts;
  const { isTakenLeniently = false, isAtOnce = false } = facts;
  const exchange = facts.exchange ?? newExchange({ path, query });
  const { checkoutRequestId, leniencies, isAdmitted } = exchange;
  log.add({
    id: log.nextId(),
    atMs,
    durationMs,
    method: request.method,
    target: query === "" ? path : `${path}?${query}`,
    headers: request.headers,
    body,
    checkoutRequestId: checkoutRequestId ?? idIn(path, body),
    status: isLost ? null : reply.status,
    // The signal is made when it is asked for, which would cost a poll 1 of 6 µs.
    isDelivered: !isLost && (isAtOnce || !request.signal.aborted),
    answer: reply.text,
    fault,
    isInjected,
    leniencies,
    isTakenLeniently,
    members: membersIn(exchange, body),
    said: reply.said,
    hidden,
    arrived,
    isAdmitted,
    refusal: reply.refusal ?? null,
  });
}

/** The operation has parsed most bodies already: parsing again would add 5 % to a poll. */
const membersIn = ({ members }: Exchange, body: string | null): Members | null =>
  members === null ? membersOf(body) : (members as Members);

function refusalOfAnotherSite(headers: Headers): Reply | null {
  if (!isFromAnotherSite(headers)) return null;
  const origin = headers.get("Origin");
  const named = origin === null ? `Sec-Fetch-Site ${shown(headers.get("Sec-Fetch-Site"))}` : `Origin ${shown(origin)}`;
  return fail(
    403,
    `this request comes from a page of another site (${named}): call the API from your server, because a page would show the secret to its visitors. A server that passes on the headers of a browser must leave out Origin and Sec-Fetch-Site`,
  );
}

/** The payment that a poll asks about, if its operation did not read it. */
function idIn(path: string, body: string | null): string | null {
  if (body === null || !path.endsWith("/status.php")) return null;
  return new RegExp(CHECKOUT_REQUEST_ID).exec(body)?.[0] ?? null;
}

/** What the client gets. */
interface Answer {
  readonly answered: Reply;
  /** Whether it is not the answer of the operation. */
  readonly isInjected: boolean;
  /** The members of the operation's own answer, if the client gets another one. */
  readonly hidden: Members | null;
}

const plain = (answered: Reply): Answer => ({ answered, isInjected: false, hidden: null });

/** @param own the operation's answer; null if it was not carried out */
function answerOf(own: Reply | null, { status, text, headers, tellsAll }: Struck): Answer {
  const answered = { status, text, headers, said: membersOf(text) ?? {} };
  if (own === null) return { answered, isInjected: true, hidden: null };
  if (tellsAll || (own.status === status && own.text === text)) return plain({ ...own, ...answered });
  return { answered, isInjected: true, hidden: own.said };
}

/** How long a refusal waits for an unread body. A body that was sent with the head is there at once. */
const UNREAD_GRACE_MS = 5;

/** The body of a request that was refused before it was read: the log shows what the client really sent. */
async function unread(request: Request, realClock: Clock): Promise<string | null> {
  if (request.bodyUsed || request.body === null) return null;
  const bytes = await atMost(
    realClock,
    UNREAD_GRACE_MS,
    readBytes(request).catch(() => null),
  );
  return bytes && new TextDecoder().decode(bytes);
}
