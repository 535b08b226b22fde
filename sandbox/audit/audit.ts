import type { Delivery } from "../../src/domain/delivery.ts";
import { createListeners, type Listeners } from "../../src/domain/listeners.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { AnsweredRequest, DelayedRequest } from "../request-log.ts";
import { isLook, type Moment, type Reading } from "./call.ts";
import { createFindingBook, type DatedMistake, type Finding, type Mistake } from "./finding.ts";
import { createHistory, type History, recordChange, recordClientEnd, recordDelivery } from "./history.ts";
import { auditInput } from "./inputs.ts";
import { auditList } from "./lists.ts";
import { missesPolls, type Occasion } from "./missing-polls.ts";
import { auditMethod, auditPath, isAutomatic } from "./paths.ts";
import { isStarted, type Payment, type Started } from "./payments.ts";
import { auditPoll } from "./polls.ts";
import { auditPush, chargesBeside } from "./pushes.ts";
import { nothingAccepted, refusedWithoutCause } from "./refusals.ts";
import { chargesAgain, isUnpaid } from "./repeated-pushes.ts";
import { createTally, type Tally } from "./tally.ts";

export type FindingListener = (finding: Finding) => void;

export interface AuditReport {
  readonly tally: Tally;
  /** The worst first, then the oldest. */
  readonly findings: readonly Finding[];
  /** How many findings were dropped for lack of room. */
  readonly omitted: number;
}

export interface AuditOptions {
  /** The base paths of the operations; the first is the default. */
  readonly basePaths: readonly string[];
  /** What each operation accepts, by its path: the members of its body, or the parameters of its query. */
  readonly inputs: () => ReadonlyMap<string, readonly string[]>;
  /** Whether a webhook is set. */
  readonly hasWebhook: () => boolean;
  /** Gets what a listener throws. */
  readonly reportFault: (error: unknown) => void;
}

/** A run that is over: its client sends no more requests. */
export interface RunEnd {
  /** When the client ended, if the sandbox's clock has moved on since. */
  readonly atMs?: number;
  /** The hosts whose requests should have come here. */
  readonly hosts?: readonly string[] | undefined;
}

/** How many missing polls of payments that a reset cut off are kept. */
const MOST_CUT_OFF = 100;

/** The operations by their path below the base path. */
const OPERATIONS = new Map([
  ["/stkpush.php", { method: "POST", audit: auditPush }],
  ["/status.php", { method: "POST", audit: auditPoll }],
  ["/transactions.php", { method: "GET", audit: auditList }],
]);

