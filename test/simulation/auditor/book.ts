import { Numbers } from "../../support/reconcile.ts";
import type { WorldEvent } from "../events.ts";
import type { Prediction } from "./prediction.ts";
import { demand, difference, isReceipt, rowOf } from "./views.ts";

/** How a payment ended. */
export interface End {
  readonly status: string;
  readonly code: number;
  readonly desc: string;
  /** When the customer paid; null if unpaid. */
  readonly paidAtMs: number | null;
  /** Null until an answer shows it: the service makes some receipts itself. */
  readonly receipt: string | null;
}

/** An end that the network reported, and that the service should store soon. */
interface Said {
  readonly end: End;
  /** The service may be right to ignore it. */
  readonly doubtful: boolean;
  readonly moment: number;
}

/** What is known of a payment when it starts. */
export interface PaymentFacts {
  readonly merchantId: number;
  readonly kind: string;
  readonly amountCents: number;
  readonly feeCents: number;
  readonly phone: string;
  readonly reference: string | null;
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly createdAtMs: number;
  readonly deadlineMs: number;
  readonly prediction: Prediction;
}

export interface Payment extends PaymentFacts {
  /** Its transaction id, once an answer has shown it. */
  id: number | null;
  /** Whether an answer has shown that it is stored. */
  isKnown: boolean;
  /** The simulation has changed what the network reports: only the reports tell how and when it ends. */
  isAltered: boolean;
  /** A check of the payment is in flight. */
  isAsked: boolean;
  /** The network must not be checked before. */
  notBeforeMs: number;
  said: Said[];
  /** The list has shown it as pending since the process was last idle. */
  isSeenPending: boolean;
  end: End | null;
  /** The service's own code, once an answer has shown it. */
  transactionCode: string | null;
}

/** How a prompt ends at its deadline. */
const EXPIRED: End = { status: "expired", code: 1019, desc: "Transaction has expired.", paidAtMs: null, receipt: null };

/** How long after a failed commit a payment may be overdue: the service tries again every second. */
const PATIENCE_MS = 5000;

/** All payments, and how each may have ended. */
export class Book {
  readonly payments = new Map<string, Payment>();
  /** Until then, payments may be overdue. */
  #excusedUntilMs = Number.NEGATIVE_INFINITY;
  /** A commit has failed, or the process has died, since the list was last read: reports may have been lost. */
  #isDisturbed = false;
  /** Of requests, which are free again if nothing was stored, and receipts of a network. */
  readonly #unique = new Numbers();
  /** Numbers are never used again, not even after a reset. */
  readonly #numbers = new Numbers();

  /** Adds a payment that may be stored. */
  add(facts: PaymentFacts): void {
    const { checkoutRequestId } = facts;
    this.#unique.claim("checkout request id", checkoutRequestId, checkoutRequestId);
    this.#unique.claim("merchant request id", facts.merchantRequestId, checkoutRequestId);
    this.payments.set(checkoutRequestId, {
      ...facts,
      ...{ id: null, isKnown: false, isAltered: false, transactionCode: null },
      ...{ isAsked: false, notBeforeMs: Number.NEGATIVE_INFINITY },
      ...{ said: [], isSeenPending: false, end: null },
    });
  }

  /** It was not stored; its identifiers are free again. */
  remove(payment: Payment): void {
    this.payments.delete(payment.checkoutRequestId);
    this.#unique.free((owner) => owner === payment.checkoutRequestId);
  }

  /** After a reset a network may use its receipt numbers again, but not the service its identifiers. */
  forgetAll(): void {
    this.payments.clear();
    this.#unique.free((_owner, number) => number.startsWith("receipt number"));
    this.#excusedUntilMs = Number.NEGATIVE_INFINITY;
  }

  disturb(): void {
    this.#isDisturbed = true;
    this.#forgetDelays();
  }

  processEnded(): void {
    for (const payment of this.payments.values()) payment.isAsked = false;
    this.#forgetDelays();
  }

