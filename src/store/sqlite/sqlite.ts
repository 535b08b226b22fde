import type { Store } from "../store.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { type OpenDatabase, type OpenOptions, openDatabase, openForReading } from "./database.ts";
import { createTransactionList } from "./list.ts";
import { createLongReads } from "./long-reads.ts";
import { createMerchantStore } from "./merchants.ts";
import { createNumbering } from "./numbering.ts";
import { createSnapshot } from "./snapshot.ts";
import { createTotalsChange } from "./totals.ts";
import { createTransactionStore } from "./transactions.ts";

/** The engine that keeps everything in one SQLite file, in this process. Its exports for others are here. */

export { admitCopy, type CopyContents, copyDatabase, inspectCopy } from "./backup.ts";
export { explain, isBusy, requireDatabase } from "./database.ts";
export { countTransactions, inspectDatabase, mendTotals } from "./inspect.ts";
export { acquireLock, isHeld } from "./lock.ts";
export { continueNumbers } from "./numbering.ts";
export { flushToDisk, putInPlace, removeDatabase, restoreLogs, withCompanions } from "./replace.ts";

/**
 * Opens the store in a database file.
 * @throws UnusableDatabase if the file is locked, damaged, older, newer, foreign, missing, a link, or cannot be written
 */
export function openStore(file: string, options?: OpenOptions): Store {
  return createStore(openDatabase(file, options), file);
}

/** Opens a store for reading: calls that write are rejected. */
export function openStoreForReading(file: string): Store {
  return createStore(openForReading(file), file);
}

/** The store in a database that is open already. `file` is its path. */
export function createStore({ client, close }: OpenDatabase, file: string): Store {
  const snapshot = createSnapshot(client);
  const totals = createTotalsChange(client);
  const commits = createCommitQueue(client, snapshot, totals);
  const numbering = createNumbering(client);
  const longReads = createLongReads(file);
  return {
    merchants: createMerchantStore(client, snapshot, commits),
    transactions: createTransactionStore({ client, snapshot, commits, totals, numbering }),
    transactionList: createTransactionList(client, snapshot, longReads, numbering.requestIds),
    isShared: false,
    markOfOthers: async () => "",
    close() {
      longReads.close();
      snapshot.end();
      close();
    },
  };
}
