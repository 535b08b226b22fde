import type { SavedTransactions } from "../../src/service/service.ts";
import type { Fault } from "../faults.ts";
import type { Choice } from "../network/choice.ts";
import type { Rule } from "../network/rules.ts";
import type { WebhookSettings } from "../webhooks/settings.ts";

/** The whole state at one instant, without merchants, accounts and keys. */
export interface Snapshot {
  readonly saved: SavedTransactions;
  readonly atMs: number;
  readonly isFrozen: boolean;
  readonly rules: readonly Rule[];
  readonly fallback: Choice;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly webhook: WebhookSettings | null;
}

export type SnapshotShelf = ReturnType<typeof createSnapshotShelf>;

/** The snapshots, in the memory of this process. */
export function createSnapshotShelf() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    byName: new Map<string, Snapshot>(),
    /** Runs one piece of work after another, so that they do not disturb each other. */
    inTurn<T>(work: () => Promise<T>): Promise<T> {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
  };
}

export const MAX_SNAPSHOTS = 20;

/** A restore of this many takes a second. Each needs about 200 bytes of memory. */
export const MAX_SAVED_TRANSACTIONS = 100_000;
export const MAX_SAVED = 200_000;