  /** The times of the next checks may not have been stored. */
  #forgetDelays(): void {
    for (const payment of this.payments.values()) payment.notBeforeMs = Number.NEGATIVE_INFINITY;
  }

  get isDisturbed(): boolean {
    return this.#isDisturbed;
  }

  /** The service has checked a prompt, or the network has answered. */
  onEvent(event: Extract<WorldEvent, { kind: "asked" | "heard" | "said" }>): void {
    const payment = this.payments.get(event.checkoutRequestId);
    if (!payment) return; // forgotten by a reset
    if (event.kind === "heard") {
      payment.isAsked = false;
      payment.notBeforeMs = event.notBeforeMs ?? Number.NEGATIVE_INFINITY;
      return;
    }
    if (event.altered) payment.isAltered = true;
    if (event.kind === "asked") {
      const { checkoutRequestId, end, isAsked, notBeforeMs } = payment;
      demand(end === null, `the network was asked about ${checkoutRequestId}, which is final`);
      demand(!isAsked, `the network was asked about ${checkoutRequestId} again before it had answered`);
      demand(event.atMs >= notBeforeMs, `the network was asked about ${checkoutRequestId} sooner than it wanted`);
      payment.isAsked = true;
      return;
    }
    const { outcome, altered, late, doubtful, atMs, moment } = event;
    if (!altered) this.#compareWithPrediction(payment, outcome);
    const isTooLate = outcome.atMs >= payment.deadlineMs;
    const end: End = isTooLate
      ? EXPIRED
      : {
          status: outcome.status,
          code: outcome.resultCode,
          desc: outcome.resultDesc,
          paidAtMs: outcome.status === "completed" ? outcome.atMs : null,
          receipt: outcome.receiptNumber,
        };
    payment.said.push({ end, doubtful, moment });
    // Perhaps the deadline passed first.
    if (late && atMs >= payment.deadlineMs) payment.said.push({ end: EXPIRED, doubtful, moment });
  }

  /** A person has answered the prompt, and the process may have died before it stored that. */
  mayHaveBeenAnswered(payment: Payment, end: End): void {
    payment.said.push({ end, doubtful: true, moment: -1 });
    this.disturb();
  }

  /** The process is idle: a payment that can have only one state must be in it. */
  rest(nowMs: number): void {
    if (this.#isDisturbed) this.#excusedUntilMs = nowMs + PATIENCE_MS;
    for (const payment of this.payments.values()) {
      payment.isSeenPending = false;
      const possible = this.possibleEnds(payment, nowMs);
      const [only] = possible;
      if (possible.length > 1 || only === undefined || only === null) continue;
      payment.end = only;
      payment.said = [];
    }
  }

  /** Everything uncertain has been read. */
  allRead(): void {
    this.#isDisturbed = false;
  }

  /** The states that a payment can have now; null stands for pending. */
  possibleEnds(payment: Payment, nowMs: number): (End | null)[] {
    if (payment.end || payment.isSeenPending) return [payment.end];
    const isOver = nowMs >= payment.deadlineMs;
    const isExcused = this.#isDisturbed || nowMs < this.#excusedUntilMs;
    const [first] = payment.said;
    if (!first) {
      const { prediction, isAltered } = payment;
      const isDue = typeof prediction === "object" && prediction.atMs <= nowMs && prediction.atMs < payment.deadlineMs;
      if (isDue && !isAltered && !isExcused && payment.isKnown) {
        demand(false, `${payment.checkoutRequestId} is due, and the network was not asked what became of it`);
      }
      if (!isOver) return [null];
      return isExcused ? [EXPIRED, null] : [EXPIRED];
    }
    const unsure = this.#isDisturbed || first.doubtful;
    const heard = payment.said.filter(({ moment }) => unsure || moment === first.moment).map(({ end }) => end);
    const rest = unsure ? [...(isOver ? [EXPIRED] : []), ...(isOver && !isExcused ? [] : [null])] : [];
    const all = [...heard, ...rest];
    return all.filter((end, index) => all.findIndex((other) => difference(other, end) === null) === index);
  }

  /** Whether the list must be read. */
  isUncertain(payment: Payment, nowMs: number): boolean {
    const { isKnown, id, end, transactionCode } = payment;
    const lacksCode = end?.status === "completed" && transactionCode === null;
    return !isKnown || id === null || lacksCode || this.possibleEnds(payment, nowMs).length > 1;
  }

  /** Takes a transaction of the list as the state of a payment. @throws Discrepancy if that state is impossible */
  learn(payment: Payment, row: unknown, nowMs: number): void {
    const possible = this.possibleEnds(payment, nowMs);
    const differences = possible.map((end) => difference(row, rowOf(payment, end)));
    const which = differences.indexOf(null);
    const allowed = possible.map((end) => end?.status ?? "pending").join(" or ");
    demand(which >= 0, `of ${payment.checkoutRequestId}, which may be ${allowed}: ${differences.join("; ")}`);
    payment.end = possible[which] ?? null;
    payment.isSeenPending = payment.end === null;
    payment.said = [];
    this.see(payment, row as Record<string, unknown>);
  }

  /** Remembers the members of a correct answer that only the service knows. */
  see(payment: Payment, row: Record<string, unknown>): void {
    payment.isKnown = true;
    const key = payment.checkoutRequestId;
    const id = row.id ?? row.transaction_id;
    if (typeof id === "number") {
      this.#numbers.claim("transaction id", id, key);
      payment.id = id;
    }
    if (typeof row.transaction_code === "string") {
      this.#numbers.claim("transaction code", row.transaction_code, key);
      payment.transactionCode = row.transaction_code;
    }
    if (typeof row.momo_receipt_number === "string") {
      // An altered network may repeat its receipts after a reset.
      const isOurs = payment.end !== null && isReceipt(row.momo_receipt_number, payment.end.paidAtMs ?? 0);
      (isOurs ? this.#numbers : this.#unique).claim("receipt number", row.momo_receipt_number, key);
      if (payment.end) payment.end = { ...payment.end, receipt: row.momo_receipt_number };
    }
  }

  #compareWithPrediction(
    { checkoutRequestId, prediction }: Payment,
    outcome: Extract<WorldEvent, { kind: "said" }>["outcome"],
  ): void {
    const expected =
      typeof prediction === "object" ? prediction : { status: "nothing", code: "", desc: "", atMs: "ever" };
    const { status, resultCode: code, resultDesc: desc, atMs, receiptNumber } = outcome;
    const wrong = difference({ status, code, desc, atMs }, expected, `what the network says of ${checkoutRequestId}`);
    demand(wrong === null, String(wrong));
    const isSound = status === "completed" ? isReceipt(receiptNumber, atMs) : receiptNumber === null;
    demand(isSound, `the receipt number of ${checkoutRequestId} is ${receiptNumber}`);
  }
}
