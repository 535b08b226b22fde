import type { Clock } from "../../src/domain/clock.ts";
import type { VirtualClock } from "../network/clock.ts";
import { createDeliveryBook, type Delivery, type DeliveryAttempt } from "./delivery-book.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import type { WebhookMessage } from "./message.ts";
import { send } from "./send.ts";

/** Called after each attempt and each loss, with the new state of the delivery. */
export type DeliveryListener = (delivery: Delivery) => void;

export type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxParts {
  readonly clock: VirtualClock;
  readonly realClock: Clock;
  /** The address of the webhook; null if it was removed. */
  readonly address: () => string | null;
  readonly beforeSending: (url: URL) => void;
}

const RETRY_AFTER_MS = [1000, 10_000, 60_000] as const;

/** Sends deliveries when they are due, and retries those that fail. */
export function createOutbox({ clock, realClock, address, beforeSending }: OutboxParts) {
  const book = createDeliveryBook();
  const queue = createDeliveryQueue(clock, attempt);
  const listeners = new Set<DeliveryListener>();
  let inFlight = new AbortController();

  /** One attempt; null without a webhook, or if it was cancelled. */
  async function sendOnce(message: WebhookMessage): Promise<DeliveryAttempt | null> {
    const { signal } = inFlight;
    const url = address();
    const [atMs, startedMs] = [clock.nowMs(), realClock.nowMs()];
    if (url === null) return null;
    beforeSending(new URL(url));
    const result = await send(url, message, { realClock, ended: signal });
    return signal.aborted ? null : { atMs, durationMs: realClock.nowMs() - startedMs, ...result };
  }

  async function attempt(delivery: Delivery): Promise<void> {
    if (!book.change(delivery.id, { state: "sending" })) return;
    const made = await sendOnce(delivery.message);
    if (made === null) return;
    const retryAfterMs = made.problem === null ? undefined : RETRY_AFTER_MS[delivery.attempts.length];
    const changed = book.change(delivery.id, {
      attempts: [...delivery.attempts, made],
      ...(retryAfterMs === undefined
        ? { state: made.problem === null ? "delivered" : "failed" }
        : // Count from the due time, so that one advance of the clock makes all attempts that it passes.
          { state: "waiting", dueAtMs: delivery.dueAtMs + (clock.isFrozen ? 0 : made.durationMs) + retryAfterMs }),
    });
    if (changed) note(changed);
  }

  /** Queues the next attempt, and notifies the listeners. */
  function note(delivery: Delivery): void {
    if (delivery.state === "waiting") queue.add(delivery);
    for (const listener of listeners) listener(delivery);
  }

  /** Drops waiting deliveries, and cancels those in progress. */
  function giveUp(): void {
    inFlight.abort();
    inFlight = new AbortController();
    queue.clear();
    for (const { id, state } of book.list()) {
      if (state === "waiting" || state === "sending") book.change(id, { state: "failed" });
    }
  }

  return {
    get leftOut() {
      return book.leftOut;
    },
    sendOnce,
    list: book.list,
    get: book.get,
    /** @returns null if there is no room */
    add(delivery: Omit<Delivery, "id">): Delivery | null {
      const added = book.add(delivery);
      if (added?.state === "waiting") queue.add(added);
      else if (added) note(added);
      return added;
    },
    subscribe(listener: DeliveryListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    giveUp,
    /** The same, and forgets all deliveries. */
    clear(): void {
      giveUp();
      book.clear();
    },
  };
}
