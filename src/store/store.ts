import { createCommitQueue } from "./sqlite/commit-queue.ts";
import { type OpenDatabase, type OpenOptions, openDatabase } from "./sqlite/database.ts";
import { createMerchantStore, type MerchantStore } from "./sqlite/merchants.ts";
import { onFirstUse } from "./sqlite/on-first-use.ts";
import { createSearchThread } from "./sqlite/search-thread.ts";
import { createSnapshot } from "./sqlite/snapshot.ts";
import type { TransactionList } from "./sqlite/transaction-list.ts";
import { createTransactionStore, type TransactionStore } from "./sqlite/transactions.ts";

/** All that momo remembers, in one SQLite file. */
export interface Store {
  readonly merchants: MerchantStore;
  readonly transactions: TransactionStore;
  readonly transactionList: TransactionList;
  /** After the last write has been answered. */
  close(): void;
}

/**
 * Opens the store in a database file.
 * @throws UnusableDatabase where the file is locked, damaged, newer, foreign, missing, a link, or cannot be written
 */
export function openStore(file: string, options?: OpenOptions): Store {
  return createStore(openDatabase(file, options), file);
}

/** The store in a database that is open already, from this file. */
export function createStore({ client, close }: OpenDatabase, file: string): Store {
  const snapshot = createSnapshot(client);
  const commits = createCommitQueue(client, snapshot);
  const searchThread = createSearchThread(file);
  const list = onFirstUse(async () =>
    (await import("./sqlite/transaction-list.ts")).createTransactionList(client, searchThread),
  );
  return {
    merchants: createMerchantStore(client, snapshot, commits),
    transactions: createTransactionStore(client, snapshot, commits),
    // With drizzle, which only the list needs: a server is ready sooner without it.
    transactionList: { list: async (...asked) => (await list()).list(...asked) },
    close() {
      searchThread.close();
      snapshot.end();
      close();
    },
  };
}