/**
 * Finds what a client does wrong while it talks to the sandbox. It reads no clock and sets no timer: each event is recorded in the
 * history, and a finding is a function of the history and of what came last.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #listeners: Listeners<[Finding]>;
  /** Announces each finding, also repeated ones, but not findings about missing requests. */
  readonly subscribe: Listeners<[Finding]>["subscribe"];
  #findings = createFindingBook();
  /** As they were announced: a report judges them again, because later events can change them. */
  #revisable = createFindingBook();
  #tally = createTally();
  #history = this.#newHistory([]);
  #chapterMs = Number.NEGATIVE_INFINITY;
  /** Whether the client has asked about any payment, or taken a webhook. */
  #hasFollowed = false;
  /** The missing polls for payments that a reset cut off. They count if the client follows no payment of the whole run. */
  #cutOff: DatedMistake[] = [];
  #last: Moment = { nowMs: 0, realMs: 0, ranMs: 0 };

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#listeners = createListeners(options.reportFault);
    this.subscribe = this.#listeners.subscribe;
  }

  /** A request to the merchant API that was just answered. */
  call(request: AnsweredRequest, at: Moment): void {
    this.#last = at;
    const reading = this.#read(request, at);
    if (reading.arrivedMs < this.#chapterMs) return;
    const operation = OPERATIONS.get(reading.operation);
    if (!operation && isAutomatic(request.method, reading.path, this.#options.basePaths)) return;
    const mistakes = this.#mistakesIn(reading, operation);
    if (isLook(reading)) return;
    this.#hasFollowed ||= operation !== undefined && operation.audit !== auditPush;
    const refusal = this.#tally.request(reading.call);
    if (refusal) mistakes.push(refusedWithoutCause(this.#history, reading, refusal, mistakes));
    for (const mistake of mistakes)
      if (mistake) this.#add({ requestIds: [request.id], atMs: request.atMs, ...mistake });
  }

  #read(request: AnsweredRequest, at: Moment): Reading {
    const { target, hidden, durationMs } = request;
    const { basePaths, inputs } = this.#options;
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const base = basePaths.find((candidate) => path.startsWith(candidate));
    const operation = base === undefined ? "" : path.slice(base.length);
    return {
      // An error after the work is a lost answer.
      call: hidden === null ? request : { ...request, said: hidden, status: null, fault: "disconnect" },
      at,
      arrivedMs: at.realMs - durationMs,
      path,
      query: mark < 0 ? "" : target.slice(mark + 1),
      base: base ?? basePaths[0] ?? "",
      operation,
      inputs: inputs().get(operation),
    };
  }

  #mistakesIn(reading: Reading, operation: ReturnType<(typeof OPERATIONS)["get"]>): (Mistake | null)[] {
    if (!operation) return auditPath(this.#history, reading);
    if (reading.call.method !== operation.method) return auditMethod(this.#history, reading, operation.method);
    const mistakes: (Mistake | null)[] = operation.audit(this.#history, reading);
    mistakes.push(...auditInput(reading));
    return mistakes;
  }

  /** A payment account that did not exist, and was opened for a push. */
  accountOpened(id: number, { nowMs }: Moment): void {
    const message = `Payment account ${id} did not exist, and was opened at its first use.`;
    this.#add({ kind: "account_opened", subject: String(id), requestIds: [], atMs: nowMs, message });
  }

  /** A transaction that has just started or ended. */
  changed(transaction: Transaction, at: Moment): void {
    this.#last = at;
    if (transaction.status === "completed" && this.#history.payments.wasDropped(transaction.id)) this.#tally.paidLate();
    const payment = recordChange(this.#history, transaction, at, this.#options.hasWebhook());
    if (payment && isStarted(payment) && isUnpaid(payment)) this.#judgeRepeatsOf(payment);
  }

  /** Who repeated a payment that ended unpaid was not charged twice. */
  #judgeRepeatsOf(unpaid: Started): void {
    for (const payment of this.#history.payments.lastOfPhone(unpaid)) {
      const mistake = payment.start.earlier.includes(unpaid) ? chargesAgain(payment) : null;
      if (mistake?.requestIds[0] === unpaid.start.requestId) this.#add(mistake);
    }
  }

  /** An attempt to deliver the webhook of a payment. */
  delivered(delivery: Delivery, at: Moment): void {
    this.#tally.delivery(delivery);
    recordDelivery(this.#history, delivery, at);
    this.#hasFollowed ||= this.#tally.takesWebhooks();
  }

  /**
   * All findings, also those about requests that a client should have sent by now.
   * @param now null while requests are delayed: then missing requests mean nothing
   * @param end null while the run goes on
   * @param delayed the requests that are delayed now: when the run is over, a push of them is one whose answer was lost
   */
  report(now: Moment | null, end: RunEnd | null = null, delayed: Iterable<DelayedRequest> = []): AuditReport {
    const watched = [...this.#history.payments.all()];
    const missing = this.#missingPolls(watched, now, end && "run");
    if (end && !this.#hasFollowed) missing.push(...this.#cutOff);
    const held = end ? [...delayed].flatMap((request) => chargesBeside(request, watched.filter(isStarted))) : [];
    const judged = [...repeatsOf(watched), ...held, ...missing];
    const tally = this.#tally.now(watched, missing);
    const nothing =
      now && end && nothingAccepted(tally, this.#tally.isAllOnRequest(), end.atMs ?? now.nowMs, end.hosts);
    const findings = this.#findings.list(nothing ? [...judged, nothing] : judged);
    return { tally, findings, omitted: this.#findings.omitted };
  }

  /** The client has ended, so it sends no more requests. */
  clientEnded(at: Moment): void {
    recordClientEnd(this.#history, at);
  }

  /**
   * A reset or a restore: removes the payments, and ignores requests that arrived before. Findings and counts stay.
   * A push that comes later repeats none of before, also no lost one: the service has forgotten it, and tests use references again.
   * @param isDelaying whether requests are delayed: then missing requests mean nothing
   */
  beginChapter(at: Moment, isDelaying: boolean): void {
    const { payments, forgotten } = this.#history;
    const watched = [...payments.all()];
    const now = isDelaying ? null : at;
    const found = new Set(this.#drop(watched, now, "chapter").map(({ payment }) => payment));
    recordClientEnd(this.#history, at);
    const others = watched.filter((payment) => !found.has(payment));
    this.#cutOff = [...this.#cutOff, ...this.#missingPolls(others, now, "run")].slice(0, MOST_CUT_OFF);
    this.#chapterMs = at.realMs;
    this.#tally.beginChapter();
    this.#history = this.#newHistory([...forgotten, ...watched.map(({ checkoutRequestId }) => checkoutRequestId)]);
  }

  /** Removes everything. */
  forget(at: Moment): void {
    this.beginChapter(at, true);
    this.#findings = createFindingBook();
    this.#revisable = createFindingBook();
    this.#tally = createTally();
    this.#hasFollowed = false;
    this.#cutOff = [];
  }

  #newHistory(forgotten: readonly string[]): History {
    return createHistory(forgotten, (payment) => this.#drop([payment], this.#last, null));
  }

  /** The polls that are missing now for payments, until a later event changes it. */
  #missingPolls(payments: readonly Payment[], now: Moment | null, ends: Occasion["ends"]): DatedMistake[] {
    if (now === null) return [];
    const occasion = { now, ends, hasWebhook: this.#options.hasWebhook(), takesWebhooks: this.#tally.takesWebhooks() };
    return payments.filter(isStarted).flatMap((payment) => missesPolls(this.#history, payment, occasion) ?? []);
  }

  /** Payments are forgotten: no later event changes what is wrong with them. */
  #drop(payments: readonly Payment[], now: Moment | null, ends: Occasion["ends"]): readonly Mistake[] {
    const missing = this.#missingPolls(payments, now, ends);
    this.#tally.drop(payments, missing);
    for (const mistake of [...repeatsOf(payments), ...missing]) {
      const finding = this.#findings.add(mistake);
      // A revisable one was announced when its push came.
      if (finding && !mistake.isRevisable) this.#listeners.announce(finding);
    }
    return missing;
  }

  #add(mistake: DatedMistake): void {
    const finding = (mistake.isRevisable ? this.#revisable : this.#findings).add(mistake);
    if (finding) this.#listeners.announce(finding);
  }
}

/** The payments that charge a customer again, as far as is known now. */
const repeatsOf = (payments: readonly Payment[]): DatedMistake[] =>
  payments.filter(isStarted).flatMap((payment) => chargesAgain(payment) ?? []);
