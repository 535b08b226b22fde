import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import type { Draw } from "../support/random.ts";
import { compare, demand, Numbers } from "../support/reconcile.ts";

type Outcome = (typeof OUTCOMES)[number];

/** The outcomes that clients request: a prompt that the network refuses stores nothing. */
const ASKED_FOR: readonly Outcome[] = OUTCOMES.filter(({ ending }) => ending.by !== "refusal");

/** A transaction as the list shows it. */
export interface Item {
  readonly id: number;
  readonly amount: number;
  readonly status: string;
  readonly result_code: number | null;
  readonly checkout_request_id: string;
  readonly transaction_code: string | null;
  readonly momo_receipt_number: string | null;
  readonly completed_at: string | null;
}

/** What a client requested, and what the server answered. */
export interface Attempt {
  /** Unique, so that it identifies a payment that was never answered. */
  readonly amount: number;
  readonly outcome: Outcome;
  /** Null if no answer arrived: then it is stored once or not at all. */
  checkoutRequestId: string | null;
  /** The server answered that it failed: then it must not be stored. */
  refused: boolean;
  /** What the customer answered by hand, and whether the server confirmed it. */
  byHand: { status: string; isConfirmed: boolean } | null;
}

/** All answers to clients. After each crash they are compared with the server: no payment may be lost, doubled or changed. */
export class Ledger {
  readonly #attempts = new Map<number, Attempt>();
  /** As last seen. */
  readonly #seen = new Map<number, Item>();
  /** Those of payments that a reset removed stay used. */
  readonly #numbers = new Numbers();
  #forgottenAnswered = 0;
  #lastAmount = 0;

  begin(draw: Draw): Attempt {
    this.#lastAmount += 1;
    const outcome = ASKED_FOR[draw(ASKED_FOR.length)] as Outcome;
    const attempt = { amount: this.#lastAmount, outcome, checkoutRequestId: null, refused: false, byHand: null };
    this.#attempts.set(attempt.amount, attempt);
    return attempt;
  }

  get answered(): number {
    const known = [...this.#attempts.values()].filter(({ checkoutRequestId }) => checkoutRequestId !== null).length;
    return this.#forgottenAnswered + known;
  }

  /** How many requests were refused, or never answered. */
  get unanswered(): number {
    return this.#lastAmount - this.answered;
  }

  /** To be called with the last list before a reset: these payments are gone, and no later payment may have one of their numbers. */
  forget(items: readonly Item[]): void {
    this.#claim(items);
    this.#forgottenAnswered = this.answered;
    for (const known of [this.#attempts, this.#seen]) known.clear();
  }

  /** Compares the server's list with all earlier answers. @throws an error that names the difference */
  check(items: readonly Item[]): void {
    const attempts = [...this.#attempts.values()];
    const known = attempts.flatMap(({ amount, checkoutRequestId }) => {
      const id = checkoutRequestId ?? this.#seen.get(amount)?.checkout_request_id;
      return id === undefined ? [] : [[amount, id] as const];
    });
    const stored = items.map(({ amount, checkout_request_id }) => [amount, checkout_request_id] as const);
    for (const [what, amounts] of Object.entries(compare(new Map(known), stored))) {
      demand(amounts.length === 0, () => `${what}: ${amounts.map((amount) => this.#name(amount)).join(", ")}`);
    }
    this.#claim(items);
    for (const item of items) this.#checkItem(item, this.#attempts.get(item.amount));
  }

  /** The same when nothing is pending any more: each payment must have its expected end. */
  checkFinal(items: readonly Item[]): void {
    this.check(items);
    for (const item of items) {
      const attempt = this.#attempts.get(item.amount) as Attempt;
      const possible = endingsOf(attempt);
      demand(possible.includes(item.status), () => `${attempt.outcome.name} ended as ${JSON.stringify(item)}`);
      const paid = item.status === "completed";
      const complete = [item.transaction_code, item.momo_receipt_number, item.completed_at].every((it) => it !== null);
      demand(complete === paid && item.result_code !== null, () => `half an outcome: ${JSON.stringify(item)}`);
    }
  }

  #claim(items: readonly Item[]): void {
    for (const item of items) {
      for (const what of ["id", "checkout_request_id", "transaction_code", "momo_receipt_number"] as const) {
        const value = item[what];
        if (value !== null) this.#numbers.claim(what, value, item.amount);
      }
    }
  }

  #name(amount: number): string {
    return `payment ${amount} (${this.#attempts.get(amount)?.outcome.name})`;
  }

  #checkItem(item: Item, attempt: Attempt | undefined): void {
    demand(attempt !== undefined, () => `no client started ${JSON.stringify(item)}`);
    const { amount, refused, byHand } = attempt;
    const what = this.#name(amount);
    const before = this.#seen.get(amount);
    demand(!refused, () => `${what} was refused, and is there`);
    demand(!before || before.id === item.id, () => `${what} had id ${before?.id}, and has ${item.id}`);
    if (byHand?.isConfirmed)
      demand(item.status === byHand.status, () => `${what} was ${byHand.status}, and is ${item.status}`);
    const isFinal = before !== undefined && before.status !== "pending";
    demand(!isFinal || Bun.deepEquals(before, item), () => `${what} was final: ${JSON.stringify([before, item])}`);
    this.#seen.set(amount, item);
  }
}

/** The possible ends of a payment: an answer by hand that was not confirmed may have been lost with the server. */
function endingsOf({ outcome, byHand }: Attempt): string[] {
  if (outcome.ending.by === "network") return [outcome.ending.status];
  if (byHand) return byHand.isConfirmed ? [byHand.status] : [byHand.status, "expired"];
  return ["expired"];
}
