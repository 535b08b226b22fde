import type { Clock } from "../../src/domain/clock.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Service } from "../../src/service/service.ts";
import { createPolling } from "./polling.ts";

/** The transaction that a call waits for. */
export interface WaitCondition {
  readonly checkoutRequestId?: string;
  readonly reference?: string;
  readonly accepts: (transaction: Transaction) => boolean;
}

/** How a wait ends: with the transaction, or because all were removed, or because the server stops. */
export type WaitEnd = Transaction | "forgotten" | "stopped";

type End = (ending: WaitEnd) => void;

interface Waiter {
  readonly condition: WaitCondition;
  readonly end: End;
}

/** How many calls can wait at once. */
const CAPACITY = 10_000;

export type WaitingRoom = ReturnType<typeof createWaitingRoom>;

/** On a shared store, awaited transactions are polled this often, because another replica may have changed them. */
const POLL_MS = 50;

export interface WaitingRoomParts {
  readonly service: Pick<Service, "subscribe" | "isShared" | "findByCheckoutRequestId" | "findByReference">;
  readonly realClock: Clock;
  readonly reportFault: (error: unknown) => void;
}

/** Calls that wait for a transaction. A change finds its waiters by key, however many others wait. */
export function createWaitingRoom({ service, realClock, reportFault }: WaitingRoomParts) {
  const byKey = new Map<string, Set<Waiter>>();
  let count = 0;
  const polling = createPolling({
    realClock,
    everyMs: POLL_MS,
    isNeeded: () => service.isShared && count > 0,
    // The store combines all lookups of one turn.
    poll: () => Promise.all([...byKey].map(([key, waiters]) => lookUp(key, waiters))),
    reportFault,
  });

  async function lookUp(key: string, waiters: ReadonlySet<Waiter>): Promise<void> {
    const [waiter] = waiters;
    if (!waiter) return;
    const { checkoutRequestId, reference = "" } = waiter.condition;
    const found =
      checkoutRequestId === undefined
        ? await service.findByReference(reference)
        : await service.findByCheckoutRequestId(checkoutRequestId);
    if (found) notify(key, found);
  }

  function notify(key: string, transaction: Transaction): void {
    for (const waiter of byKey.get(key) ?? []) {
      if (waiter.condition.accepts(transaction)) waiter.end(transaction);
    }
  }

  const allWaiters = () => [...byKey.values()].flatMap((waiters) => [...waiters]);

  service.subscribe((transaction) => {
    if (count === 0) return;
    notify(idKey(transaction.checkoutRequestId), transaction);
    if (transaction.reference !== null) notify(referenceKey(transaction.reference), transaction);
  });

  return {
    get isFull() {
      return count >= CAPACITY;
    },
    /** Ends the waits for an id; waits for a reference stay. */
    forget(): void {
      for (const waiter of allWaiters()) if (waiter.condition.checkoutRequestId !== undefined) waiter.end("forgotten");
    },
    close(): void {
      polling.stop();
      for (const waiter of allWaiters()) waiter.end("stopped");
    },
    /** @returns a function that ends the wait */
    enter(condition: WaitCondition, end: End): () => void {
      const key =
        condition.checkoutRequestId !== undefined
          ? idKey(condition.checkoutRequestId)
          : referenceKey(condition.reference ?? "");
      const waiter: Waiter = { condition, end };
      const waiters = byKey.get(key) ?? new Set();
      byKey.set(key, waiters.add(waiter));
      count += 1;
      polling.start();
      return () => {
        if (!waiters.delete(waiter)) return;
        count -= 1;
        if (waiters.size === 0) byKey.delete(key);
      };
    },
  };
}

const idKey = (id: string): string => `id ${id}`;
const referenceKey = (reference: string): string => `reference ${reference}`;
