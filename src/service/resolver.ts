import type { Clock } from "../domain/clock.ts";
import type { Provider } from "../domain/provider.ts";
import type { Random } from "../domain/random.ts";
import type { PendingTransaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import { type Checks, createChecks } from "./checks.ts";
import { type Lateness, resolveBatch } from "./resolve-batch.ts";

/** How many urgent payments are resolved together. */
const MOST_FIRST = 500;

/** How soon to try again after the store failed. */
const RETRY_MS = 1000;

/** How often to look for payments of other replicas, with a random fifth more or less, so that not all look at once. */
const LOOK_MS = 1000;
const LOOK_SPREAD = 0.2;

export interface ResolverParts {
  readonly store: Pick<Store, "transactions">;
  readonly provider: Provider;
  readonly clock: Clock;
  /** Real time, for retries: they must work while the sandbox clock is frozen. */
  readonly realClock: Clock;
  /** Whether this process knows the time that all processes share. If not, rounds do nothing. Absent if there is no other. */
  readonly mayResolve?: () => boolean;
  readonly changes: Changes;
  readonly reportFault: (error: unknown) => void;
}

interface Urgent extends PromiseWithResolvers<void> {
  readonly checkoutRequestId: string;
}

/**
 * Resolves payments when they are due. The database is the schedule: this keeps one alarm, for the earliest check, and none
 * while nothing is pending.
 */
export class Resolver {
  readonly #parts: ResolverParts;
  readonly #checks: Checks;
  readonly #urgent: Urgent[] = [];
  /** How late checks were made, by the sandbox's clock. */
  readonly lateness: Lateness = { count: 0, sumMs: 0 };
  #isStopped = false;
  #hasFailed = false;
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #cancelAlarm = () => {};
  #cancelRetry = () => {};
  #cancelLook = () => {};
  /** The last round, and how many have not ended. */
  #lastRound: Promise<void> = Promise.resolve();
  #openRounds = 0;
  #nextRound: Promise<void> | null = null;
  #reportedRound: Promise<void> | null = null;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
    this.#checks = createChecks({ ...parts, onLateAnswer: () => this.#resolveUnasked() });
    parts.changes.subscribe(({ id, status }) => {
      if (status !== "pending") this.#checks.drop(id);
    });
  }

  /** Whether something may be due and not resolved. Does not ask the database. */
  get isBehind(): boolean {
    return this.#openRounds > 0 || this.#hasFailed || this.#alarmAtMs <= this.#parts.clock.nowMs();
  }

  /** Whether the last write failed. The resolver tries again by itself. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** A check is due at `atMs`. */
  wakeAt(atMs: number): void {
    if (this.#isStopped || atMs >= this.#alarmAtMs) return;
    this.#cancelAlarm();
    this.#alarmAtMs = atMs;
    this.#cancelAlarm = this.#parts.clock.alarm(atMs, () => {
      this.#alarmAtMs = Number.POSITIVE_INFINITY;
      this.#resolveUnasked();
    });
  }

  /**
   * Resolves all that is due now, and sets the alarm for the next. Rejects if the store fails.
   *
   * Rounds run one after another. Callers during a round share the next one, because this round may have read its payments
   * already.
   */
  resolveDue(): Promise<void> {
    if (this.#nextRound) return this.#nextRound;
    this.#openRounds += 1;
    const round = this.#lastRound.then(() => {
      this.#nextRound = null;
      return this.#runRound();
    });
    const end = () => {
      this.#openRounds -= 1;
    };
    this.#nextRound = round;
    this.#lastRound = round.then(end, end);
    return round;
  }

  /** Resolves one payment, if it is due, before all others. Rejects if the store fails. */
  resolveFirst(checkoutRequestId: string): Promise<void> {
    const one = { checkoutRequestId, ...Promise.withResolvers<void>() };
    this.#urgent.push(one);
    this.#resolveUnasked();
    return one.promise;
  }

  /** Looks about once a second for what is due: other replicas of a shared store start payments, too, and can die. */
  watch(random: Random): void {
    if (this.#isStopped) return;
    const { realClock } = this.#parts;
    const [draw = 0] = random.bytes(1);
    const pauseMs = Math.round(LOOK_MS * (1 + LOOK_SPREAD * (draw / 127.5 - 1)));
    this.#cancelLook = realClock.alarm(realClock.nowMs() + pauseMs, () => {
      // After a failure the retry comes by itself.
      if (!this.#hasFailed) this.#resolveUnasked();
      this.watch(random);
    });
  }

  /** Drops all checks: the transactions were removed. */
  forget(): void {
    this.#checks.dropAll();
  }

  /** Stops after the current commit. The next start resolves what is still due. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelAlarm();
    this.#cancelRetry();
    this.#cancelLook();
    await this.#lastRound;
  }

  #resolveUnasked(): void {
    const round = this.resolveDue();
    if (round === this.#reportedRound) return;
    this.#reportedRound = round;
    void round.catch(this.#parts.reportFault);
  }

  /**
   * One round: all that is due when it begins. What becomes due meanwhile is for the next round, so that this one ends.
   */
  async #runRound(): Promise<void> {
    const { clock, realClock, store } = this.#parts;
    const startMs = clock.nowMs();
    // This round does what the alarm was for. The next check sets a new one.
    if (this.#alarmAtMs <= startMs) {
      this.#cancelAlarm();
      this.#alarmAtMs = Number.POSITIVE_INFINITY;
    }
    this.#cancelRetry();
    try {
      if (this.#parts.mayResolve?.() === false) {
        for (const { resolve } of this.#urgent.splice(0)) resolve();
        return;
      }
      while (!this.#isStopped && (await this.#resolveNext(startMs)));
      const nextAtMs = this.#isStopped ? null : await store.transactions.nextCheckAtMs();
      if (nextAtMs !== null) this.wakeAt(nextAtMs);
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      if (!this.#isStopped) {
        this.#cancelRetry = realClock.alarm(realClock.nowMs() + RETRY_MS, () => this.#resolveUnasked());
      }
      throw error;
    } finally {
      if (this.#isStopped) for (const { resolve } of this.#urgent.splice(0)) resolve();
    }
  }

  /** @returns whether there may be more to resolve */
  async #resolveNext(untilMs: number): Promise<boolean> {
    const first = this.#urgent.splice(0, MOST_FIRST);
    const { lateness } = this;
    const batchParts = { ...this.#parts, checks: this.#checks, lateness, isStopped: () => this.#isStopped };
    try {
      const nowMs = this.#parts.clock.nowMs();
      const asked = await Promise.all(first.map(({ checkoutRequestId }) => this.#findDue(checkoutRequestId, nowMs)));
      // A reset may have set the clock back meanwhile.
      const found = asked.filter((one) => one !== null);
      const hadWork = await resolveBatch(batchParts, found, Math.min(untilMs, nowMs), nowMs);
      for (const { resolve } of first) resolve();
      return hadWork || this.#urgent.length > 0;
    } catch (error) {
      for (const { reject } of first) reject(error);
      throw error;
    }
  }

  /** The caller may have read the payment before the last commit. */
  async #findDue(checkoutRequestId: string, nowMs: number): Promise<PendingTransaction | null> {
    const found = await this.#parts.store.transactions.findByCheckoutRequestId(checkoutRequestId);
    return found?.status === "pending" && found.checkAtMs <= nowMs ? found : null;
  }
}
