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

/** What is known of a result code. */
export interface Result {
  /** The network's exact text. */
  readonly text: string;
  /** In a few words, for docs/llms.txt. */
  readonly short: string;
  /** In plain words. */
  readonly meaning: string;
  /** What a client should do. */
  readonly advice: string;
  /** What the customer reads on the phone, if that is not the text. */
  readonly note?: string;
}

/**
 * The network's result codes. Clients and momo decide by the code, never by the text. A result with the text of this table is
 * stored as its code alone.
 */
export const RESULT_CODES = {
  0: {
    text: "The service request is processed successfully.",
    short: "paid",
    meaning: "The customer has paid.",
    advice: "Deliver, once: keep the receipt number, so that no payment is booked twice.",
  },
  1: {
    text: "The balance is insufficient for the transaction.",
    short: "balance too low",
    meaning: "The customer's balance is too low for the amount and its charges.",
    advice: "Say so, and offer to try again later or with another phone. Do not repeat it by yourself.",
    note: "There is not enough money in your account.",
  },
  3: {
    text: "Declined due to limit rule: greater than the maximum transaction amount.",
    short: "above the limit of one transaction",
    meaning: "The amount is above what the network carries in one transaction.",
    advice: "Do not repeat it: offer another way to pay, or smaller amounts.",
    note: "This is more than one payment may carry.",
  },
  4: {
    text: "Declined due to limit rule: would exceed daily transfer limit.",
    short: "above the limit of a day",
    meaning: "The customer would exceed what they may send in a day.",
    advice: "Do not repeat it today: offer another way to pay.",
  },
  8: {
    text: "Declined due to limit rule: would exceed the maximum balance.",
    short: "receiver's balance too high",
    meaning: "The receiving account would hold more than it may.",
    advice: "Do not repeat it: the receiver must first move money out of the account.",
  },
  17: {
    text: "Rule limited.",
    short: "same payment too soon",
    meaning: "A rule of the network stopped it, most often the same amount to the same business again too soon.",
    advice: "Check whether the first payment succeeded; if not, wait some minutes before another prompt.",
    note: "You have just made the same payment. Wait a little.",
  },
  26: {
    text: "System busy. Traffic blocking condition in place.",
    short: "network busy",
    meaning: "The network is too busy to take the payment.",
    advice: "Wait half a minute, look at what became of it, and then send another prompt.",
  },
  1001: {
    text: "Unable to lock subscriber, a transaction is already in process for the current subscriber.",
    short: "another transaction is open",
    meaning: "Another transaction or an open menu on the phone holds the customer's account.",
    advice: "Ask the customer to finish it, and try again after a minute or two.",
  },
  1019: {
    text: "Transaction has expired.",
    short: "the customer did not answer",
    meaning: "The prompt's time was over before an outcome was known.",
    advice: "Offer to send another prompt. As far as momo knows, nothing was charged.",
  },
  1025: {
    text: "An error occurred while sending a push request.",
    short: "prompt could not be sent",
    meaning: "The network could not send the prompt to the phone.",
    advice: "Try once more after some seconds; if it fails again, offer another way to pay.",
    note: "The prompt could not be shown.",
  },
  1032: {
    text: "Request cancelled by user.",
    short: "cancelled by the customer",
    meaning: "The customer dismissed the prompt.",
    advice: "It is a refusal: keep the order open, and send another prompt only when the customer asks for it.",
  },
  1037: {
    text: "DS timeout user cannot be reached.",
    short: "phone off or busy",
    meaning: "The phone did not answer: it is off, out of reach, busy with another prompt, or its SIM is too old.",
    advice: "Ask the customer to look at the phone, and then try again.",
    note: "Your phone could not be reached in time.",
  },
  2001: {
    text: "The initiator information is invalid.",
    short: "wrong PIN",
    meaning: "The customer entered a wrong PIN.",
    advice: "Let the customer try again; several wrong PINs in a row lock it.",
    note: "The PIN was wrong.",
  },
  2028: {
    text: "The request is not permitted according to product assignment.",
    short: "not permitted to the business",
    meaning: "The business may not receive this sort of payment.",
    advice: "Do not repeat it: have the product and the account of the business checked.",
  },
  8006: {
    text: "The security credential is locked.",
    short: "PIN locked",
    meaning: "The customer's PIN is locked after too many wrong ones.",
    advice: "Do not repeat it: the customer has to have the PIN unlocked by the network first.",
    note: "Your PIN is locked. Unlock it before you pay.",
  },
  9999: {
    text: "An error occurred while sending a push request.",
    short: "prompt could not be sent",
    meaning: "The network could not send the prompt, and says no more.",
    advice: "Shorten the description, and try once more; then offer another way to pay.",
  },
} as const satisfies Readonly<Record<number, Result>>;

export type ResultCode = keyof typeof RESULT_CODES;

/** Null for a code that the table does not have. */
export const findResult = (code: number): Result | null =>
  (RESULT_CODES as Readonly<Record<number, Result>>)[code] ?? null;

/** The network's text for a result code; undefined for a code that the table does not have. */
export const textOfCode = (code: number): string | undefined => findResult(code)?.text;
