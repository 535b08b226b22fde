import type { FinalTransaction } from "./transaction.ts";

/** A message about a payment that has ended, which is to be sent. */
export interface PlannedDelivery {
  /** The form of the message. */
  readonly form: string;
  /** When the payment ended. */
  readonly endedAtMs: number;
  readonly dueAtMs: number;
}

/** The same, once it is stored. It is immutable: a change makes a new object. */
export interface Delivery extends Omit<PlannedDelivery, "dueAtMs"> {
  readonly id: number;
  readonly payment: FinalTransaction;
  /** When the next attempt is due; null if there is none. */
  readonly dueAtMs: number | null;
  readonly attempts: readonly DeliveryAttempt[];
  /** The delivery that a person sent again as this one, or null. */
  readonly resendOf: number | null;
}

export interface DeliveryAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** Null if there was no answer. */
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly answer: string | null;
  /** Why it failed; null if it was delivered. */
  readonly problem: string | null;
}

/** `waiting` for its next attempt, or ended. */
export type DeliveryState = "waiting" | "delivered" | "failed";

export function stateOf({ dueAtMs, attempts }: Delivery): DeliveryState {
  if (dueAtMs !== null) return "waiting";
  return attempts.at(-1)?.problem === null ? "delivered" : "failed";
}
