/** What became of a prompt, in the words of the network. */
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
  /** The provider's own note on how it ended, in place of the one that it gave at the start. */
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
