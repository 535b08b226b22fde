import { atMost, type Clock } from "../../src/domain/clock.ts";
import type { Delivery, DeliveryAttempt, DeliveryStore, PlannedDelivery } from "../../src/domain/delivery.ts";
import { parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import { createListeners, type Listeners } from "../../src/domain/listeners.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { WebhookSettings } from "../control/shapes/webhook.ts";
import { messageOf, samplePayment, storedForm, type WebhookMessage } from "./message.ts";
import { Sender, type SendingParts } from "./sender.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

/** Called after each attempt, with the new state of the delivery. */
export type DeliveryListener = (delivery: Delivery) => void;

export interface WebhookParts extends SendingParts {
  readonly service: {
    readonly isShared: boolean;
    readonly deliveries: DeliveryStore;
    subscribe(listener: (transaction: Transaction) => void): () => void;
  };
  /** The address of the webhook that the server was started with; null if there is none. */
  readonly url: string | null;
}

/**
 * Sends each payment that becomes final to a webhook. Payments do not wait for it. What is due is written with the outcome of the
 * payment, so that it survives the end of this process.
 */
export class Webhooks {
  readonly #parts: WebhookParts;
  readonly #atStart: WebhookSettings | null;
  readonly #sender: Sender;
  readonly #heldAnswers: HeldAnswers;
  readonly #attempted: Listeners<[Delivery]>;
  readonly subscribe: Listeners<[Delivery]>["subscribe"];
  /** How many attempts had each result. */
  readonly attempts = { delivered: 0, failed: 0 };
  #settings: WebhookSettings | null = null;
  #delayMs = 0;

  constructor(parts: WebhookParts) {
    const { service, clock, url } = parts;
    this.#atStart = url === null ? null : { url, ...DEFAULT_SETTINGS };
    this.#parts = parts;
    this.#attempted = createListeners(parts.reportFault);
    this.subscribe = this.#attempted.subscribe;
    this.#heldAnswers = createHeldAnswers(parts.realClock, parts.reportFault);
    this.#sender = new Sender({
      ...parts,
      deliveries: service.deliveries,
      isShared: service.isShared,
      address: () => this.#settings?.url ?? null,
      onAttempt: (delivery) => {
        this.#heldAnswers.release(delivery.payment.checkoutRequestId);
        this.attempts[delivery.attempts.at(-1)?.problem === null ? "delivered" : "failed"] += 1;
        this.#attempted.announce(delivery);
      },
    });
    this.#follow(this.#atStart);
    service.subscribe(({ status }) => {
      if (this.#settings && status !== "pending") this.#sender.wakeAt(clock.nowMs() + this.#delayMs);
    });
  }

  get settings(): WebhookSettings | null {
    return this.#settings;
  }

  /** Sends what became due while no server ran. */
  start(): void {
    this.#sender.look();
  }

  /**
   * Changes the webhook. Deliveries that wait go to the new address; without one they wait for the next webhook, until they are
   * given up.
   */
  load(settings: WebhookSettings | null): void {
    this.#follow(settings);
    if (settings) this.#sender.look();
    else this.#cancel();
  }

  /**
   * Sends a delivery again, at once and without injected failures. If it waits, the new one is tried again in its place.
   * @throws Refusal `not_found` for an unknown delivery, `conflict` without a webhook
   */
  async resend(id: number): Promise<Delivery> {
    if (!this.#settings) throw noWebhook();
    const { service, clock } = this.#parts;
    const again = await service.deliveries.resend(id, clock.nowMs());
    if (!again) throw new Refusal("not_found", "there is no delivery with this id, or it is no longer kept");
    this.#sender.look();
    return again;
  }

  /**
   * Sends a sample payment once. It is no delivery: it is not tried again, not listed, and has no injected failures.
   * @throws Refusal `conflict` without a webhook, or if it is removed meanwhile; `unavailable` if too many attempts are in progress
   */
  async sendTest(): Promise<{ readonly message: WebhookMessage; readonly attempt: DeliveryAttempt }> {
    const nowMs = this.#parts.clock.nowMs();
    if (!this.#settings) throw noWebhook();
    const message = messageOf(storedForm(this.#settings), samplePayment(nowMs), nowMs);
    const attempt = await this.#sender.tryOnce(message);
    if (!attempt) throw noWebhook();
    return { message, attempt };
  }

  /** A promise that the answer to a push must wait for; null if it need not wait. */
  beforeAnswer(checkoutRequestId: string): Promise<void> | null {
    const { early = false, times = 0 } = this.#settings ?? {};
    return early && times > 0 ? this.#heldAnswers.waitFor(checkoutRequestId) : null;
  }

  readonly save = () => this.#settings;

  /** Cancels the attempts in progress, and restores the settings of the start. The store has removed the deliveries. */
  reset(): void {
    this.#cancel();
    this.load(this.#atStart);
  }

  /** Resolves when all that is due was tried. */
  readonly settle = () => this.#sender.settle();

  /** Sends nothing any more. What is due waits for the next start. */
  stop(): Promise<void> {
    this.#heldAnswers.releaseAll();
    return this.#sender.stop();
  }

  #cancel(): void {
    this.#sender.cancel();
    this.#heldAnswers.releaseAll();
  }

  /** From now on, each outcome is written with what these settings send. */
  #follow(settings: WebhookSettings | null): void {
    this.#settings = settings;
    this.#delayMs = parseDuration(settings?.delay ?? "0s", "delay");
    const { service, clock } = this.#parts;
    const plan = (followed: WebhookSettings) => {
      const form = storedForm(followed);
      const endedAtMs = clock.nowMs();
      return Array<PlannedDelivery>(followed.times).fill({ form, endedAtMs, dueAtMs: endedAtMs + this.#delayMs });
    };
    service.deliveries.plan(settings && settings.times > 0 ? () => plan(settings) : null);
  }
}

const noWebhook = () => new Refusal("conflict", "there is no webhook to send it to: set one first");

export interface HeldAnswers {
  /** Resolves after the first attempt, or after {@link MAX_HELD_MS} at the latest; null if too many wait. */
  waitFor(checkoutRequestId: string): Promise<void> | null;
  readonly release: (checkoutRequestId: string) => void;
  releaseAll(): void;
}

/** How long an answer can wait, in real time. */
const MAX_HELD_MS = 5000;

const MAX_HELD = 1000;

/** Pushes whose answer waits for the webhook of their payment. */
export function createHeldAnswers(realClock: Clock, report: (words: string) => void): HeldAnswers {
  const held = new Map<string, () => void>();
  return {
    waitFor(checkoutRequestId: string): Promise<void> | null {
      if (held.size >= MAX_HELD) return null;
      const { promise, resolve } = Promise.withResolvers<true>();
      held.set(checkoutRequestId, () => resolve(true));
      return atMost(realClock, MAX_HELD_MS, promise).then((isReleased) => {
        held.delete(checkoutRequestId);
        if (isReleased) return;
        report(
          `the answer to the push of ${checkoutRequestId} waited ${MAX_HELD_MS / 1000} s for its early webhook: the payment had not ended, or the receiver takes one request at a time, as php -S without PHP_CLI_SERVER_WORKERS=4`,
        );
      });
    },
    release: (checkoutRequestId: string) => held.get(checkoutRequestId)?.(),
    releaseAll(): void {
      for (const release of [...held.values()]) release();
    },
  };
}
