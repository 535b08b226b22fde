import { transactionView } from "../../sandbox/control/views.ts";
import type { AnsweredRequest } from "../../sandbox/request-log.ts";
import { atMost, type Clock } from "../../src/domain/clock.ts";
import { API_KEY_FORM, API_SECRET_FORM } from "../../src/domain/credentials.ts";
import { type Delivery, stateOf } from "../../src/domain/delivery.ts";
import { redact } from "../../src/domain/redact.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { jsonText } from "../../src/domain/visible.ts";
import { durations, systemClock } from "../../src/system.ts";
import type { LogFormat } from "./options.ts";
import { faultText, type Output, type Piece, styled, wrapped } from "./output.ts";
import { paymentLine } from "./payment-lines.ts";

export interface RequestOutput {
  readonly onRequest: (request: AnsweredRequest) => void;
  /** For a log without the accepted requests. A burst is a few lines and a count. */
  onRefused(request: AnsweredRequest): void;
  onTransaction(transaction: Transaction): void;
  readonly onDelivery: (delivery: Delivery) => void;
  readonly reportFault: (error: unknown) => void;
  /** Writes the rest. Resolves to whether it was read in time: a reader that does not read must not keep the process alive. */
  end(): Promise<boolean>;
}

/** How long `end` waits for the reader. */
const END_GRACE_MS = 300;

/** How many refused requests have a line of their own each second. The others are counted. */
const MAX_REFUSALS = 5;
const REFUSALS_MS = 1000;

/** Refusals before the operations: of a page of another site, and of `Expect`. The first has its own line. After that, only the counts 2, 4, 8 … are written. */
const BEFORE_OPERATIONS: ReadonlySet<number> = new Set([403, 417]);

export const isRefused = ({ status }: AnsweredRequest): boolean => (status ?? 0) >= 400;

/** How the log is written. */
export interface LogForm {
  readonly format: LogFormat;
  /** Makes a line of its pieces, with colours if the terminal shows them. */
  readonly line: (pieces: readonly Piece[]) => string;
}

/** The log of a server on stderr. */
export function createRequestOutput(out: Output, format: LogFormat): RequestOutput {
  const { stderr } = out;
  const width = stderr.width();
  const form = { format, line: (pieces: readonly Piece[]) => out.lineFor(stderr, pieces) };
  const { nowMs } = systemClock;
  let refusals = 0;
  let cancelAlarm = () => {};
  const counted = new Map<number | null, number>();
  const early = new Map<number | null, number>();
  const { write, end } = createLineWriter(
    systemClock,
    (text, done) => stderr.write(text, done),
    (lost) => messageLine(form, `${lost} lines are left out here: they were not read in time`, nowMs(), "error"),
  );
  const writeLine = (line: string) => write(format === "json" ? line : wrapped(line, width - 2).join("\n  "));
  const writeRequest = (request: AnsweredRequest) => writeLine(requestLine(form, request, nowMs()));
  const writeMessage = (message: string, level: "error" | "info") =>
    writeLine(messageLine(form, message, nowMs(), level));
  const tellCounted = () => {
    refusals = 0;
    if (counted.size === 0) return;
    const counts = [...counted].map(([status, count]) => `${count} with ${status ?? "no answer"}`);
    counted.clear();
    writeMessage(`more requests were refused in the same second: ${counts.join(", ")}`, "info");
  };
  /** Counts a refusal if one like it had its own line, and writes the counts 2, 4, 8 …; returns whether it did. */
  const countIfLikeEarlier = ({ status, fault }: AnsweredRequest): boolean => {
    if (fault !== null || !BEFORE_OPERATIONS.has(status ?? 0)) return false;
    const count = (early.get(status) ?? 0) + 1;
    early.set(status, count);
    const isPowerOfTwo = (count & (count - 1)) === 0;
    if (count > 1 && isPowerOfTwo) writeMessage(`${count} requests were refused with ${status} like the first`, "info");
    return count > 1;
  };
  return {
    onRequest: writeRequest,
    onRefused(request: AnsweredRequest): void {
      if (countIfLikeEarlier(request)) return;
      if (refusals === 0) cancelAlarm = systemClock.alarm(nowMs() + REFUSALS_MS, tellCounted);
      refusals += 1;
      if (refusals <= MAX_REFUSALS) writeRequest(request);
      else counted.set(request.status, (counted.get(request.status) ?? 0) + 1);
    },
    onTransaction(transaction: Transaction): void {
      const payment = transactionView(transaction);
      if (format === "json") write(logLine(form, nowMs(), payment, []));
      else writeLine(form.line(paymentLine(payment, nowMs())));
    },
    onDelivery: (delivery: Delivery) => writeLine(deliveryLine(form, delivery, nowMs())),
    reportFault: (error: unknown) => writeMessage(faultText(error), "error"),
    async end(): Promise<boolean> {
      cancelAlarm(); // it would keep the process alive
      tellCounted();
      const written = end().then(() => true);
      return (await atMost(durations, END_GRACE_MS, written)) === true;
    },
  };
}

/** A request of the merchant API as one line on stderr, for a person or for a collector of logs. It has no secret. */

/** A path can be 16 KiB long, which is too much for a line. */
const MAX_PATH_LENGTH = 200;

/** For a request that only the strict form refuses. */
const HINT = "--accept lenient would take this form";

