import type { WebhookMessage } from "./message.ts";
import type { SendResult } from "./send.ts";

/** `waiting` for its next attempt, or ended: taken, given up, or lost on purpose. */
export type DeliveryState = "waiting" | "sending" | "delivered" | "failed" | "lost";

export interface DeliveryAttempt extends SendResult {
  readonly atMs: number;
  readonly durationMs: number;
}

/** One message for the webhook, and what has come of it. A change makes a new one. */
export interface Delivery {
  /** Counts from 1 since the server started. */
  readonly id: number;
  readonly checkoutRequestId: string;
  readonly message: WebhookMessage;
  readonly state: DeliveryState;
  /** When it is tried next, or was last. */
  readonly dueAtMs: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** The delivery that it repeats, by hand; else null. */
  readonly resendOf: number | null;
}

/** How many may wait for an attempt, and how many that have ended are remembered. */
export const MAX_OPEN_DELIVERIES = 10_000;
export const MAX_ENDED_DELIVERIES = 1000;

/** The deliveries, of which those that have ended are forgotten in the end. */
export interface DeliveryBook {
  /** How many there was no room for. */
  readonly leftOut: number;
  /** Null where there is no room for one more. */
  add(delivery: Omit<Delivery, "id">): Delivery | null;
  change(id: number, to: Partial<Delivery>): Delivery | null;
  get(id: number): Delivery | null;
  /** Oldest first. */
  list(): readonly Delivery[];
  clear(): void;
}

export function createDeliveryBook(): DeliveryBook {
  const kept = new Map<number, Delivery>();
  const ended: number[] = [];
  let lastId = 0;
  let leftOut = 0;

  function keep(delivery: Delivery): Delivery {
    kept.set(delivery.id, delivery);
    if (delivery.state === "waiting" || delivery.state === "sending") return delivery;
    ended.push(delivery.id);
    if (ended.length > MAX_ENDED_DELIVERIES) kept.delete(ended.shift() ?? 0);
    return delivery;
  }

  return {
    get leftOut() {
      return leftOut;
    },
    add(delivery) {
      if (kept.size - ended.length >= MAX_OPEN_DELIVERIES) {
        leftOut += 1;
        return null;
      }
      lastId += 1;
      return keep({ ...delivery, id: lastId });
    },
    change(id, to) {
      const delivery = kept.get(id);
      return delivery ? keep({ ...delivery, ...to }) : null;
    },
    get: (id) => kept.get(id) ?? null,
    list: () => [...kept.values()],
    clear() {
      kept.clear();
      ended.length = 0;
      leftOut = 0;
    },
  };
}
