/**
 * What the world tells the auditor: what passed between the service and the network, and what went wrong by intention. None of it
 * is the service's own word.
 */
export type WorldEvent =
  /** The service asked the network to show a prompt, and this is what it was told. */
  | {
      readonly kind: "push";
      readonly prompt: PushedPrompt;
      /** `broken`: it failed without a word. */
      readonly result: PushResult;
      /** Whether the network's own rules decided, and not a fault. */
      readonly consulted: boolean;
    }
  /** The service asked what became of a prompt. */
  | {
      readonly kind: "asked";
      readonly checkoutRequestId: string;
      readonly altered: boolean;
      /** What the service's clock showed then. */
      readonly atMs: number;
    }
  /** The answer to that has come, or it has failed; with the time before which the network wants not to be asked again. */
  | { readonly kind: "heard"; readonly checkoutRequestId: string; readonly notBeforeMs: number | null }
  /** It was told. */
  | {
      readonly kind: "said";
      readonly checkoutRequestId: string;
      readonly outcome: SaidOutcome;
      readonly altered: boolean;
      /** Told in a later turn than asked. */
      readonly late: boolean;
      /** It may be what cannot be, and then counts for nothing. */
      readonly doubtful: boolean;
      /** What the service's clock showed then. */
      readonly atMs: number;
      /** Things said in one moment have no order that anybody could see. */
      readonly moment: number;
    }
  /** A commit was made to fail. */
  | { readonly kind: "commit failed" }
  /** The process died and was started again on what it left behind. */
  | { readonly kind: "died" }
  /** The process was stopped in good order, and started again. */
  | { readonly kind: "restarted" };

export interface PushedPrompt {
  readonly paymentAccountId: number;
  readonly phone: string;
  readonly amountCents: number;
  readonly reference: string | null;
  readonly description: string | null;
  readonly instruction: string | null;
  readonly pushedAtMs: number;
  readonly expiresAtMs: number;
}

export type PushResult =
  | { readonly checkoutRequestId: string; readonly merchantRequestId: string }
  | "refused"
  | "invalid"
  | "broken";

export interface SaidOutcome {
  readonly status: string;
  readonly resultCode: number;
  readonly resultDesc: string;
  readonly receiptNumber: string | null;
  /** When it happened. */
  readonly atMs: number;
}

/** A request as it is sent, to the merchant API or to the control API. */
export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface Answer {
  readonly status: number;
  readonly allow: string | null;
  readonly body: unknown;
}
