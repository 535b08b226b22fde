import type { Payment } from "./payment.ts";

/** How many payments are judged one by one. */
export const MOST_PAYMENTS = 2000;

/** How many older payments wait for their client to learn how they ended. */
const MOST_WAITING = 20_000;

/** The newest payments, and older ones whose end the client has not learned. */
export class PaymentBook {
  /** The newest, by number, the oldest first. Numbers need not be without gaps. */
  readonly #newest = new Map<number, Payment>();
  readonly #waiting = new Map<number, Payment>();
  readonly #ids = new Map<string, Payment>();
  /** The numbers of the payments that were forgotten. */
  #forgottenFrom = Number.POSITIVE_INFINITY;
  #forgottenTo = 0;

  /** @param leaving called with a payment that is compared with no newer one any more; @param forgetting before it is forgotten */
  constructor(
    readonly leaving: (payment: Payment) => void,
    readonly forgetting: (payment: Payment) => void,
  ) {}

  add(payment: Payment): void {
    this.#newest.set(payment.number, payment);
    this.#ids.set(payment.checkoutRequestId, payment);
    if (this.#newest.size <= MOST_PAYMENTS) return;
    for (const oldest of this.#newest.values()) {
      this.#newest.delete(oldest.number);
      this.leaving(oldest);
      this.#waiting.set(oldest.number, oldest);
      this.settle(oldest);
      break;
    }
    if (this.#waiting.size <= MOST_WAITING) return;
    for (const oldest of this.#waiting.values()) {
      this.#forget(oldest);
      break;
    }
  }

  /** Forgets an older payment once nothing about it is open. */
  settle(payment: Payment): void {
    const isSettled = payment.push === null || (payment.end !== null && payment.learned !== null);
    if (isSettled && this.#waiting.has(payment.number)) this.#forget(payment);
  }

  #forget(payment: Payment): void {
    this.forgetting(payment);
    this.#waiting.delete(payment.number);
    this.#ids.delete(payment.checkoutRequestId);
    this.#forgottenFrom = Math.min(this.#forgottenFrom, payment.number);
    this.#forgottenTo = Math.max(this.#forgottenTo, payment.number);
  }

  /** Forgets all that have ended, also that others were forgotten before. */
  dropEnded(): void {
    for (const payment of this.all()) {
      if (payment.end === null) continue;
      this.#newest.delete(payment.number);
      this.#waiting.delete(payment.number);
      this.#ids.delete(payment.checkoutRequestId);
    }
    this.#forgottenFrom = Number.POSITIVE_INFINITY;
    this.#forgottenTo = 0;
  }

  byNumber(number: number): Payment | undefined {
    return this.#newest.get(number) ?? this.#waiting.get(number);
  }

  byCheckoutId(id: string): Payment | undefined {
    return this.#ids.get(id);
  }

  wasForgotten(number: number): boolean {
    return this.#forgottenFrom <= number && number <= this.#forgottenTo && this.byNumber(number) === undefined;
  }

  get newestCount(): number {
    return this.#newest.size;
  }

  /** The newest, the oldest first. */
  newest(): IterableIterator<Payment> {
    return this.#newest.values();
  }

  /** All, the oldest first. */
  *all(): Generator<Payment> {
    yield* this.#waiting.values();
    yield* this.#newest.values();
  }

  /** The checkout request ids of all. */
  ids(): IterableIterator<string> {
    return this.#ids.keys();
  }
}
