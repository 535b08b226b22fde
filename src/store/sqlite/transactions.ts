import type { Database } from "bun:sqlite";
import type { Transaction } from "../../domain/transaction.ts";
import {
  type Change,
  COLUMNS,
  expectStatus,
  firstOfEach,
  INSERT,
  type NewRow,
  PENDING,
  type TransactionRow,
  toChange,
  toNewRow,
  toTransaction,
} from "../rows.ts";
import type { TransactionReads, TransactionStore, TransactionWrites } from "../store.ts";
import { createSharedReads } from "../transaction-reads.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { createCopies, emptyTransactions } from "./copies.ts";
import type { Deliveries } from "./deliveries.ts";
import type { SteppedReads } from "./long-reads.ts";
import { createLookupCache, type LookupCache } from "./lookup-cache.ts";
import type { Numbering } from "./numbering.ts";
import { createPhoneReads } from "./phone-reads.ts";
import type { SqliteSql } from "./query.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";
import type { TotalsChange } from "./totals.ts";

interface Parts {
  readonly client: Database;
  readonly sql: SqliteSql;
  readonly readSnapshot: ReadSnapshot;
  readonly commits: CommitQueue;
  readonly totals: TotalsChange;
  readonly numbering: Numbering;
  readonly deliveries: Deliveries;
  readonly read: SteppedReads;
}

type Polled = LookupCache<string, Transaction>;

/** Transactions one by one. */
export function createTransactionStore(parts: Parts): TransactionStore {
  const { requestIds } = parts.numbering;
  const statements = prepareStatements(parts.client);
  // Clients poll the same transaction every few seconds, and it has mostly not changed.
  const polled = createLookupCache(parts.readSnapshot, (checkoutRequestId: string) => {
    const id = requestIds.numberOf(checkoutRequestId);
    const row = id === null ? null : statements.byId.get(id);
    const transaction = row && toTransaction(row, requestIds);
    return transaction?.checkoutRequestId === checkoutRequestId ? transaction : null;
  });
  return { ...createReads(parts, statements, polled), ...createWrites(parts, statements, polled) };
}

function createReads({ sql, read, numbering }: Parts, statements: Statements, polled: Polled): TransactionReads {
  const { requestIds } = numbering;
  const shared = createSharedReads({
    read: sql.read,
    columns: COLUMNS,
    // Without statistics, SQLite would scan the table.
    indexedBy: (index) => `INDEXED BY ${index}`,
    ofPhone: createPhoneReads(read),
    toStored: (text) => text,
    toTransaction: (row) => toTransaction(row, requestIds),
  });
  return {
    ...shared,
    findByCheckoutRequestId: polled.find,

    async nextCheckAtMs() {
      return statements.earliest.get()?.checkAtMs ?? null;
    },
  };
}

function createWrites(
  { client, commits, totals, numbering, deliveries }: Parts,
  statements: Statements,
  polled: Polled,
): TransactionWrites {
  const copies = createCopies(client);

  /** @returns whether it was still pending */
  function recordOne(outcome: Transaction): boolean {
    polled.forget(outcome.checkoutRequestId);
    const change = toChange(outcome);
    if (statements.resolve.run(change).changes === 0) return false;
    if (change.status === PENDING) return true;
    totals.count(outcome, PENDING, -1);
    totals.count(outcome, change.status, 1);
    deliveries.write(change.id);
    return true;
  }

  const record = <T extends Transaction>(outcomes: readonly T[]): Promise<T[]> =>
    commits.run(() => firstOfEach(outcomes).filter(recordOne));

  /** The numbers of the removed transactions are not used again. */
  function replaceRows(replace: () => void): void {
    numbering.saveLastUsed();
    replace();
    totals.discard();
    polled.clear();
  }

  return {
    async identify(createdAtMs, random) {
      return numbering.requestIds.issue(numbering.next(), createdAtMs, random);
    },

    insert(pending) {
      const row = toNewRow(pending);
      return commits.run(() => {
        statements.insert.run(row);
        totals.count(pending, PENDING, 1);
      });
    },

    // Only one process at a time resolves the payments of a file, so the rows need no lock.
    async resolveDue(nowMs, limit, decide) {
      const due = statements.due
        .all(nowMs, limit)
        .map((row) => expectStatus("pending", toTransaction(row, numbering.requestIds)));
      const outcomes = await decide(due);
      return outcomes.length === 0 ? [] : record(outcomes);
    },

    record,

    async clear() {
      await commits.run(() => {
        replaceRows(() => emptyTransactions(client));
        numbering.reset();
      });
      numbering.afterReset();
    },

    async save(most) {
      const copy = await commits.run(() => {
        totals.write();
        return copies.save(most);
      });
      return (
        copy && {
          count: copy.count,
          restore: () => commits.run(() => replaceRows(() => copies.restore(copy))),
          drop: () => commits.run(() => copies.drop(copy)),
        }
      );
    },
  };
}

type Statements = ReturnType<typeof prepareStatements>;

/** The statements that only this engine has. */
function prepareStatements(client: Database) {
  return {
    insert: client.query<never, NewRow>(INSERT),
    resolve: client.query<never, Change>(
      `UPDATE transactions SET status = $status, check_at_ms = $check_at_ms, completed_at_ms = $completed_at_ms,
        result_code = $result_code, result_desc = $result_desc, receipt_number = $receipt_number, memo = $memo
      WHERE id = $id AND status = ${PENDING}`,
    ),
    byId: client.query<TransactionRow, [number]>(`SELECT ${COLUMNS} FROM transactions WHERE id = ?`),
    due: client.query<TransactionRow, [number, number]>(
      `SELECT ${COLUMNS} FROM transactions WHERE status = ${PENDING} AND check_at_ms <= ? ORDER BY check_at_ms, id LIMIT ?`,
    ),
    earliest: client.query<{ checkAtMs: number }, []>(
      `SELECT check_at_ms AS checkAtMs FROM transactions WHERE status = ${PENDING} ORDER BY check_at_ms LIMIT 1`,
    ),
  };
}