/** @param atMs the host's time, not the sandbox's */
export function requestLine(form: LogForm, request: AnsweredRequest, atMs: number): string {
  const { method, status, isDelivered, durationMs, fault, isTakenLeniently } = request;
  const isLost = status !== null && !isDelivered;
  const path = redact(request.target.split("?", 1)[0] ?? "").slice(0, MAX_PATH_LENGTH);
  const outcome = outcomeOf(request);
  const leniencies = request.leniencies.map(({ member }) => member);
  const members = {
    method,
    path,
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    ...outcome,
    ...(status === 401 && { credentials: troubleWithKey(request) }),
    ...(isLost && { delivered: false }),
    ...(fault !== null && { fault }),
    ...(leniencies.length > 0 && { leniencies }),
    ...(isTakenLeniently && { hint: HINT }),
  };
  return logLine(form, atMs, members, [
    styled(
      status === null || isLost || status >= 500 ? "red" : status >= 400 ? "yellow" : "green",
      String(status ?? "---"),
    ),
    method.padEnd(4),
    path,
    styled("dim", `${durationMs.toFixed(1)} ms`),
    outcome.transaction_status,
    outcome.checkout_request_id,
    outcome.message,
    status === 401 && `(${troubleWithKey(request)})`,
    isLost && "(not delivered)",
    fault && `(fault: ${fault})`,
    leniencies.length > 0 && `(lenient: ${leniencies.join(", ")})`,
    isTakenLeniently && `(${HINT})`,
  ]);
}

/** What is wrong with the form of the credentials, without their values; the answer does not say it. */
function troubleWithKey({ headers }: AnsweredRequest): string {
  const found = CREDENTIALS.flatMap(([name, { pattern, words }]) => {
    const value = headers.get(name);
    const trouble =
      (value === null && "is missing") ||
      (value === "" && "is empty") ||
      (/^Bearer\b/i.test(value ?? "") && 'begins with "Bearer"') ||
      (/^["'].*["']$/.test(value ?? "") && "is in quotes") ||
      (/\s/.test(value ?? "") && "has white space in it") ||
      (!pattern.test(value ?? "") && `is not ${words}`);
    return trouble ? [`${name} ${trouble}`] : [];
  });
  return found.length > 0 ? found.join(", ") : "the form of both headers is right";
}

const CREDENTIALS = [
  ["X-API-Key", API_KEY_FORM],
  ["X-API-Secret", API_SECRET_FORM],
] as const;

/** What an answer says about the payment. A refusal gives the reason in its message. */
function outcomeOf({ said }: AnsweredRequest) {
  const { success, message, checkout_request_id, status } = said;
  return {
    ...(typeof checkout_request_id === "string" && { checkout_request_id }),
    ...(typeof status === "string" && { transaction_status: status }),
    ...(success === false && typeof message === "string" && { message: redact(message) }),
  };
}

/** A line for a program, or one for a person: the time of the day, and the words that are not empty. */
function logLine(
  { format, line }: LogForm,
  atMs: number,
  members: object,
  words: readonly (Piece | null | undefined | false)[],
  level: "error" | "info" = "info",
): string {
  if (format === "json") return jsonText({ time: new Date(atMs).toISOString(), level, ...members });
  const pieces = words.flatMap((word) => (word ? ["  ", word] : []));
  return line([formatTimestamp(atMs).slice(-"HH:MM:SS".length), ...pieces]);
}

/** An error that no caller waits for, in the same format, or a message about the log itself. */
export function messageLine(form: LogForm, message: string, atMs: number, level: "error" | "info"): string {
  if (form.format === "pretty" && level === "error") return form.line([`momo: ${message}`]);
  return logLine(form, atMs, { message }, [message], level);
}

/** An attempt to deliver a webhook, as one line on stderr. It does not show the address, which may have a secret. */
function deliveryLine(form: LogForm, delivery: Delivery, atMs: number): string {
  const { id, payment, attempts } = delivery;
  const state = stateOf(delivery);
  const last = attempts.at(-1);
  const members = {
    webhook: id,
    state,
    attempt: attempts.length,
    status: last?.status ?? null,
    ...(last && { duration_ms: last.durationMs }),
    checkout_request_id: payment.checkoutRequestId,
    ...(last?.problem && { message: last.problem }),
  };
  return logLine(form, atMs, members, [
    styled(state === "delivered" ? "green" : "yellow", String(last?.status ?? "---")),
    `webhook ${id}`,
    state === "waiting" ? "to be tried again" : state,
    last && styled("dim", `${last.durationMs} ms`),
    payment.checkoutRequestId,
    last?.problem,
  ]);
}

/** How long a line waits for others. A person does not notice. */
const GATHER_MS = 10;

/** How many lines are kept while the reader is too slow. Further lines are only counted. */
const MAX_WAITING_LINES = 10_000;

/** Writes text. It calls `done` when the text is written, or cannot be written. */
export type Sink = (text: string, done: () => void) => void;

/**
 * Writes several lines at once. At thousands of requests a second, one write per line would cost as much as the request.
 * @param tellLoss makes the line that says how many lines are lost
 */
export function createLineWriter(clock: Clock, sink: Sink, tellLoss: (lost: number) => string) {
  let waiting: string[] = [];
  let lost = 0;
  let isBusy = false;
  let ended: (() => void) | null = null;

  function flush(): void {
    if (isBusy || waiting.length === 0) return;
    if (lost > 0) waiting.push(tellLoss(lost));
    const text = `${waiting.join("\n")}\n`;
    waiting = [];
    lost = 0;
    isBusy = true;
    sink(text, () => {
      isBusy = false;
      if (waiting.length === 0) ended?.();
      else if (ended) flush();
      else gather();
    });
  }

  const gather = () => void clock.alarm(clock.nowMs() + GATHER_MS, flush);

  return {
    write(line: string): void {
      if (waiting.length >= MAX_WAITING_LINES) lost += 1;
      else if (waiting.push(line) === 1 && !isBusy) gather();
    },
    /** Writes the waiting lines at once. Resolves when the sink has written them. */
    end: () =>
      new Promise<void>((resolve) => {
        ended = resolve;
        flush();
        if (!isBusy) resolve();
      }),
  };
}
