import type { Clock } from "../../src/domain/clock.ts";
import { Refusal } from "../../src/domain/error.ts";
import { createRepeater } from "../../src/domain/repeater.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Service } from "../../src/service/service.ts";

/** The transaction that a call waits for: the one with the id, or else the newest with the reference. */
export interface WaitCondition {
  readonly checkoutRequestId?: string | undefined;
  readonly reference?: string | undefined;
  readonly accepts: (transaction: Transaction) => boolean;
}

/** How a wait ends: with the transaction, at the time-out, because all were removed, or because the server stops. */
export type WaitEnd = Transaction | "late" | "forgotten" | "stopped";

interface Waiter {
  readonly condition: WaitCondition;
  readonly end: (end: WaitEnd) => void;
}

export const noSuchPayment = () => new Refusal("not_found", "there is no payment with this checkout request id");

/** How many calls can wait at once. */
const CAPACITY = 10_000;

export interface WaitingRoom {
  readonly isFull: boolean;
  /** All payments are others now. Ends the waits for an id; those for a reference go on with the payments that are there. */
  forget(): void;
  close(): void;
  /**
   * Waits in real time.
   * @param gone aborted when the client has disconnected
   * @throws Refusal `not_found` for an unknown id; a payment with a reference need not have started
   */
  wait(condition: WaitCondition, timeoutMs: number, gone: AbortSignal): Promise<WaitEnd>;
}

/** On a shared store, awaited transactions are polled this often, because another replica may have changed them. */
const POLL_MS = 50;

export interface WaitingRoomParts {
  readonly service: Pick<Service, "subscribe" | "isShared" | "findByCheckoutRequestId" | "findByReference">;
  readonly realClock: Clock;
  readonly reportFault: (error: unknown) => void;
}

/** Calls that wait for a transaction. */
export function createWaitingRoom({ service, realClock, reportFault }: WaitingRoomParts): WaitingRoom {
  const waiters = new Set<Waiter>();
  const { find, lookUp } = createLookup(service);
  const polling = createRepeater({
    clock: realClock,
    everyMs: POLL_MS,
    isNeeded: () => service.isShared && waiters.size > 0,
    work: () => lookUp(waiters),
    // A refusal is no fault: the next poll looks again.
    onError: (error) => {
      if (!(error instanceof Refusal)) reportFault(error);
    },
  });

  service.subscribe((transaction) => {
    const ofReference: Waiter[] = [];
    for (const waiter of waiters) {
      const { checkoutRequestId, reference, accepts } = waiter.condition;
      if (checkoutRequestId === undefined) {
        if (reference === transaction.reference) ofReference.push(waiter);
      } else if (checkoutRequestId === transaction.checkoutRequestId && accepts(transaction)) waiter.end(transaction);
    }
    // It may be an older payment with the reference.
    void lookUp(ofReference).catch(reportFault);
  });

  return {
    get isFull() {
      return waiters.size >= CAPACITY;
    },
    forget(): void {
      const isOfReference = ({ condition }: Waiter) => condition.checkoutRequestId === undefined;
      void lookUp([...waiters].filter(isOfReference)).catch(reportFault);
      for (const waiter of waiters) if (!isOfReference(waiter)) waiter.end("forgotten");
    },
    close(): void {
      polling.stop();
      for (const { end } of waiters) end("stopped");
    },
    async wait(condition: WaitCondition, timeoutMs: number, gone: AbortSignal): Promise<WaitEnd> {
      const { promise, resolve: end } = Promise.withResolvers<WaitEnd>();
      const waiter: Waiter = { condition, end };
      // Before the lookup, so that no change is missed between the two.
      waiters.add(waiter);
      polling.start();
      const cancelAlarm = realClock.alarm(realClock.nowMs() + timeoutMs, () => end("late"));
      gone.addEventListener("abort", () => end("late"));
      // If the client has already disconnected, no event is fired.
      if (gone.aborted) end("late");
      try {
        const now = await find(condition);
        if (!now && condition.checkoutRequestId !== undefined) {
          throw noSuchPayment();
        }
        if (now && condition.accepts(now)) return now;
        const ending = await promise;
        // After a jump of the clock the time-out may ring before an outcome that was due earlier.
        const last = ending === "late" && !gone.aborted ? await find(condition) : null;
        return last && condition.accepts(last) ? last : ending;
      } finally {
        waiters.delete(waiter);
        cancelAlarm();
      }
    },
  };
}

function createLookup(service: WaitingRoomParts["service"]) {
  const find = ({ checkoutRequestId, reference = "" }: WaitCondition) =>
    checkoutRequestId === undefined
      ? service.findByReference(reference)
      : service.findByCheckoutRequestId(checkoutRequestId);

  async function lookUpGroup(group: readonly Waiter[]): Promise<void> {
    const [first] = group;
    const found = first && (await find(first.condition));
    for (const { condition, end } of group) if (found && condition.accepts(found)) end(found);
  }

  /** One lookup for all that wait for the same payment. */
  async function lookUp(waiters: Iterable<Waiter>): Promise<void> {
    const keyOf = ({ condition }: Waiter) => condition.checkoutRequestId ?? `reference ${condition.reference}`;
    await Promise.all([...Map.groupBy(waiters, keyOf).values()].map(lookUpGroup));
  }

  return { find, lookUp };
}
