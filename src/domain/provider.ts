import type { Outcome } from "./outcome.ts";
import type { Order, PendingTransaction, TransactionIdentifiers } from "./transaction.ts";

/** A prompt for a customer's phone, with the service's ids of the payment. A provider keeps its own ids in the memo. */
export interface Prompt extends Omit<Order, "kind">, Omit<TransactionIdentifiers, "id"> {
  readonly pushedAtMs: number;
  /** When the service stops waiting. */
  readonly expiresAtMs: number;
  /** A note from the client to the provider, which the service does not read. Null if there is none. */
  readonly instruction: string | null;
}

/** The beginning of the message with which a push is refused that the network does not take (§4.1). A client has nothing else to know it by. */
export const NOT_TAKEN = "STK push initiation failed";

/** The network accepted the prompt. */
export interface Pushed {
  /** Stored with the transaction, and passed to each check. */
  readonly memo: string;
  readonly checkAtMs: number;
}

/** The outcome is not known yet; check again at `checkAtMs`. */
export interface NotYet {
  readonly status: "pending";
  readonly checkAtMs: number;
}

/** The mobile-money network, as the service sees it. */
export interface Provider {
  /**
   * Sends a prompt.
   * @throws Refusal `provider` if the network does not accept it, `invalid` for an unknown instruction
   */
  push(prompt: Prompt): Promise<Pushed>;

  /**
   * The outcome of a prompt, if it is known at `nowMs`. It may take long: its result counts until the deadline, and a
   * prompt has only one check in flight.
   */
  check(pending: PendingTransaction, nowMs: number): Promise<Outcome | NotYet>;
}
