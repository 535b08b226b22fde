import { keepLast } from "../../../src/domain/keep-last.ts";
import type { Payment } from "./payment.ts";

/** How many payments are judged one by one. */
export const MOST_PAYMENTS = 2000;

/** How many older payments wait for their client to learn how they ended: more than a shop has at once. */
const MOST_WAITING = 8000;

/** How many of them are forgotten at once: a Set searches its oldest entry behind all that were removed, which took 10 µs a payment. */
const FORGOTTEN_AT_ONCE = 1000;

/** The newest payments, and older ones whose end the client has not learned. */
export class PaymentBook {
  /** The oldest first. */
  #newest: Payment[] = [];
  readonly #waiting = new Set<Payment>();
  readonly #byNumber = new Map<number, Payment>();
  readonly #byId = new Map<string, Payment>();
  /** The numbers of the payments that were forgotten. */
  #forgottenFrom = Number.POSITIVE_INFINITY;
  #forgottenTo = 0;

  /** @param leaving called with a payment that is compared with no newer one any more; @param forgetting before it is forgotten */
  constructor(
    readonly leaving: (payment: Payment) => void,
    readonly forgetting: (payment: Payment) => void,
  ) {}

  add(payment: Payment): void {
    this.#byNumber.set(payment.number, payment);
    this.#byId.set(payment.checkoutRequestId, payment);
    const oldest = keepLast(this.#newest, payment, MOST_PAYMENTS);
    if (oldest === undefined) return;
    this.leaving(oldest);
    this.#waiting.add(oldest);
    this.settle(oldest);
    if (this.#waiting.size <= MOST_WAITING) return;
    for (const waiting of this.#waiting.values().take(FORGOTTEN_AT_ONCE)) this.#forget(waiting);
  }

  /** Forgets an older payment once nothing about it is open. */
  settle(payment: Payment): void {
    const isSettled = payment.push === null || (payment.end !== null && payment.learned !== null);
    if (isSettled && this.#waiting.has(payment)) this.#forget(payment);
  }

  #forget(payment: Payment): void {
    this.forgetting(payment);
    this.#waiting.delete(payment);
    this.#byNumber.delete(payment.number);
    this.#byId.delete(payment.checkoutRequestId);
    this.#forgottenFrom = Math.min(this.#forgottenFrom, payment.number);
    this.#forgottenTo = Math.max(this.#forgottenTo, payment.number);
  }

  /** Forgets all that have ended, also that others were forgotten before. */
  dropEnded(): void {
    for (const payment of this.all()) {
      if (payment.end === null) continue;
      this.#waiting.delete(payment);
      this.#byNumber.delete(payment.number);
      this.#byId.delete(payment.checkoutRequestId);
    }
    this.#newest = this.#newest.filter(({ end }) => end === null);
    this.#forgottenFrom = Number.POSITIVE_INFINITY;
    this.#forgottenTo = 0;
  }

  byNumber(number: number): Payment | undefined {
    return this.#byNumber.get(number);
  }

  byCheckoutId(id: string): Payment | undefined {
    return this.#byId.get(id);
  }

  wasForgotten(number: number): boolean {
    return this.#forgottenFrom <= number && number <= this.#forgottenTo && this.byNumber(number) === undefined;
  }

  get newestCount(): number {
    return this.#newest.length;
  }

  /** The newest, the oldest first. */
  newest(): readonly Payment[] {
    return this.#newest;
  }

  /** All, the oldest first. */
  *all(): Generator<Payment> {
    yield* this.#waiting;
    yield* this.#newest;
  }

  /** The checkout request ids of all. */
  ids(): IterableIterator<string> {
    return this.#byId.keys();
  }
}
