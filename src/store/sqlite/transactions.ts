import type { Database } from "bun:sqlite";
import { foldCase } from "../../domain/filter.ts";
import type { Msisdn } from "../../domain/phone.ts";
import type { PendingTransaction, Transaction } from "../../domain/transaction.ts";
import type { SearchRanges } from "../list-query.ts";
import {
  type Change,
  COMPLETED,
  firstOfEach,
  INSERT,
  type NewRow,
  PENDING,
  ROW,
  type TransactionRow,
  toChange,
  toCompleted,
  toNewRow,
  toPending,
  toTransaction,
} from "../rows.ts";
import type { TransactionReads, TransactionStore, TransactionWrites } from "../store.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { createCopies, emptyTransactions } from "./copies.ts";
import type { Deliveries } from "./deliveries.ts";
import type { LongReads } from "./long-reads.ts";
import type { Numbering } from "./numbering.ts";
import type { TotalsChange } from "./totals.ts";
import { createLookupCache, type LookupCache, type TurnReads } from "./turn-reads.ts";
import { createWordSearch, type WordsChange } from "./words.ts";

interface Parts {
  readonly client: Database;
  readonly turnReads: TurnReads;
  readonly commits: CommitQueue;
  readonly totals: TotalsChange;
  readonly words: WordsChange;
  readonly numbering: Numbering;
  readonly deliveries: Deliveries;
  readonly longReads: LongReads;
}

type Polled = LookupCache<string, Transaction>;

/** Transactions one by one. */
export function createTransactionStore(parts: Parts): TransactionStore {
  const { requestIds } = parts.numbering;
  const statements = prepareStatements(parts.client);
  // Clients poll the same transaction every few seconds, and it has mostly not changed.
  const polled = createLookupCache(parts.turnReads, (checkoutRequestId: string) => {
    const id = requestIds.numberOf(checkoutRequestId);
    const row = id === null ? null : statements.byId.get(parts.numbering.rowIdOf(id));
    const transaction = row && toTransaction(row, requestIds);
    return transaction?.checkoutRequestId === checkoutRequestId ? transaction : null;
  });
  return { ...createReads(parts, statements, polled), ...createWrites(parts, statements, polled) };
}

function createReads(
  { client, turnReads, numbering, longReads }: Parts,
  statements: Statements,
  polled: Polled,
): TransactionReads {
  const { requestIds } = numbering;
  const search = createWordSearch(client);

  /** The numbers of all transactions with a phone or a reference as JSON; null if there are many. */
  function idsOf(ranges: Partial<SearchRanges>): string | null {
    turnReads.enter();
    const searching = search(ranges, null, FEW);
    for (;;) {
      const { done, value } = searching.next();
      if (done) return value && JSON.stringify(value);
    }
  }
  const idsOfPhone = (phone: Msisdn) => idsOf({ phone: { from: Number(phone), before: Number(phone) + 1 } });

  return {
    findByCheckoutRequestId: polled.find,

    async findByReference(reference) {
      const folded = foldCase(reference);
      const ids = idsOf({ reference: { from: folded, before: `${folded}\0` } });
      const row = ids ? statements.byReferenceAmong.get(ids, reference) : statements.byReference.get(reference);
      return row ? toTransaction(row, requestIds) : null;
    },

    async nextCheckAtMs() {
      return statements.earliest.get()?.checkAtMs ?? null;
    },

    async isAnyOverdue(nowMs) {
      return statements.overdue.get(nowMs) !== null;
    },

    async lastStartMs() {
      const newest = "SELECT created_at_ms AS createdAtMs FROM transactions ORDER BY id DESC LIMIT 1";
      return client.query<{ createdAtMs: number }, []>(newest).get()?.createdAtMs ?? null;
    },

    async listPending(limit, phone = null): Promise<PendingTransaction[]> {
      const { pending, pendingAmong } = statements;
      const ids = phone && idsOfPhone(phone);
      const rows = ids ? pendingAmong.all(ids, limit) : pending.all(phone && Number(phone), limit);
      return rows.map((row) => toPending(row, requestIds));
    },

    async countPending(phone) {
      const ids = idsOfPhone(phone);
      if (ids) return statements.pendingAmong.all(ids, FEW).length;
      return longReads.run((other) => countPendingIn(other, Number(phone)));
    },

    async listPaid(limit, phone = null) {
      const { paid, paidAmong, paidBy } = statements;
      const ids = phone && idsOfPhone(phone);
      const ofPhone = () => (ids ? paidAmong.all(ids, limit) : paidBy.all(Number(phone), limit));
      return (phone === null ? paid.all(limit) : ofPhone()).map((row) => toCompleted(row, requestIds));
    },
  };
}

/** It yields where it can be interrupted. */
function* countPendingIn(client: Database, phone: number): Generator<undefined, number> {
  const pending = `SELECT phone FROM transactions INDEXED BY transactions_due WHERE status = ${PENDING}`;
  let [read, count] = [0, 0];
  for (const row of client.query<{ phone: number }, []>(pending).iterate()) {
    if (row.phone === phone) count += 1;
    read += 1;
    if (read % FEW === 0) yield;
  }
  return count;
}

