/**
 * What the auditor learns from the world: the calls between the service and the network, and the failures that the simulation caused.
 * The service itself reports none of them.
 */
export type WorldEvent =
  /** The service asked the network to show a prompt; `result` is the answer. */
  | {
      readonly kind: "push";
      readonly prompt: PushedPrompt;
      /** `broken`: an exception without a reason. */
      readonly result: PushResult;
      /** Whether the network's own rules decided, and not a fault. */
      readonly consulted: boolean;
    }
  /** The service asked the network for the outcome of a prompt. */
  | {
      readonly kind: "asked";
      readonly checkoutRequestId: string;
      readonly altered: boolean;
      /** The service's time at this moment. */
      readonly atMs: number;
    }
  /** The answer has arrived, or the call has failed; `notBeforeMs` is when the network may be asked again. */
  | { readonly kind: "heard"; readonly checkoutRequestId: string; readonly notBeforeMs: number | null }
  /** The network reported an outcome. */
  | {
      readonly kind: "said";
      readonly checkoutRequestId: string;
      readonly outcome: SaidOutcome;
      readonly altered: boolean;
      /** Reported in a later turn than the check. */
      readonly late: boolean;
      /** It may be impossible, and then the service ignores it. */
      readonly doubtful: boolean;
      /** The service's time at this moment. */
      readonly atMs: number;
      /** The order of events with the same number cannot be observed. */
      readonly moment: number;
    }
  /** The simulation let a commit fail. */
  | { readonly kind: "commit failed" }
  /** The process died, and started again with the files that it left. */
  | { readonly kind: "died" }
  /** The process was stopped by a signal, and started again. */
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
