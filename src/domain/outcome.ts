/** The outcome of a prompt, with the network's code and text. */
export type Outcome = Payment | Nonpayment;

/** The customer paid. */
export interface Payment {
  readonly status: "completed";
  readonly resultCode: 0;
  readonly resultDesc: string;
  /** The provider's number for the payment, unique. */
  readonly receiptNumber: string;
  /** When it happened at the provider. */
  readonly atMs: number;
  /** The provider's note on the outcome. It replaces the memo of the push. */
  readonly memo?: string;
}

/** The customer did not pay. */
export interface Nonpayment {
  readonly status: "failed" | "cancelled" | "expired";
  readonly resultCode: number;
  readonly resultDesc: string;
  readonly atMs: number;
  readonly memo?: string;
}
