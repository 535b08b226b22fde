import { Alarm, atMost, type Clock, pause } from "../../src/domain/clock.ts";
import type { Delivery, DeliveryAttempt, DeliveryStore } from "../../src/domain/delivery.ts";
import { Refusal } from "../../src/domain/error.ts";
import { Rounds } from "../../src/domain/mutex.ts";
import type { VirtualClock } from "../network/clock.ts";
import { messageOf, type WebhookMessage } from "./message.ts";
import { ANSWER_TIMEOUT_MS, send } from "./send.ts";

/** What a server gives to its webhooks. */
export interface SendingParts {
  readonly clock: VirtualClock;
  /** For time-outs and retries, which a frozen clock must not stop. */
  readonly realClock: Clock;
  /** Whether this server knows the time and the webhook that all servers share. */
  readonly mayDecide: () => boolean;
  /** Called before each attempt. */
  readonly beforeSending: (url: URL) => void;
  readonly reportFault: (error: unknown) => void;
  /** Measures attempts, in milliseconds. */
  readonly stopwatch: () => number;
  /** {@link MAX_IN_FLIGHT} at most. With 1, their order is the same in each run. */
  readonly deliveriesAtOnce: number;
}

export interface SenderParts extends SendingParts {
  readonly deliveries: Pick<DeliveryStore, "claim" | "release" | "nextDueAtMs" | "save">;
  /** Whether other servers send deliveries of the same database, too. */
  readonly isShared: boolean;
  /** The address of the webhook; null if there is none. */
  readonly address: () => string | null;
  /** Called after each attempt, when it is stored. */
  readonly onAttempt: (delivery: Delivery) => void;
}

/** How many attempts are in progress at once. */
export const MAX_IN_FLIGHT = 16;

const RETRY_AFTER_MS = [1000, 10_000, 60_000] as const;

/** How soon to look again after the store failed, and for deliveries of other servers. */
const LOOK_AGAIN_MS = 1000;

/** How long a stop waits for attempts in progress, and then for the store. */
const STOP_GRACE_MS = 500;

