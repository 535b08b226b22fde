import type { WebhookMessage } from "./message.ts";
import type { SendResult } from "./send.ts";

/** `waiting` for its next attempt, `sending`, or ended: delivered, failed for good, or lost on purpose. */
export type DeliveryState = "waiting" | "sending" | "delivered" | "failed" | "lost";

export interface DeliveryAttempt extends SendResult {
  readonly atMs: number;
  readonly durationMs: number;
}

/** One message for the webhook, and its attempts. It is immutable: a change makes a new object. */
export interface Delivery {
  /** Counts from 1 since the server started. */
  readonly id: number;
  readonly checkoutRequestId: string;
  readonly message: WebhookMessage;
  readonly state: DeliveryState;
  /** The time of the next attempt, or of the last one. */
  readonly dueAtMs: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** The delivery that a person sent again as this one, or null. */
  readonly resendOf: number | null;
}

/** How many can wait for an attempt, and how many ended ones are kept. */
export const MAX_OPEN_DELIVERIES = 10_000;
export const MAX_ENDED_DELIVERIES = 1000;

/** The deliveries. The oldest ended ones are forgotten. */
export function createDeliveryBook() {
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
    /** How many were refused for lack of room. */
    get leftOut() {
      return leftOut;
    },
    /** @returns null if there is no room */
    add(delivery: Omit<Delivery, "id">): Delivery | null {
      if (kept.size - ended.length >= MAX_OPEN_DELIVERIES) {
        leftOut += 1;
        return null;
      }
      lastId += 1;
      return keep({ ...delivery, id: lastId });
    },
    change(id: number, to: Partial<Delivery>): Delivery | null {
      const delivery = kept.get(id);
      return delivery ? keep({ ...delivery, ...to }) : null;
    },
    get: (id: number): Delivery | null => kept.get(id) ?? null,
    list: (): readonly Delivery[] => [...kept.values()],
    clear(): void {
      kept.clear();
      ended.length = 0;
      leftOut = 0;
    },
  };
}
