import type { AmountCents } from "./money.ts";
import type { Outcome } from "./outcome.ts";
import type { Msisdn } from "./phone.ts";
import type { PendingTransaction } from "./transaction.ts";

/** What the network is asked to show on a customer's phone. */
export interface Prompt {
  /** What the service calls this payment; a provider keeps ids of its own in its memo. */
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly paymentAccountId: number;
  readonly phone: Msisdn;
  readonly amountCents: AmountCents;
  readonly reference: string | null;
  readonly description: string | null;
  readonly pushedAtMs: number;
  /** When the service stops waiting. */
  readonly expiresAtMs: number;
  /** A note from the caller to the provider, handed through unread; null where there is none. */
  readonly instruction: string | null;
}

/** The network took the prompt. */
export interface Pushed {
  /** Stored with the transaction and handed back at each check. */
  readonly memo: string;
  readonly checkAtMs: number;
}

/** Not known yet; ask again then. */
export interface NotYet {
  readonly status: "pending";
  readonly checkAtMs: number;
}

/** The mobile-money network, as the service sees it. */
export interface Provider {
  /**
   * Sends a prompt.
   * @throws Refusal `provider` where the network does not take it, `invalid` for an instruction it does not understand
   */
  push(prompt: Prompt): Promise<Pushed>;

  /**
   * What became of a prompt, as far as it is known at `nowMs`. It may take its time: the answer counts whenever it comes before
   * the deadline, and nobody asks about the same prompt meanwhile.
   */
  check(pending: PendingTransaction, nowMs: number): Promise<Outcome | NotYet>;
}
