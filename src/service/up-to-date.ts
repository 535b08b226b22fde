import type { Clock } from "../domain/clock.ts";
import { Refusal } from "../domain/error.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Resolver } from "./resolver.ts";

interface Parts {
  readonly store: Pick<Store, "transactions" | "isShared">;
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly resolver: Resolver;
  readonly reportFault: (error: unknown) => void;
}

/**
 * Resolves what is due before anybody reads it: a timer may be late, and no payment is answered as pending after its deadline.
 * Reads decide nothing; frequent polling only changes when an outcome is written.
 */
export interface UpToDate {
  /** One transaction; null where there is none. */
  find(look: () => Promise<Transaction | null>): Promise<Transaction | null>;
  /** To be called before many are read. */
  catchUp(): Promise<void>;
}

/** How long another process can hold a due payment before the engine takes it away from it, and how often to look. */
const HELD_MS = 5000;
const LOOK_MS = 20;

export function createUpToDate({ store, clock, realClock, resolver, reportFault }: Parts): UpToDate {
  /** If the store cannot be written, or the server stops, reading works as long as no payment is past its deadline. */
  async function resolveWith(resolveIt: () => Promise<void>, isOverdue: () => Promise<boolean>): Promise<void> {
    if (resolver.hasFailed && !(await isOverdue())) return;
    try {
      await resolveIt();
    } catch (error) {
      if (await isOverdue()) throw error;
      reportFault(error);
    }
    if (resolver.isStopped && (await isOverdue()))
      throw new Refusal("stopping", "the server stops: ask again when it is back");
  }

  const isAnyOverdue = () => store.transactions.isAnyOverdue(clock.nowMs());

  /** Another process may have started what is due, and this one knows nothing of it. */
  async function isOtherDue(): Promise<boolean> {
    return store.isShared && ((await store.transactions.nextCheckAtMs()) ?? Number.POSITIVE_INFINITY) <= clock.nowMs();
  }

  /** A payment that another process is resolving now was left out here. */
  async function outwaitOthers(): Promise<void> {
    const untilMs = realClock.nowMs() + HELD_MS;
    while (await isAnyOverdue()) {
      if (realClock.nowMs() >= untilMs) throw new Error("another process holds an overdue payment");
      const { promise, resolve } = Promise.withResolvers<void>();
      realClock.alarm(realClock.nowMs() + LOOK_MS, resolve);
      await promise;
      await resolver.resolveDue();
    }
  }

  return {
    async find(look) {
      const found = await look();
      if (found?.status !== "pending" || found.checkAtMs > clock.nowMs()) return found;
      const isOverdue = async () => found.expiresAtMs <= clock.nowMs();
      await resolveWith(() => resolver.resolveFirst(found.checkoutRequestId), isOverdue);
      return look();
    },
    async catchUp() {
      if (!resolver.isBehind && !(await isOtherDue())) return;
      await resolveWith(() => resolver.resolveDue(), isAnyOverdue);
      if (store.isShared) await outwaitOthers();
    },
  };
}
