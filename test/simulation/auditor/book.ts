import type { WorldEvent } from "../events.ts";
import { demand, difference } from "./discrepancy.ts";
import { isReceipt } from "./nairobi.ts";
import type { Prediction } from "./prediction.ts";
import { rowOf } from "./views.ts";

/** What has become of a payment; null while it is pending. */
export interface End {
  readonly status: string;
  readonly code: number;
  readonly desc: string;
  /** When the customer paid; null where nobody did. */
  readonly paidAtMs: number | null;
  /** Null until it has been seen, where nobody but the service knows it. */
  readonly receipt: string | null;
}

/** An end that has been told to the service, and should be in force soon. */
interface Said {
  readonly end: End;
  /** The service may have been right not to take it. */
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
  /** Its transaction id, once it has been seen. */
  id: number | null;
  /** Whether an answer or a list has said that it is there. */
  isKnown: boolean;
  /** The network has been made to misbehave about it: when it ends, and how, only what was said tells. */
  isAltered: boolean;
  /** The network has been asked about it, and has not answered. */
  isAsked: boolean;
  /** The network wants not to be asked before. */
  notBeforeMs: number;
  said: Said[];
  /** Somebody has looked since the last rest, and it was pending. */
  isSeenPending: boolean;
  end: End | null;
  /** The service's own code, once it has been seen. */
  transactionCode: string | null;
}

/** The service's own words for a prompt whose time is over. */
const EXPIRED: End = { status: "expired", code: 1019, desc: "Transaction has expired.", paidAtMs: null, receipt: null };

/** How long after a failed commit something may still be overdue: it is tried again after a second, and again. */
const PATIENCE_MS = 5000;

/** All payments, and what may have become of each. */
export class Book {
  readonly payments = new Map<string, Payment>();
  /** Until then, what is due may be overdue. */
  #excusedUntilMs = Number.NEGATIVE_INFINITY;
  /** Since the last look a commit has failed or the process has died: what was said may have been lost. */
  #isDisturbed = false;
  readonly #unique = new Map<string, string>();
  /** Numbers are never given again, not even after a reset. */
  readonly #numbers = new Map<string, string>();

  /** Has a payment begin that may come to be. */
  add(facts: PaymentFacts): void {
    const { checkoutRequestId } = facts;
    this.#claim("checkout request id", checkoutRequestId, checkoutRequestId);
    this.#claim("merchant request id", facts.merchantRequestId, checkoutRequestId);
    this.payments.set(checkoutRequestId, {
      ...facts,
      ...{ id: null, isKnown: false, isAltered: false, transactionCode: null },
      ...{ isAsked: false, notBeforeMs: Number.NEGATIVE_INFINITY },
      ...{ said: [], isSeenPending: false, end: null },
    });
  }

  /** It never came to be, or is no more; what was its own can be another's. */
  remove(payment: Payment): void {
    this.payments.delete(payment.checkoutRequestId);
    for (const [key, owner] of this.#unique) if (owner === payment.checkoutRequestId) this.#unique.delete(key);
  }

  /** Identifiers of the service's own are not given again; the receipt numbers of a network may be. */
  forgetAll(): void {
    this.payments.clear();
    for (const key of this.#unique.keys()) if (key.startsWith("receipt number")) this.#unique.delete(key);
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

  /** What the network said of when to ask again may not have been written. */
  #forgetDelays(): void {
    for (const payment of this.payments.values()) payment.notBeforeMs = Number.NEGATIVE_INFINITY;
  }

  get isDisturbed(): boolean {
    return this.#isDisturbed;
  }

  /** The network has been asked about a prompt, or has answered. */
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
    // The deadline may have come first.
    if (late && atMs >= payment.deadlineMs) payment.said.push({ end: EXPIRED, doubtful, moment });
  }

  /** A person has answered a prompt, but nobody knows whether it came to that. */
  mayHaveBeenAnswered(payment: Payment, end: End): void {
    payment.said.push({ end, doubtful: true, moment: -1 });
    this.disturb();
  }

  /** The process is at rest: whatever can have only one state by now is in it. */
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

  /** Everything uncertain has been looked at. */
  looked(): void {
    this.#isDisturbed = false;
  }

  /** What a payment can be now, as far as anybody outside can tell; null stands for pending. */
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

  /** Whether somebody has to look. */
  isUncertain(payment: Payment, nowMs: number): boolean {
    const { isKnown, id, end, transactionCode } = payment;
    const lacksCode = end?.status === "completed" && transactionCode === null;
    return !isKnown || id === null || lacksCode || this.possibleEnds(payment, nowMs).length > 1;
  }

  /** Takes a transaction of the list as the truth about a payment, where it is one of those that can be. */
  learn(payment: Payment, row: unknown, form: "full" | "short", nowMs: number): void {
    const possible = this.possibleEnds(payment, nowMs);
    const differences = possible.map((end) => difference(row, rowOf(payment, end, form)));
    const which = differences.indexOf(null);
    const allowed = possible.map((end) => end?.status ?? "pending").join(" or ");
    demand(which >= 0, `of ${payment.checkoutRequestId}, which may be ${allowed}: ${differences.join("; ")}`);
    payment.end = possible[which] ?? null;
    payment.isSeenPending = payment.end === null;
    payment.said = [];
    this.see(payment, row as Record<string, unknown>);
  }

  /** Remembers what only the service could say, from an answer that is as expected in all else. */
  see(payment: Payment, row: Record<string, unknown>): void {
    payment.isKnown = true;
    const key = payment.checkoutRequestId;
    const id = row.id ?? row.transaction_id;
    if (typeof id === "number") {
      this.#claim("transaction id", id, key, this.#numbers);
      payment.id = id;
    }
    if (typeof row.transaction_code === "string") {
      this.#claim("transaction code", row.transaction_code, key, this.#numbers);
      payment.transactionCode = row.transaction_code;
    }
    if (typeof row.momo_receipt_number === "string") {
      // Another network may give its own again, once nobody remembers them.
      const isOurs = payment.end !== null && isReceipt(row.momo_receipt_number, payment.end.paidAtMs ?? 0);
      this.#claim("receipt number", row.momo_receipt_number, key, isOurs ? this.#numbers : this.#unique);
      if (payment.end) payment.end = { ...payment.end, receipt: row.momo_receipt_number };
    }
  }

  #claim(what: string, value: string | number, owner: string, owners = this.#unique): void {
    const key = `${what} ${value}`;
    const other = owners.get(key) ?? owner;
    demand(other === owner, `${owner} and ${other} have the same ${what}, ${value}`);
    owners.set(key, owner);
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
