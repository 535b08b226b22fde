import type { AmountCents } from "./money.ts";
import type { Msisdn } from "./phone.ts";

/** The origin of a transaction (§2.2). The merchant API makes only `api`. */
export const KINDS = ["api", "web", "wallet_deposit", "credit_topup"] as const;
export type Kind = (typeof KINDS)[number];

/** The states of §3. */
export const STATUSES = ["pending", "completed", "failed", "cancelled", "expired"] as const;
export type Status = (typeof STATUSES)[number];
export type FinalStatus = Exclude<Status, "pending">;

/** Longest texts of a payment, in characters. The network's prompt has room for 182. */
export const MAX_REFERENCE_LENGTH = 100;
export const MAX_DESCRIPTION_LENGTH = 182;

/** The ids of a transaction. They are made before the prompt is pushed. */
export interface TransactionIdentifiers {
  /** The service's number for it, which no other transaction of the database has or had. */
  readonly id: number;
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
}

/** The order for a payment (§4.1). */
export interface Order {
  readonly kind: Kind;
  readonly paymentAccountId: number;
  readonly phone: Msisdn;
  readonly amountCents: AmountCents;
  readonly reference: string | null;
  readonly description: string | null;
}

/** The facts that are known when a payment starts, and never change. */
export interface TransactionFacts extends TransactionIdentifiers, Order {
  readonly merchantId: number;
  readonly feeCents: number;
  readonly createdAtMs: number;
  /** The service's own deadline: a pending transaction expires then, whatever the network says. */
  readonly expiresAtMs: number;
}

/** The customer has not answered the prompt. */
export interface Pending {
  readonly status: "pending";
  /** When to check with the provider next; never after the deadline. */
  readonly checkAtMs: number;
  /** The provider's note on this prompt. Only the provider reads it. */
  readonly memo: string;
}

/** The provider confirmed the payment: only here are there a code and a receipt (§3). */
export interface Completed {
  readonly status: "completed";
  readonly transactionCode: string;
  readonly receiptNumber: string;
  readonly resultCode: 0;
  readonly resultDesc: string;
  readonly completedAtMs: number;
  /** The provider's note on the outcome. */
  readonly memo: string;
}

/** It ended without a payment. */
export interface Unpaid {
  readonly status: "failed" | "cancelled" | "expired";
  readonly resultCode: number;
  readonly resultDesc: string;
  readonly memo: string;
}

export type PendingTransaction = TransactionFacts & Pending;
export type FinalTransaction = TransactionFacts & (Completed | Unpaid);
export type CompletedTransaction = TransactionFacts & Completed;
export type Transaction = PendingTransaction | FinalTransaction;

/** The form of a checkout request id, as a part of a pattern. */
export const CHECKOUT_REQUEST_ID = "ws_CO_[0-9]{14}_[0-9A-Z]{20}";
