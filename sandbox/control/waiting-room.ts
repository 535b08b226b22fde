import type { Clock } from "../../src/domain/clock.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Service } from "../../src/service/service.ts";
import { createLookout } from "./lookout.ts";

/** What a call waits for. */
export interface Wish {
  readonly checkoutRequestId?: string;
  readonly reference?: string;
  readonly accepts: (transaction: Transaction) => boolean;
}

/** How a wait ends: with the transaction, or because all were removed, or because the server stops. */
export type Ending = Transaction | "forgotten" | "stopped";

type Call = (ending: Ending) => void;

interface Waiter {
  readonly wish: Wish;
  readonly call: Call;
}

/** How many can wait at once. */
const CAPACITY = 10_000;

export type WaitingRoom = ReturnType<typeof createWaitingRoom>;

/** On a shared store, transactions that somebody waits for are looked up this often: another replica may have changed them. */
const LOOK_MS = 50;

export interface WaitingRoomParts {
  readonly service: Pick<Service, "subscribe" | "isShared" | "findByCheckoutRequestId" | "findByReference">;
  readonly realClock: Clock;
  readonly reportFault: (error: unknown) => void;
}

/** Calls that wait for a transaction. A change finds its waiters by key, however many others wait. */
export function createWaitingRoom({ service, realClock, reportFault }: WaitingRoomParts) {
  const byKey = new Map<string, Set<Waiter>>();
  let count = 0;
  const lookout = createLookout({
    realClock,
    everyMs: LOOK_MS,
    isNeeded: () => service.isShared && count > 0,
    // The store reads all of one turn at once.
    look: () => Promise.all([...byKey].map(([key, waiters]) => lookUp(key, waiters))),
    reportFault,
  });

  async function lookUp(key: string, waiters: ReadonlySet<Waiter>): Promise<void> {
    const [waiter] = waiters;
    if (!waiter) return;
    const { checkoutRequestId, reference = "" } = waiter.wish;
    const found =
      checkoutRequestId === undefined
        ? await service.findByReference(reference)
        : await service.findByCheckoutRequestId(checkoutRequestId);
    if (found) tell(key, found);
  }

  function tell(key: string, transaction: Transaction): void {
    for (const waiter of byKey.get(key) ?? []) {
      if (waiter.wish.accepts(transaction)) waiter.call(transaction);
    }
  }

  const everybody = () => [...byKey.values()].flatMap((waiters) => [...waiters]);

  service.subscribe((transaction) => {
    if (count === 0) return;
    tell(idKey(transaction.checkoutRequestId), transaction);
    if (transaction.reference !== null) tell(referenceKey(transaction.reference), transaction);
  });

  return {
    get isFull() {
      return count >= CAPACITY;
    },
    /** Ends the waits for an id; waits for a reference stay. */
    forget(): void {
      for (const waiter of everybody()) if (waiter.wish.checkoutRequestId !== undefined) waiter.call("forgotten");
    },
    close(): void {
      lookout.stop();
      for (const waiter of everybody()) waiter.call("stopped");
    },
    /** @returns a function that gives the place up */
    enter(wish: Wish, call: Call): () => void {
      const key =
        wish.checkoutRequestId !== undefined ? idKey(wish.checkoutRequestId) : referenceKey(wish.reference ?? "");
      const waiter: Waiter = { wish, call };
      const waiters = byKey.get(key) ?? new Set();
      byKey.set(key, waiters.add(waiter));
      count += 1;
      lookout.start();
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