function createWrites(
  { client, commits, totals, words, numbering, deliveries }: Parts,
  statements: Statements,
  polled: Polled,
): TransactionWrites {
  const copies = createCopies(client);

  /** @returns whether it was still pending */
  function recordOne(outcome: Transaction): boolean {
    polled.forget(outcome.checkoutRequestId);
    const change = { ...toChange(outcome), id: numbering.rowIdOf(outcome.id) };
    if (statements.resolve.run(change).changes === 0) return false;
    if (change.status === PENDING) return true;
    totals.count(change.id, outcome, PENDING, -1);
    totals.count(change.id, outcome, change.status, 1);
    deliveries.write(change.id);
    return true;
  }

  const record = <T extends Transaction>(outcomes: readonly T[]): Promise<T[]> =>
    commits.run(() => firstOfEach(outcomes).filter(recordOne));

  /** The numbers of the removed transactions are not used again. */
  function replaceRows(replace: () => void): void {
    numbering.saveLastUsed();
    replace();
    totals.begin();
    words.begin();
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
        totals.count(row.id, pending, PENDING, 1);
        words.add(row.id);
      });
    },

    // Only one process at a time resolves the payments of a file, so the rows need no lock.
    async resolveDue(nowMs, limit, decide) {
      const due = statements.due.all(nowMs, limit).map((row) => toPending(row, numbering.requestIds));
      const outcomes = await decide(due);
      return outcomes.length === 0 ? [] : record(outcomes);
    },

    record,

    async clear() {
      await commits.run(() => {
        replaceRows(() => emptyTransactions(client));
        numbering.reset();
      });
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

/** Looking up this many payments of one phone or reference takes a few milliseconds. */
const FEW = 1000;

/** Scanning this many entries of an index takes a few milliseconds. There can be millions. */
const MOST_SCANNED = 20_000;

type Statements = ReturnType<typeof prepareStatements>;

/** The statements on the table of transactions, except those of the list. Preparing them all takes 0.3 ms. */
function prepareStatements(client: Database) {
  return {
    insert: client.query<never, NewRow>(INSERT),
    resolve: client.query<never, Change>(
      `UPDATE transactions SET status = $status, check_at_ms = $check_at_ms, completed_at_ms = $completed_at_ms,
        result_code = $result_code, result_desc = $result_desc, receipt_number = $receipt_number, memo = $memo
      WHERE id = $id AND status = ${PENDING}`,
    ),
    byId: client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`),
    byReferenceAmong: client.query<TransactionRow, [string, string]>(
      `SELECT ${ROW} FROM transactions WHERE id IN (SELECT value FROM json_each(?)) AND reference = ? ORDER BY id DESC LIMIT 1`,
    ),
    byReference: client.query<TransactionRow, [string]>(
      `SELECT ${ROW} FROM transactions WHERE reference = ? ORDER BY id DESC LIMIT 1`,
    ),
    due: client.query<TransactionRow, [number, number]>(
      `SELECT ${ROW} FROM transactions WHERE status = ${PENDING} AND check_at_ms <= ? ORDER BY check_at_ms, id LIMIT ?`,
    ),
    earliest: client.query<{ checkAtMs: number }, []>(
      `SELECT check_at_ms AS checkAtMs FROM transactions WHERE status = ${PENDING} ORDER BY check_at_ms LIMIT 1`,
    ),
    overdue: client.query<{ id: number }, [number]>(
      `SELECT id FROM transactions INDEXED BY transactions_due
      WHERE status = ${PENDING} AND check_at_ms <= ?1 AND expires_at_ms <= ?1 LIMIT 1`,
    ),
    pending: client.query<TransactionRow, [number | null, number]>(
      // The index of the schedule has only pending rows. SQLite would scan the whole table, because it is in this order already.
      `SELECT ${ROW} FROM transactions WHERE id IN (
        SELECT id FROM transactions INDEXED BY transactions_due WHERE status = ${PENDING}
        ORDER BY check_at_ms LIMIT iif(?1 IS NULL, ?2, ${MOST_SCANNED})
      ) AND (?1 IS NULL OR phone = ?1) ORDER BY id LIMIT ?2`,
    ),
    pendingAmong: client.query<TransactionRow, [string, number]>(
      `SELECT ${ROW} FROM transactions WHERE +status = ${PENDING} AND id IN (SELECT value FROM json_each(?))
      ORDER BY id LIMIT ?`,
    ),
    paid: client.query<TransactionRow, [number]>(
      `SELECT ${ROW} FROM transactions INDEXED BY transactions_paid WHERE status = ${COMPLETED}
      ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
    paidBy: client.query<TransactionRow, [number, number]>(
      `SELECT ${ROW} FROM transactions WHERE id IN (
        SELECT id FROM (
          SELECT id, phone FROM transactions INDEXED BY transactions_paid WHERE status = ${COMPLETED}
          ORDER BY completed_at_ms DESC LIMIT ${MOST_SCANNED}
        ) WHERE phone = ?
      ) ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
    paidAmong: client.query<TransactionRow, [string, number]>(
      `SELECT ${ROW} FROM transactions WHERE +status = ${COMPLETED} AND id IN (SELECT value FROM json_each(?))
      ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
  };
}
