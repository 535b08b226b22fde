import type { Clock } from "../../src/domain/clock.ts";
import { Refusal } from "../../src/domain/error.ts";
import { seededChance } from "../../src/domain/random.ts";
import type { FinalTransaction, Transaction } from "../../src/domain/transaction.ts";
import type { VirtualClock } from "../network/clock.ts";
import type { Delivery } from "./delivery-book.ts";
import { createEarlyBirds } from "./early-birds.ts";
import { messageOf } from "./message.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import type { WebhookSettings } from "./settings.ts";

/** Tells a webhook of each payment that becomes final. Nothing waits for it, and all of it is forgotten when the process ends. */
export interface Webhooks extends Pick<Outbox, "leftOut" | "list" | "subscribe"> {
  readonly settings: WebhookSettings | null;
  /** For the payments to come. Those that wait go to the new address; null drops them. */
  replace(settings: WebhookSettings | null): void;
  /**
   * Sends it once more, at once and in good weather.
   * @throws Refusal `not_found` for an unknown delivery, `conflict` where there is no webhook or no room
   */
  resend(id: number): Delivery;
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

export function createWebhooks({ service, clock, realClock, start, beforeSending }: WebhookParts): Webhooks {
  const earlyBirds = createEarlyBirds(realClock);
  const outbox = createOutbox({ clock, realClock, beforeSending, address: () => settings?.url ?? null });
  outbox.subscribe(({ checkoutRequestId }) => earlyBirds.release(checkoutRequestId));
  let settings: WebhookSettings | null;
  let chance: () => number;
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
    const { checkoutRequestId } = payment;
    const message = messageOf(form, payment, nowMs);
    for (let copy = 0; copy < times; copy += 1) {
      const state = lost > 0 && chance() < lost ? "lost" : "waiting";
      const dueAtMs = nowMs + delayMs + (shuffleMs > 0 ? Math.floor(chance() * shuffleMs) : 0);
      const delivery = outbox.add({ checkoutRequestId, message, state, dueAtMs, attempts: [], resendOf: null });
      if (!delivery) earlyBirds.release(checkoutRequestId);
    }
  }

  return {
    get settings() {
      return settings;
    },
    get leftOut() {
      return outbox.leftOut;
    },
    list: outbox.list,
    subscribe: outbox.subscribe,
    replace(next) {
      begin(next);
      if (next) return;
      outbox.giveUp();
      earlyBirds.releaseAll();
    },
    resend(id) {
      const delivery = outbox.get(id);
      if (!delivery) throw new Refusal("not_found", "there is no such delivery, or it has been forgotten");
      if (!settings) throw new Refusal("conflict", "there is no webhook to send it to; PUT /_momo/webhook sets one");
      const again = outbox.add({ ...delivery, state: "waiting", dueAtMs: clock.nowMs(), attempts: [], resendOf: id });
      if (!again) throw new Refusal("conflict", "too many deliveries wait already");
      return again;
    },
    beforeAnswer: (checkoutRequestId) => (settings?.early ? earlyBirds.waitFor(checkoutRequestId) : null),
    reset() {
      outbox.clear();
      earlyBirds.releaseAll();
      begin(start);
    },
    close() {
      settings = null;
      outbox.giveUp();
      earlyBirds.releaseAll();
    },
  };
}
