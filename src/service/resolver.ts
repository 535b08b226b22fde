import { Alarm, type Clock } from "../domain/clock.ts";
import type { Listeners } from "../domain/listeners.ts";
import { Rounds } from "../domain/mutex.ts";
import type { Provider } from "../domain/provider.ts";
import type { Random } from "../domain/random.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import { type CheckedPayment, type Checks, createChecks, retryLater } from "./checks.ts";

/** How many urgent payments are resolved together. */
const MAX_URGENT = 500;

/** How many payments share one commit. Between commits the event loop serves requests, and a stop takes effect. */
const BATCH = 500;

/** How soon to try again after the store failed. */
const RETRY_MS = 1000;

/** How often to poll for payments of other replicas, with a random fifth more or less, so that they do not poll together. */
const POLL_MS = 1000;
const POLL_SPREAD = 0.2;

export interface ResolverParts {
  readonly store: Pick<Store, "transactions" | "vitals">;
  readonly provider: Provider;
  readonly clock: Clock;
  /** Real time, for retries: they must work while the sandbox clock is frozen. */
  readonly realClock: Clock;
  readonly random: Random;
  /** Whether this process knows the time that all processes share. If not, rounds do nothing. Absent for a single process. */
  readonly mayDecide?: () => boolean;
  readonly changes: Listeners<[Transaction]>;
  readonly reportFault: (error: unknown) => void;
}

interface Urgent extends PromiseWithResolvers<void> {
  readonly checkoutRequestId: string;
}

/**
 * Resolves payments when they are due. The database is the schedule: the resolver keeps one alarm, for the earliest check,
 * and none while nothing is pending.
 */
export class Resolver {
  readonly #parts: ResolverParts;
  readonly #checks: Checks;
  readonly #urgent: Urgent[] = [];
  /** How late checks were made, by the sandbox's clock: their number, and the sum. */
  readonly lateness = { count: 0, sumMs: 0 };
  #isStopped = false;
  #hasFailed = false;
  #isClockUnknown = false;
  /** For the next check, by the sandbox's clock. */
  readonly #alarm: Alarm;
  /** Of real time. */
  readonly #retry: Alarm;
  readonly #poll: Alarm;
  readonly #rounds = new Rounds(() => this.#runRound());

