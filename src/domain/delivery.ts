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

/** How many deliveries are listed. Older ones that have ended are removed. */
export const MAX_DELIVERIES = 1000;

/** Stored messages about payments that have ended. A reset and a restore of the transactions remove them. */
export interface DeliveryStore {
  /** From now on, each outcome is written with these deliveries, in one commit; null: with none. */
  plan(next: (() => readonly PlannedDelivery[]) | null): void;
  /**
   * Those that are due at `nowMs`, the earliest first, at most `limit`. No server gets them again before they are saved or
   * released, or until this server must be dead.
   */
  claim(nowMs: number, limit: number): Promise<Delivery[]>;
  release(id: number): Promise<void>;
  /** The first due time after this one; null if there is none. */
  nextDueAtMs(afterMs: number): Promise<number | null>;
  /** Writes the attempts and the due time of a claimed delivery, unless it was given up, and releases it. */
  save(delivery: Delivery): Promise<void>;
  /** Adds a delivery of the same message, in the place of one that waits. @returns null if there is none with this id */
  resend(id: number, dueAtMs: number): Promise<Delivery | null>;
  /** Of the newest {@link MAX_DELIVERIES}, oldest first: the first ones after an id, or the last ones. */
  list(query: DeliveryQuery): Promise<Delivery[]>;
  /** Makes no further attempts for those that wait. */
  giveUp(): Promise<void>;
}

export interface DeliveryQuery {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly transactionId?: number;
  readonly limit: number;
}

/** `waiting` for its next attempt, or ended. */
export type DeliveryState = "waiting" | "delivered" | "failed";

export function stateOf({ dueAtMs, attempts }: Delivery): DeliveryState {
  if (dueAtMs !== null) return "waiting";
  return attempts.at(-1)?.problem === null ? "delivered" : "failed";
}