/**
 * Sends deliveries when they are due, and retries those that fail. The database is the schedule: the sender keeps one alarm, for
 * the earliest delivery, and none without a webhook.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #inFlight = new Set<Promise<void>>();
  #attemptsEnd = new AbortController();
  readonly #looks = new Rounds(() => this.#startDue());
  #isStopped = false;
  /** Whether nothing may use the store any more. */
  #hasStopped = false;
  /** For how many attempts a claim is under way. */
  #claiming = 0;
  readonly #alarm: Alarm;
  /** Of real time, for failures of the store and deliveries of other servers. */
  readonly #lookAgain: Alarm;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.look());
    this.#lookAgain = new Alarm(parts.realClock, () => this.look());
  }

  /** Looks for due deliveries at this time, unless it does so earlier. */
  wakeAt(atMs: number): void {
    if (!this.#isStopped) this.#alarm.wakeAt(atMs);
  }

  /** Starts the attempts that are due. One look at a time. */
  look(): void {
    if (this.#looks.isRequested) return;
    void this.#looks.request().catch((error: unknown) => {
      this.#parts.reportFault(error);
      this.#lookLater();
    });
  }

  /**
   * One attempt of a message that is no delivery. It counts as one of those in progress.
   * @throws Refusal `unavailable` if there are {@link MAX_IN_FLIGHT} already
   */
  async tryOnce(message: WebhookMessage): Promise<DeliveryAttempt | null> {
    if (this.#inFlight.size + this.#claiming >= MAX_IN_FLIGHT) {
      throw new Refusal("unavailable", `${MAX_IN_FLIGHT} attempts are in progress: try again when one has ended`);
    }
    const attempt = this.sendOnce(message);
    this.#follow(attempt.then(() => {}));
    return attempt;
  }

  /** One attempt; null without a webhook, or if it was cancelled. */
  async sendOnce(message: WebhookMessage, ended = this.#attemptsEnd.signal): Promise<DeliveryAttempt | null> {
    const { address, beforeSending, clock, realClock, stopwatch } = this.#parts;
    const url = address();
    if (url === null) return null;
    beforeSending(new URL(url));
    const atMs = clock.nowMs();
    const startedMs = stopwatch();
    const result = await send(url, message, { realClock, ended });
    return ended.aborted ? null : { atMs, durationMs: Math.round(stopwatch() - startedMs), ...result };
  }

  /** Cancels the attempts in progress, and the next look. */
  cancel(): void {
    this.#alarm.cancel();
    this.#attemptsEnd.abort();
    this.#attemptsEnd = new AbortController();
  }

  /** Resolves when nothing is due any more, but after the time-out of an answer at the latest. */
  async settle(): Promise<void> {
    this.look();
    const untilIdle = async () => {
      do await this.#whenIdle();
      while (this.#inFlight.size > 0 || this.#looks.isOpen);
    };
    await atMost(this.#parts.realClock, ANSWER_TIMEOUT_MS, untilIdle());
  }

  /** Waits a moment for attempts in progress, and leaves all others to the next start or to other servers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm.cancel();
    this.#lookAgain.cancel();
    const { realClock } = this.#parts;
    const idle = this.#whenIdle();
    if ((await atMost(realClock, STOP_GRACE_MS, idle)) === null) {
      this.cancel();
      await atMost(realClock, STOP_GRACE_MS, idle);
    }
    this.cancel();
    this.#hasStopped = true;
  }

  async #whenIdle(): Promise<void> {
    await this.#looks.whenIdle();
    await Promise.all(this.#inFlight);
  }

  #lookLater(): void {
    const { realClock } = this.#parts;
    if (!this.#isStopped) this.#lookAgain.wakeAt(realClock.nowMs() + LOOK_AGAIN_MS);
  }

  async #startDue(): Promise<void> {
    const { deliveries, isShared, clock, address, mayDecide, reportFault, deliveriesAtOnce } = this.#parts;
    const room = deliveriesAtOnce - this.#inFlight.size;
    if (this.#isStopped || room <= 0 || address() === null) return;
    if (isShared) this.#lookLater();
    if (!mayDecide()) return;
    const nowMs = clock.nowMs();
    this.#claiming = room;
    const due = await deliveries.claim(nowMs, room).finally(() => {
      this.#claiming = 0;
    });
    if (this.#isStopped) {
      for (const { id } of due) await this.#release(id);
      return;
    }
    for (const delivery of due) this.#follow(this.#attempt(delivery, this.#attemptsEnd.signal).catch(reportFault));
    if (due.length === room) return;
    const nextAtMs = await deliveries.nextDueAtMs(nowMs);
    if (nextAtMs !== null) this.wakeAt(nextAtMs);
  }

  async #attempt(delivery: Delivery, ended: AbortSignal): Promise<void> {
    const { clock, onAttempt } = this.#parts;
    const { form, payment, endedAtMs, attempts } = delivery;
    const movedBeforeMs = clock.movedMs();
    const movedPastMs = clock.movedPastMs(delivery.dueAtMs ?? clock.nowMs());
    const made = await this.sendOnce(messageOf(form, payment, endedAtMs), ended);
    if (made) {
      const tookMs = this.#took(made, movedBeforeMs);
      const dueAtMs = this.#nextAttemptAtMs(delivery, made, tookMs, movedPastMs);
      const changed = { ...delivery, attempts: [...attempts, made], dueAtMs };
      if (await this.#save(changed, ended)) {
        onAttempt(changed);
        return;
      }
    }
    await this.#release(delivery.id);
  }

  #follow(attempt: Promise<void>): void {
    this.#inFlight.add(attempt);
    const end = () => {
      this.#inFlight.delete(attempt);
      this.look();
    };
    void attempt.then(end, end);
  }

  /** After a stop the store is closed; there, a claim ends with this process or after a while. */
  async #release(id: number): Promise<void> {
    if (!this.#hasStopped) await this.#parts.deliveries.release(id);
  }

  /** By the sandbox's clock, which can jump with the host's. If it was moved by hand, the next attempt does not wait for that. */
  #took({ atMs, durationMs }: DeliveryAttempt, movedBeforeMs: number): number {
    const { clock } = this.#parts;
    if (clock.movedMs() === movedBeforeMs) return clock.nowMs() - atMs;
    return clock.isFrozen ? 0 : durationMs;
  }

  /**
   * Counts from the attempt, which is late if no server ran. A move of the clock past its due time does not make it late, so that
   * one move makes all attempts that it passes.
   */
  #nextAttemptAtMs(
    { attempts, dueAtMs }: Delivery,
    { problem, atMs }: DeliveryAttempt,
    tookMs: number,
    movedPastMs: number,
  ): number | null {
    const retryAfterMs = RETRY_AFTER_MS[attempts.length];
    if (problem === null || retryAfterMs === undefined) return null;
    return Math.max(dueAtMs ?? atMs, atMs - movedPastMs) + tookMs + retryAfterMs;
  }

  /**
   * Tries again until it succeeds, and keeps the claim: while the disk is full, a receiver must not get it every second.
   * @returns false if it was cancelled
   */
  async #save(delivery: Delivery, ended: AbortSignal): Promise<boolean> {
    while (!ended.aborted) {
      try {
        await this.#parts.deliveries.save(delivery);
        return true;
      } catch (error) {
        this.#parts.reportFault(error);
        await pause(this.#parts.realClock, LOOK_AGAIN_MS);
      }
    }
    return false;
  }
}
