import { createReads } from "../merchants.ts";
import type { Store } from "../store.ts";
import { Meter } from "../vitals.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { type OpenDatabase, type OpenOptions, openDatabase, openForReading } from "./database.ts";
import { DatabaseFileWatch } from "./database-file.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createTransactionList } from "./list.ts";
import { createSteppedReads, LongReads } from "./long-reads.ts";
import { createMerchantStore } from "./merchants.ts";
import { createNumbering, useKey } from "./numbering.ts";
import { createRun, createSql } from "./query.ts";
import { createReadSnapshot } from "./read-snapshot.ts";
import { createTotalsChange } from "./totals.ts";
import { createTransactionStore } from "./transactions.ts";
import { createVitals } from "./vitals.ts";

/** The engine that keeps everything in one SQLite file, in this process. Other folders import only this file. */

export { attemptBeside } from "./attempt.ts";
export {
  type CopyContents,
  copyDatabase,
  countTransactions,
  inspectCopy,
  inspectDatabase,
  rebuildDerivedData,
} from "./backup.ts";
export { requireDatabase } from "./database.ts";
export { draftBeside, flushToDisk, withCompanions } from "./draft.ts";
export { explain, isOfSqlite } from "./failures.ts";
export { acquireLock, isHeld } from "./lock.ts";
export { continueNumbers } from "./numbering.ts";
export { HEADER_BYTES, isOwnFile, requireOwnHeader } from "./own-file.ts";
export { putInPlace, removeDatabase, restoreLogs } from "./replace.ts";
export { readRows, writeRows } from "./transfer.ts";

interface StoreOptions extends OpenOptions {
  /** Measures commits, in milliseconds; without one they take no time. */
  readonly stopwatch?: () => number;
  /**
   * With a seed: 32 bytes for the key of request ids, of a database without payments, and a reset begins with the first number again.
   * By default a random key of its own.
   */
  readonly requestIdKey?: Uint8Array;
}

/**
 * Opens the store in a database file.
 * @throws UnusableDatabase if the file is locked, damaged, older, newer, foreign, missing, a link, or cannot be written
 */
export const openStore = (file: string, options: StoreOptions = {}): Store =>
  createStore(openDatabase(file, options), file, options);

/** Opens only the merchants, for reading. The schema may be older, because nothing is migrated: other statements may not fit it. */
export function openMerchantsForReading(file: string) {
  const { client, close } = openForReading(file);
  const run = createRun(client);
  return { merchants: createReads(async (text, parameters) => run(text, parameters)), close };
}

/**
 * The store in a database that is open already.
 *
 * - A write goes to `commits`: with the other writes of a few turns of the event loop it is one commit, and `totals` are in it.
 * - A read of a few rows runs at once on `client`. Cached ones and lists share the `readSnapshot` of their turn; a commit ends it.
 * - A list begins like that in `read`. If it needs many steps, it goes to `longReads`, on another connection, so that nothing waits.
 */
export function createStore(
  opened: OpenDatabase,
  file: string,
  { stopwatch = () => 0, requestIdKey }: Omit<StoreOptions, keyof OpenOptions> = {},
): Store {
  const { client, close } = opened;
  if (requestIdKey) useKey(opened, file, requestIdKey);
  const readSnapshot = createReadSnapshot(client);
  const totals = createTotalsChange(client);
  const meter = new Meter();
  const fileWatch = new DatabaseFileWatch(file);
  const assertFileInPlace = () => fileWatch.assertInPlace();
  const commits = createCommitQueue({ client, readSnapshot, totals, meter, stopwatch, assertFileInPlace });
  const sql = createSql(client, commits);
  const numbering = createNumbering(client, requestIdKey !== undefined);
  const deliveries = createDeliveryStore(client, sql, commits, numbering);
  const assertFileNow = () => {
    fileWatch.look();
    fileWatch.assertInPlace();
  };
  const longReads = new LongReads(file, stopwatch, assertFileNow);
  const read = createSteppedReads(client, readSnapshot, longReads);
  return {
    merchants: createMerchantStore(sql, readSnapshot, commits),
    transactions: createTransactionStore({ client, sql, readSnapshot, commits, totals, numbering, deliveries, read }),
    transactionList: createTransactionList(read, longReads, numbering.requestIds),
    deliveries,
    vitals: createVitals(client, file, { readSnapshot, meter, longReads, fileWatch, stopwatch }),
    isShared: false,
    replicaChangeToken: async () => "",
    close() {
      longReads.close();
      readSnapshot.close();
      fileWatch.closing(client, close);
    },
  };
}
