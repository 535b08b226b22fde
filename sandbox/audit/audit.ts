import type { Delivery } from "../../src/domain/delivery.ts";
import { createListeners } from "../../src/domain/listeners.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { AnsweredRequest } from "../request-log.ts";
import { cameMs, isRefused, type Moment } from "./call.ts";
import { createFindingBook, type Finding, type Mistake } from "./finding.ts";
import { auditInput } from "./inputs.ts";
import { FINDING_KINDS, LENIENT_ADVICE } from "./kinds.ts";
import { auditList } from "./lists.ts";
import { isUndisturbed, missingPollsOf, nothingAccepted } from "./missing-polls.ts";
import { auditMethod, auditPath, isAutomatic } from "./paths.ts";
import { createPaymentBook, newPayment, type Payment } from "./payments.ts";
import { auditPoll } from "./polls.ts";
import { auditPush } from "./pushes.ts";
import type { AuditState, Inputs, Reading } from "./rules.ts";
import { createTally, isNotFollowed, type Tally } from "./tally.ts";
import { reviseTwins } from "./twice.ts";

export type FindingListener = (finding: Finding) => void;

export interface AuditReport {
  readonly tally: Tally;
  /** The worst first, then the oldest. */
  readonly findings: readonly Finding[];
  /** How many findings were dropped for lack of room. */
  readonly leftOut: number;
}

export interface AuditOptions {
  /** The base paths of the operations; the first is the default. */
  readonly basePaths: readonly string[];
  readonly inputs: () => Inputs;
  /** Whether a webhook is set. */
  readonly hasWebhook: () => boolean;
}

/** A run that is over: then a report also says whether any request was accepted. */
export interface RunEnd {
  /** When the client ended, if the sandbox's clock has moved on since. */
  readonly atMs?: number;
  /** The hosts whose requests should have come here. */
  readonly hosts?: readonly string[] | undefined;
}

/** The operations by their path below the base path. */
const OPERATIONS = new Map([
  ["/stkpush.php", { method: "POST", audit: auditPush }],
  ["/status.php", { method: "POST", audit: auditPoll }],
  ["/transactions.php", { method: "GET", audit: auditList }],
]);

/** Finds what a client does wrong while it talks to the sandbox. It reads no clock and sets no timer. */
export class Audit {
  readonly #basePaths: readonly string[];
  readonly #findings = createListeners<[Finding]>();
  readonly #book = createFindingBook();
  readonly #tally = createTally();
  readonly #state: AuditState;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #last: Moment = { nowMs: 0, realMs: 0, ranMs: 0 };

  constructor({ basePaths, inputs, hasWebhook }: AuditOptions) {
    this.#basePaths = basePaths;
    const totals = this.#tally.payments;
    const payments = createPaymentBook((payment) => this.#drop(payment, this.#last, false));
    this.#state = {
      payments,
      inputs,
      lastRefusal: null,
      looks: [],
      attempts: [],
      hasWebhook,
      withdraw: (kind, subject) => this.#book.remove(kind, subject),
      add: (mistake) => this.#add(mistake),
      started({ end }) {
        totals.started += 1;
        if (end?.status === "completed") totals.paid += 1;
      },
    };
  }