  constructor(parts: ResolverParts) {
    this.#parts = parts;
    const resolve = () => this.#resolveInBackground();
    this.#alarm = new Alarm(parts.clock, resolve);
    this.#retry = new Alarm(parts.realClock, resolve);
    this.#poll = new Alarm(parts.realClock, () => {
      // After a failure, the retry is already scheduled.
      if (!this.#hasFailed) resolve();
      this.watch();
    });
    this.#checks = createChecks({ ...parts, onLateAnswer: resolve });
    parts.changes.subscribe(({ id, status }) => {
      if (status !== "pending") this.#checks.drop(id);
    });
  }

  /** Whether a payment may be due and not resolved. It does not query the database. */
  get isBehind(): boolean {
    return this.#rounds.isOpen || this.#hasFailed || this.#alarm.isDue;
  }

  /** Whether the last round failed. The resolver tries again by itself. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether the last round did nothing, because this process did not know the time that all share. */
  get isClockUnknown(): boolean {
    return this.#isClockUnknown;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Sets the alarm for a check that is due at `atMs`, unless it is set for an earlier one. */
  wakeAt(atMs: number): void {
    if (!this.#isStopped) this.#alarm.wakeAt(atMs);
  }

  /** Resolves all that is due now, and sets the alarm for the next check. Rejects if the store fails. */
  resolveDue(): Promise<void> {
    return this.#rounds.request();
  }

  /** Resolves one payment, if it is due, before all others. Rejects if the store fails. */
  resolveFirst(checkoutRequestId: string): Promise<void> {
    const one = { checkoutRequestId, ...Promise.withResolvers<void>() };
    this.#urgent.push(one);
    this.#resolveInBackground();
    return one.promise;
  }

  /** Polls for due payments about once a second, because other replicas of a shared store also start payments and can crash. */
  watch(): void {
    if (this.#isStopped) return;
    const { realClock, random } = this.#parts;
    const [draw = 0] = random.bytes(1);
    const pauseMs = Math.round(POLL_MS * (1 + POLL_SPREAD * (draw / 127.5 - 1)));
    this.#poll.wakeAt(realClock.nowMs() + pauseMs);
  }

  /**
   * Removes or replaces the transactions between two rounds, so that no decision about the old ones is written to the new ones. All
   * checks of the old ones are dropped, and the next alarm is that of the payments which are there now.
   */
  async replaceTransactions(replace: () => Promise<void>): Promise<void> {
    await this.#rounds.between(async () => {
      await replace();
      this.#checks.dropAll();
      this.#alarm.cancel();
      this.#resolveInBackground();
    });
  }

  /** Stops after the current commit. The next start resolves what is still due. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const alarm of [this.#alarm, this.#retry, this.#poll]) alarm.cancel();
    await this.#rounds.whenIdle();
  }

  #resolveInBackground(): void {
    // Who has requested it already gets its error.
    if (!this.#rounds.isRequested) void this.#rounds.request().catch(this.#parts.reportFault);
  }

  /** One round: all that is due when it starts. Payments that become due later wait for the next round, so that this one ends. */
  async #runRound(): Promise<void> {
    const { clock, realClock, store } = this.#parts;
    const startMs = clock.nowMs();
    // This round resolves the payment of the alarm. Its end sets a new alarm.
    if (this.#alarm.isDue) this.#alarm.cancel();
    this.#retry.cancel();
    try {
      this.#isClockUnknown = this.#parts.mayDecide?.() === false;
      if (this.#isClockUnknown) {
        for (const { resolve } of this.#urgent.splice(0)) resolve();
        return;
      }
      while (!this.#isStopped && (await this.#resolveNext(startMs)));
      const nextAtMs = this.#isStopped ? null : await store.transactions.nextCheckAtMs();
      if (nextAtMs !== null) this.wakeAt(nextAtMs);
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      if (!this.#isStopped) this.#retry.wakeAt(realClock.nowMs() + RETRY_MS);
      throw error;
    } finally {
      if (this.#isStopped) for (const { resolve } of this.#urgent.splice(0)) resolve();
    }
  }

  /** @returns whether there may be more to resolve */
  async #resolveNext(untilMs: number): Promise<boolean> {
    const first = this.#urgent.splice(0, MAX_URGENT);
    try {
      const nowMs = this.#parts.clock.nowMs();
      const reads = await Promise.all(first.map(({ checkoutRequestId }) => this.#findDue(checkoutRequestId, nowMs)));
      const found = reads.filter((one) => one !== null);
      // A reset may have set the clock back since the round started.
      const hadWork = await this.#resolveBatch(found, Math.min(untilMs, nowMs), nowMs);
      for (const { resolve } of first) resolve();
      return hadWork || this.#urgent.length > 0;
    } catch (error) {
      for (const { reject } of first) reject(error);
      throw error;
    }
  }

  /** Reads the payment again, because the last commit may have resolved it. */
  async #findDue(checkoutRequestId: string, nowMs: number): Promise<PendingTransaction | null> {
    const found = await this.#parts.store.transactions.findByCheckoutRequestId(checkoutRequestId);
    return found?.status === "pending" && found.checkAtMs <= nowMs ? found : null;
  }

  /**
   * Checks `first` and the payments that are due by `untilMs` with the provider. Writes the results in one commit, each only if
   * the payment is still pending. Every payment ends by its deadline, whatever the provider says.
   * @returns whether there was anything to write
   */
  async #resolveBatch(first: readonly PendingTransaction[], untilMs: number, nowMs: number): Promise<boolean> {
    const { transactions, vitals } = this.#parts.store;
    let outcomes: readonly CheckedPayment[] = [];
    let changed: readonly Transaction[] = [];
    try {
      changed = await transactions.resolveDue(untilMs, BATCH, async (due) => {
        outcomes = await this.#checkAll([...first, ...due], nowMs);
        return outcomes.map(({ result }) => result);
      });
    } catch (error) {
      if (outcomes.length === 0 || this.#isStopped || vitals.engineFailureOf(error) !== null) throw error;
      // One of them was refused. Write them one by one: the error names the payment.
      await this.#recordOneByOne(outcomes, nowMs);
    }
    this.#announce(changed);
    return outcomes.length > 0;
  }

  async #checkAll(listed: readonly PendingTransaction[], nowMs: number): Promise<CheckedPayment[]> {
    // A payment that is urgent can also be among those that are due.
    const due = [...new Map(listed.map((pending) => [pending.id, pending])).values()];
    this.lateness.count += due.length;
    for (const { checkAtMs } of due) this.lateness.sumMs += nowMs - checkAtMs;
    const outcomes = new Map<number, CheckedPayment>();
    for (const checked of await this.#checks.run(due, nowMs)) outcomes.set(checked.pending.id, checked);
    for (const pending of due) {
      if (!outcomes.has(pending.id)) outcomes.set(pending.id, { pending, result: retryLater(pending, nowMs) });
    }
    return [...outcomes.values()];
  }

  /** If one result cannot be written (such as a receipt number that already exists), the others still are. */
  async #recordOneByOne(outcomes: readonly CheckedPayment[], nowMs: number): Promise<void> {
    const { transactions } = this.#parts.store;
    for (const { pending, result } of outcomes) {
      if (this.#isStopped) return;
      const changed = await transactions.record([result]).catch((error: unknown) => {
        this.#parts.reportFault(error);
        return transactions.record([retryLater(pending, nowMs)]);
      });
      this.#announce(changed);
    }
  }

  #announce(changed: readonly Transaction[]): void {
    for (const transaction of changed) if (transaction.status !== "pending") this.#parts.changes.announce(transaction);
  }
}
