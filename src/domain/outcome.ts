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
  4: "Declined due to limit rule: would exceed daily transfer limit.",
  8: "Declined due to limit rule: would exceed the maximum balance.",
  17: "Rule limited.",
  26: "System busy. Traffic blocking condition in place.",
  1001: "Unable to lock subscriber, a transaction is already in process for the current subscriber.",
  1019: "Transaction has expired.",
  1025: "An error occurred while sending a push request.",
  1032: "Request cancelled by user.",
  1037: "DS timeout user cannot be reached.",
  2001: "The initiator information is invalid.",
  2028: "The request is not permitted according to product assignment.",
  8006: "The security credential is locked.",
  9999: "An error occurred while sending a push request.",
} as const;

export type ResultCode = keyof typeof RESULT_CODES;

/** The network's text for a result code; undefined for a code that the table does not have. */
export const textOfCode = (code: number): string | undefined => (RESULT_CODES as Record<number, string>)[code];
