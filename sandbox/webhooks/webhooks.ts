import type { Clock } from "../../src/domain/clock.ts";
import { Refusal } from "../../src/domain/error.ts";
import { seededChance } from "../../src/domain/random.ts";
import type { FinalTransaction, Transaction } from "../../src/domain/transaction.ts";
import type { VirtualClock } from "../network/clock.ts";
import { createDeliveryBook, type Delivery, type DeliveryBook } from "./delivery-book.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import { createEarlyBirds } from "./early-birds.ts";
import { messageOf } from "./message.ts";
import { send } from "./send.ts";
import type { WebhookSettings } from "./settings.ts";

/** Told of each delivery that was tried or lost, as it is then. */
export type DeliveryListener = (delivery: Delivery) => void;

/** Tells a webhook of each payment that becomes final. Nothing waits for it, and all of it is forgotten when the process ends. */
export interface Webhooks extends Pick<DeliveryBook, "leftOut" | "list"> {
  readonly settings: WebhookSettings | null;
  /** For the payments to come. Those that wait go to the new address; null drops them. */
  replace(settings: WebhookSettings | null): void;
  /**
   * Sends it once more, at once and in good weather.
   * @throws Refusal `not_found` for an unknown delivery, `conflict` where there is no webhook or no room
   */
  resend(id: number): Delivery;
  subscribe(listener: DeliveryListener): () => void;
  /** What the answer to a push waits for; null where it need not. */
  beforeAnswer(checkoutRequestId: string): Promise<void> | null;
  /** Drops all deliveries; the settings are again those of the start. */
  reset(): void;
  /** Ends what is under way. */
  close(): void;
}

export interface WebhookParts {
  readonly service: { subscribe(listener: (transaction: Transaction) => void): () => void };
  readonly clock: VirtualClock;
  /** For time-outs, which a frozen clock must not stop. */
  readonly realClock: Clock;
  /** Whom the server was started with. */
  readonly start: WebhookSettings | null;
  /** Told before an attempt. */
  readonly beforeSending: (url: URL) => void;
}

/** How long after an attempt that failed the next one is made. */
const RETRY_AFTER_MS = [1000, 10_000, 60_000] as const;

export function createWebhooks({ service, clock, realClock, start, beforeSending }: WebhookParts): Webhooks {
  const book = createDeliveryBook();
  const queue = createDeliveryQueue(clock, attempt);
  const earlyBirds = createEarlyBirds(realClock);
  const listeners = new Set<DeliveryListener>();
  let settings: WebhookSettings | null;
  let chance: () => number;
  let underWay = new AbortController();
  begin(start);

  service.subscribe((transaction) => {
    if (settings && transaction.status !== "pending") plan(transaction, settings);
  });

  function begin(next: WebhookSettings | null): void {
    settings = next;
    chance = seededChance(next?.seed ?? 0);
  }

  function plan(payment: FinalTransaction, { form, times, delayMs, shuffleMs, lost }: WebhookSettings): void {
    const nowMs = clock.nowMs();
    for (let copy = 0; copy < times; copy += 1) {
      const isLost = lost > 0 && chance() < lost;
      const delivery = book.add({
        checkoutRequestId: payment.checkoutRequestId,
        message: messageOf(form, payment, nowMs),
        state: isLost ? "lost" : "waiting",
        dueAtMs: nowMs + delayMs + (shuffleMs > 0 ? Math.floor(chance() * shuffleMs) : 0),
        attempts: [],
        resendOf: null,
      });
      if (delivery && !isLost) queue.add(delivery);
      else earlyBirds.release(payment.checkoutRequestId);
      if (delivery && isLost) tell(delivery);
    }
  }

  async function attempt({ id, message, dueAtMs, checkoutRequestId, attempts }: Delivery): Promise<void> {
    const { signal } = underWay;
    if (!settings || !book.change(id, { state: "sending" })) return;
    const { url } = settings;
    beforeSending(new URL(url));
    const [atMs, startedMs] = [clock.nowMs(), realClock.nowMs()];
    const result = await send(url, message, { realClock, ended: signal });
    if (signal.aborted) return;
    const durationMs = realClock.nowMs() - startedMs;
    const after = RETRY_AFTER_MS[attempts.length];
    const isTriedAgain = result.problem !== null && after !== undefined && settings !== null;
    const changed = book.change(id, {
      state: isTriedAgain ? "waiting" : result.problem === null ? "delivered" : "failed",
      // By the schedule, so that one advance of the clock brings all that is due by then.
      dueAtMs: isTriedAgain ? dueAtMs + (clock.isFrozen ? 0 : durationMs) + after : dueAtMs,
      attempts: [...attempts, { atMs, durationMs, ...result }],
    });
    if (changed && isTriedAgain) queue.add(changed);
    earlyBirds.release(checkoutRequestId);
    if (changed) tell(changed);
  }

  function tell(delivery: Delivery): void {
    for (const listener of listeners) listener(delivery);
  }

  function endAll(): void {
    underWay.abort();
    underWay = new AbortController();
    queue.clear();
    earlyBirds.releaseAll();
  }

  return {
    get settings() {
      return settings;
    },
    get leftOut() {
      return book.leftOut;
    },
    list: book.list,
    replace(next) {
      begin(next);
      if (next) return;
      endAll();
      for (const { id, state } of book.list()) {
        if (state === "waiting" || state === "sending") book.change(id, { state: "failed" });
      }
    },
    resend(id) {
      const delivery = book.get(id);
      if (!delivery) throw new Refusal("not_found", "there is no such delivery, or it has been forgotten");
      if (!settings) throw new Refusal("conflict", "there is no webhook to send it to; PUT /_momo/webhook sets one");
      const again = book.add({
        ...delivery,
        state: "waiting",
        dueAtMs: clock.nowMs(),
        attempts: [],
        resendOf: id,
      });
      if (!again) throw new Refusal("conflict", "too many deliveries wait already");
      queue.add(again);
      return again;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    beforeAnswer: (checkoutRequestId) => (settings?.early ? earlyBirds.waitFor(checkoutRequestId) : null),
    reset() {
      endAll();
      book.clear();
      begin(start);
    },
    close() {
      settings = null;
      endAll();
    },
  };
}
