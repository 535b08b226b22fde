/** The outcome of a prompt, with the network's code and text. */
export type Outcome = Paid | NotPaid;

/** The customer paid. */
export interface Paid {
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
export interface NotPaid {
  readonly status: "failed" | "cancelled" | "expired";
  readonly resultCode: number;
  readonly resultDesc: string;
  readonly atMs: number;
  readonly memo?: string;
}

/**
 * The network's result codes, with its exact texts. Clients and momo decide by the code, never by the text. A result with the
 * text of this table is stored as its code alone.
 */
export const RESULT_CODES = {
  0: "The service request is processed successfully.",
  1: "The balance is insufficient for the transaction.",
  3: "Declined due to limit rule: greater than the maximum transaction amount.",
  17: "Rule limited.",
  1019: "Transaction has expired.",
  1025: "An error occurred while sending a push request.",
  1032: "Request cancelled by user.",
  1037: "DS timeout user cannot be reached.",
  2001: "The initiator information is invalid.",
  8006: "The security credential is locked.",
} as const;

export type ResultCode = keyof typeof RESULT_CODES;
