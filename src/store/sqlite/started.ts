import type { PendingTransaction } from "../../domain/transaction.ts";
import type { TurnReads } from "./turn-reads.ts";

/** Payments of less than a second at full load. Each takes about a kilobyte. */
const CAPACITY = 16_384;

export type Started = ReturnType<typeof createStarted>;

/** The payments that this process has started last, by their ids: most are resolved by the process that started them. */
export function createStarted(turnReads: TurnReads) {
  /** A ring: ids grow, so a new payment replaces the oldest. */
  const ring: (PendingTransaction | undefined)[] = [];
  let keptAt: number | undefined;
  return {
    keep(pending: PendingTransaction): void {
      ring[pending.id % CAPACITY] = pending;
    },
    find(id: number): PendingTransaction | undefined {
      const version = turnReads.enter();
      // Another connection has written.
      if (version !== keptAt) ring.length = 0;
      keptAt = version;
      const pending = ring[id % CAPACITY];
      return pending?.id === id ? pending : undefined;
    },
    /** Call it after a write to this row. */
    forget(id: number): void {
      if (ring[id % CAPACITY]?.id === id) ring[id % CAPACITY] = undefined;
    },
    clear(): void {
      ring.length = 0;
    },
  };
}