  /** A request to the merchant API that was just answered. */
  call(request: AnsweredRequest, at: Moment): void {
    const { hidden } = request;
    // An error after the work is a lost answer.
    const call: AnsweredRequest =
      hidden === null ? request : { ...request, said: hidden, status: null, fault: "disconnect" };
    this.#last = at;
    if (cameMs(call, at) < this.#sinceMs) return;
    const mark = call.target.indexOf("?");
    const path = mark < 0 ? call.target : call.target.slice(0, mark);
    const query = mark < 0 ? "" : call.target.slice(mark + 1);
    const base = this.#basePaths.find((candidate) => path.startsWith(candidate));
    const name = base === undefined ? "" : path.slice(base.length);
    const operation = OPERATIONS.get(name);
    if (!operation && isAutomatic(call.method, path, this.#basePaths)) return;
    const refusal = this.#tally.request(call);
    const reading: Reading = { call, at, query, base: base ?? this.#basePaths[0] ?? "" };
    let isExplained = false;
    if (!operation) isExplained = auditPath(this.#state, reading, path);
    else if (call.method !== operation.method) {
      isExplained = auditMethod(this.#state, reading, name, operation.method);
    } else {
      const hasCause = operation.audit(this.#state, reading);
      isExplained = auditInput(this.#state, name, reading) || hasCause;
    }
    if (!refusal || isExplained || !isRefused(call)) return;
    const { status, message } = refusal;
    this.#add({
      kind: "refused",
      subject: `${status} ${message}`,
      requestIds: [call.id],
      atMs: call.atMs,
      message: `Refused with HTTP ${status}: “${message}”.`,
      ...(call.isTakenLeniently && { advice: FINDING_KINDS.refused.advice + LENIENT_ADVICE }),
    });
  }

  /** A payment account that did not exist, and was opened for a push. */
  accountOpened(id: number, { nowMs }: Moment): void {
    const message = `Payment account ${id} did not exist, and was opened at its first use.`;
    this.#add({ kind: "account_opened", subject: String(id), requestIds: [], atMs: nowMs, message });
  }

  /** A transaction that has just started or ended. */
  changed(transaction: Transaction, at: Moment): void {
    this.#last = at;
    const { payments } = this.#state;
    const payment = payments.byNumber(transaction.id);
    if (transaction.status !== "pending") {
      if (payment) {
        payment.end = { status: transaction.status, at };
        reviseTwins(this.#state, payment);
      }
      const isCounted = payment ? payment.start !== null : payments.wasDropped(transaction.id);
      if (isCounted && transaction.status === "completed") this.#tally.payments.paid += 1;
    } else if (!payment) {
      payments.add(newPayment(transaction, at));
    }
  }

  /** An attempt to deliver the webhook of a payment. */
  delivered(delivery: Delivery, at: Moment): void {
    this.#tally.delivery(delivery);
    const payment = this.#state.payments.byNumber(delivery.payment.id);
    const attempt = delivery.attempts.at(-1);
    if (!payment || !attempt) return;
    const { status, problem } = attempt;
    payment.webhook = {
      takenMs: payment.webhook?.takenMs ?? (problem === null ? at.realMs : null),
      attempts: (payment.webhook?.attempts ?? 0) + 1,
      last: [status && `HTTP ${status}`, problem].filter(Boolean).join(", "),
    };
  }

  /**
   * All findings, also those about requests that a client should have sent by now.
   * @param now null while requests are delayed: then missing requests mean nothing
   * @param end null while the run goes on
   */
  report(now: Moment | null, end: RunEnd | null = null): AuditReport {
    const watched = [...this.#state.payments.all()];
    const tally = this.#tally.now(watched);
    const missing: Mistake[] =
      now === null ? [] : watched.flatMap((payment) => missingPollsOf(payment, now, this.#state, end !== null) ?? []);
    if (now && end) missing.push(...nothingAccepted(tally, this.#tally.isAllFaults, end.atMs ?? now.nowMs, end.hosts));
    return { tally, findings: this.#book.list(missing), leftOut: this.#book.leftOut };
  }

  /** The client has ended, so it sends no more requests. */
  clientEnded(at: Moment): void {
    for (const payment of this.#state.payments.all()) {
      payment.isAbandoned = isUndisturbed(payment, at);
      payment.isUnjudged = payment.end === null;
    }
  }

  /**
   * A reset or a restore: removes the payments, and ignores requests that arrived before. Findings and counts stay.
   * @param isDelaying whether requests are delayed: then missing requests mean nothing
   */
  beginChapter(at: Moment, isDelaying: boolean): void {
    const { payments, attempts, looks } = this.#state;
    for (const payment of payments.all()) this.#drop(payment, isDelaying ? null : at, true);
    this.#sinceMs = at.realMs;
    this.#tally.beginChapter();
    payments.clear();
    attempts.length = looks.length = 0;
    this.#state.lastRefusal = null;
  }

  /** Removes everything. */
  forget(at: Moment): void {
    this.beginChapter(at, true);
    this.#book.clear();
    this.#tally.clear();
  }

  /** Keeps what is missing for a payment that is forgotten: no later request can correct it. */
  #drop(payment: Payment, now: Moment | null, isOver: boolean): void {
    if (payment.repeats) this.#book.settle("charges_twice", payment.repeats.subject);
    if (isNotFollowed(payment)) this.#tally.payments.not_followed += 1;
    const missing = now && missingPollsOf(payment, now, this.#state, isOver);
    if (missing) this.#add(missing);
  }

  /** Announces each finding, also repeated ones, but not findings about missing requests. */
  readonly subscribe = this.#findings.subscribe;

  #add(mistake: Mistake): void {
    const finding = this.#book.add(mistake);
    if (finding) this.#findings.announce(finding);
  }
}
