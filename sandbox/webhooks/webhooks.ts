import type { Clock } from "../../src/domain/clock.ts";
import { Refusal } from "../../src/domain/error.ts";
import { seededChance } from "../../src/domain/random.ts";
import type { FinalTransaction, Transaction } from "../../src/domain/transaction.ts";
import type { VirtualClock } from "../network/clock.ts";
import type { Delivery, DeliveryAttempt } from "./delivery-book.ts";
import { createHeldAnswers, type HeldAnswers } from "./held-answers.ts";
import { messageOf, samplePayment, type WebhookMessage } from "./message.ts";
import { createOutbox, type DeliveryListener, type Outbox } from "./outbox.ts";
import type { WebhookSettings } from "./settings.ts";

export interface WebhookParts {
  readonly service: { subscribe(listener: (transaction: Transaction) => void): () => void };
  readonly clock: VirtualClock;
  /** For time-outs, which a frozen clock must not stop. */
  readonly realClock: Clock;
  /** The webhook that the server was started with. */
  readonly start: WebhookSettings | null;
  /** Called before each attempt. */
  readonly beforeSending: (url: URL) => void;
}

/**
 * Sends each payment that becomes final to a webhook. Payments do not wait for it, and deliveries are only in memory.
 */
export class Webhooks {
  readonly #clock: VirtualClock;
  readonly #start: WebhookSettings | null;
  readonly #outbox: Outbox;
  readonly #heldAnswers: HeldAnswers;
  #settings: WebhookSettings | null;
  #chance: () => number;

  constructor({ service, clock, realClock, start, beforeSending }: WebhookParts) {
    this.#clock = clock;
    this.#start = start;
    this.#settings = start;
    this.#chance = chanceOf(start);
    this.#heldAnswers = createHeldAnswers(realClock);
    this.#outbox = createOutbox({ clock, realClock, beforeSending, address: () => this.#settings?.url ?? null });
    this.#outbox.subscribe(({ checkoutRequestId }) => this.#heldAnswers.release(checkoutRequestId));
    service.subscribe((transaction) => {
      if (this.#settings && transaction.status !== "pending") this.#plan(transaction, this.#settings);
    });
  }

  get settings(): WebhookSettings | null {
    return this.#settings;
  }

  get leftOut(): number {
    return this.#outbox.leftOut;
  }

  list(): readonly Delivery[] {
    return this.#outbox.list();
  }

  subscribe(listener: DeliveryListener): () => void {
    return this.#outbox.subscribe(listener);
  }

  /** Changes the webhook for new payments. Waiting deliveries go to the new address; null drops them. */
  replace(settings: WebhookSettings | null): void {
    this.#begin(settings);
    if (!settings) this.#giveUp();
  }

  /**
   * Sends a delivery again, at once and without injected failures.
   * @throws Refusal `not_found` for an unknown delivery, `conflict` without a webhook or without room
   */
  resend(id: number): Delivery {
    const delivery = this.#outbox.get(id);
    if (!delivery) throw new Refusal("not_found", "there is no delivery with this id, or it is no longer kept");
    if (!this.#settings) {
      throw new Refusal("conflict", "there is no webhook to send it to; PUT /_momo/webhook sets one");
    }
    const again = { ...delivery, state: "waiting", dueAtMs: this.#clock.nowMs(), attempts: [], resendOf: id } as const;
    const added = this.#outbox.add(again);
    if (!added) throw new Refusal("conflict", "too many deliveries are waiting already");
    return added;
  }

  /**
   * Sends a sample payment once. It is no delivery: it is not tried again, not listed, and has no injected failures.
   * @throws Refusal `conflict` without a webhook, or if it is removed meanwhile
   */
  async sendTest(): Promise<{ readonly message: WebhookMessage; readonly attempt: DeliveryAttempt }> {
    const nowMs = this.#clock.nowMs();
    const message = messageOf(this.#settings?.form ?? "payment.updated", samplePayment(nowMs), nowMs);
    const attempt = await this.#outbox.sendOnce(message);
    if (!attempt) throw new Refusal("conflict", "there is no webhook to send it to; PUT /_momo/webhook sets one");
    return { message, attempt };
  }

  /** A promise that the answer to a push must wait for; null if it need not wait. */
  beforeAnswer(checkoutRequestId: string): Promise<void> | null {
    return this.#settings?.early ? this.#heldAnswers.waitFor(checkoutRequestId) : null;
  }

  /** Drops all deliveries, and restores the settings of the start. */
  reset(): void {
    this.#outbox.clear();
    this.#heldAnswers.releaseAll();
    this.#begin(this.#start);
  }

  /** Cancels the deliveries in progress. */
  close(): void {
    this.#settings = null;
    this.#giveUp();
  }

  #begin(settings: WebhookSettings | null): void {
    this.#settings = settings;
    this.#chance = chanceOf(settings);
  }

  #giveUp(): void {
    this.#outbox.giveUp();
    this.#heldAnswers.releaseAll();
  }

  #plan(payment: FinalTransaction, { form, times, delayMs, shuffleMs, lost }: WebhookSettings): void {
    const nowMs = this.#clock.nowMs();
    const { checkoutRequestId } = payment;
    const message = messageOf(form, payment, nowMs);
    for (let copy = 0; copy < times; copy += 1) {
      const state = lost > 0 && this.#chance() < lost ? "lost" : "waiting";
      const dueAtMs = nowMs + delayMs + (shuffleMs > 0 ? Math.floor(this.#chance() * shuffleMs) : 0);
      const delivery = this.#outbox.add({ checkoutRequestId, message, state, dueAtMs, attempts: [], resendOf: null });
      if (!delivery) this.#heldAnswers.release(checkoutRequestId);
    }
  }
}

const chanceOf = (settings: WebhookSettings | null) => seededChance(settings?.seed ?? 0);
