import type { Profile } from "../../src/http/profile.ts";
import type { Exchange, Service } from "./service.ts";

/** What was seen, and the answer that shows it. */
export interface Seen {
  readonly seen: string;
  readonly at: Exchange | null;
}

/** What a sentence needs besides reading: a payment, or also pushes that must be refused. */
export type Need = "payment" | "refused pushes";

interface Sentence {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  readonly needs?: Need;
}

/** A sentence that can fail. */
export interface Stated extends Sentence {
  /**
   * @returns why it does not hold; null if it holds, or the answer that shows so
   * @throws Skipped if there is nothing to check it with
   */
  check(service: Service, context: CheckContext): Promise<Seen | Exchange | null>;
}

/** A question that the specification leaves open. */
export interface Silent extends Sentence {
  /** What momo does. */
  readonly momo: string;
  look(service: Service, context: CheckContext): Promise<Seen & { readonly profile?: Profile }>;
}

export interface CheckContext {
  /** The payment that may be made; null without one. */
  readonly payment: PaymentOrder | null;
}

export interface PaymentOrder {
  readonly payment_account_id: number;
  readonly phone: string;
  readonly amount: number;
}
