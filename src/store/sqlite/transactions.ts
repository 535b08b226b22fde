import type { Database } from "bun:sqlite";
import { foldCase } from "../../domain/filter.ts";
import { onFirstUse } from "../../domain/on-first-use.ts";
import type { Msisdn } from "../../domain/phone.ts";
import type { PendingTransaction, Transaction } from "../../domain/transaction.ts";
import type { TransactionStore } from "../store.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { createCopies, emptyTransactions } from "./copies.ts";
import { createLookupCache } from "./lookup-cache.ts";
import type { Numbering } from "./numbering.ts";
import {
  COMPLETED,
  codeOfKind,
  PENDING,
  ROW,
  type TransactionRow,
  toChange,
  toCompleted,
  toNewRow,
  toPending,
  toTransaction,
} from "./schema.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Counted, TotalsChange } from "./totals.ts";

/** So many payments of one phone are looked up in a few milliseconds. */
const FEW_OF_PHONE = 1000;

/** So many entries of an index are gone through in a few milliseconds; there may be millions. */
const MOST_SCANNED = 20_000;

interface Parts {
  readonly client: Database;
  readonly snapshot: Snapshot;
  readonly commits: CommitQueue;
  readonly totals: TotalsChange;
  readonly numbering: Numbering;
}

/** Transactions one by one. */
export function createTransactionStore({ client, snapshot, commits, totals, numbering }: Parts): TransactionStore {
  const { requestIds } = numbering;
  const copies = createCopies(client);
  const statements = onFirstUse(() => prepare(client));

  // Whoever waits for an outcome asks for the same transaction every few seconds, and mostly learns nothing new.
  const polled = createLookupCache(snapshot, (checkoutRequestId: string) => {
    const id = requestIds().numberOf(checkoutRequestId);
    const row = id === null ? null : statements().byId.get(id);
    const transaction = row && toTransaction(row, requestIds());
    return transaction?.checkoutRequestId === checkoutRequestId ? transaction : null;
  });

  /** Counts restores: what was decided before one is about transactions that are others now. */
  let era = 0;

  async function record<T extends Transaction>(outcomes: readonly T[], began = era): Promise<T[]> {
    // Of two outcomes of one transaction the first counts.
    const firsts = new Map<number, T>();
    for (const outcome of outcomes) if (!firsts.has(outcome.id)) firsts.set(outcome.id, outcome);
    return commits.run(() => (began === era ? [...firsts.values()].filter(recordOne) : []));
  }

  /** @returns whether it was still pending */
  function recordOne(outcome: Transaction): boolean {
    polled.forget(outcome.checkoutRequestId);
    const change = toChange(outcome);
    if (statements().resolve.run(change).changes === 0) return false;
    if (change.status === PENDING) return true;
    const row = toCounted(outcome);
    totals.remove(row, PENDING);
    totals.add(row, change.status);
    return true;
  }

  /** The numbers of those that go are not given again. */
  function replaceRows(replace: () => void): void {
    numbering.keepFloor();
    replace();
    totals.begin();
    polled.clear();
  }

  /** The numbers of a phone's transactions as JSON, where they are few; otherwise null. */
  function fewOf(phone: Msisdn): string | null {
    const rows = statements().ofPhone.all(Number(phone));
    return rows.length <= FEW_OF_PHONE ? JSON.stringify(rows.map(({ id }) => id)) : null;
  }

  return {
    async identify(createdAtMs, random) {
      return requestIds().issue(numbering.next(), createdAtMs, random);
    },

    async insert(pending) {
      const row = toNewRow(pending);
      await commits.run(() => {
        statements().insert.run(row);
        totals.add(row, PENDING);
      });
    },

    async findByCheckoutRequestId(checkoutRequestId) {
      return polled.find(checkoutRequestId);
    },

    async findByReference(reference) {
      const row = statements().byReference.get(foldCase(reference), reference);
      return row ? toTransaction(row, requestIds()) : null;
    },

    // Only one process at a time has the database for its schedule, so that nothing has to be locked meanwhile.
    async resolveDue(nowMs, limit, decide) {
      const began = era;
      const rows = statements().due.all(nowMs, limit);
      const outcomes = await decide(rows.map((row) => toPending(row, requestIds())));
      return outcomes.length === 0 ? [] : record(outcomes, began);
    },

    record: (outcomes) => record(outcomes),

    async nextCheckAtMs() {
      return statements().earliest.get()?.checkAtMs ?? null;
    },

    async isAnyOverdue(nowMs) {
      return statements().overdue.get(nowMs) !== null;
    },

    async lastDueStartMs() {
      return statements().lastDue.get()?.createdAtMs ?? null;
    },

    async listPending(limit, phone = null): Promise<PendingTransaction[]> {
      const { pending, pendingAmong } = statements();
      const ids = phone && fewOf(phone);
      const rows = ids ? pendingAmong.all(ids, limit) : pending.all(phone && Number(phone), limit);
      return rows.map((row) => toPending(row, requestIds()));
    },

    async listPaid(limit, phone = null) {
      const { paid, paidAmong, paidBy } = statements();
      const ids = phone && fewOf(phone);
      const ofPhone = () => (ids ? paidAmong.all(ids, limit) : paidBy.all(Number(phone), limit));
      return (phone === null ? paid.all(limit) : ofPhone()).map((row) => toCompleted(row, requestIds()));
    },

    async clear() {
      await commits.run(() => replaceRows(() => emptyTransactions(client)));
    },

    async save(most) {
      const copy = await commits.run(() => copies.save(most));
      return (
        copy && {
          count: copy.count,
          restore: () =>
            commits.run(() => {
              replaceRows(() => copies.restore(copy));
              era += 1;
            }),
          drop: () => commits.run(() => copies.drop(copy)),
        }
      );
    },
  };
}

const toCounted = (transaction: Transaction): Counted => ({ ...transaction, kind: codeOfKind(transaction.kind) });

function prepare(client: Database) {
  return {
    insert: client.query<never, ReturnType<typeof toNewRow>>(
      `INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
        reference_folded, description, secret, created_at_ms, expires_at_ms, check_at_ms, memo)
      VALUES ($id, $merchantId, $paymentAccountId, $kind, ${PENDING}, $amountCents, $feeCents, $phone, $reference,
        $referenceFolded, $description, $secret, $createdAtMs, $expiresAtMs, $checkAtMs, $memo)`,
    ),
    resolve: client.query<never, ReturnType<typeof toChange>>(
      // The plus keeps SQLite from going through all that is pending: the row is found by its number.
      `UPDATE transactions SET status = $status, check_at_ms = $checkAtMs, completed_at_ms = $completedAtMs,
        result_code = $resultCode, result_desc = $resultDesc, receipt_number = $receiptNumber, memo = $memo
      WHERE id = $id AND +status = ${PENDING}`,
    ),
    byId: client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`),
    byReference: client.query<TransactionRow, [string, string]>(
      `SELECT ${ROW} FROM transactions
      WHERE merchant_id IN (SELECT id FROM merchants) AND coalesce(reference_folded, reference) = ? AND reference = ?
      ORDER BY id DESC LIMIT 1`,
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
    lastDue: client.query<{ createdAtMs: number }, []>(
      `SELECT created_at_ms AS createdAtMs FROM transactions WHERE status = ${PENDING} ORDER BY check_at_ms DESC LIMIT 1`,
    ),
    pending: client.query<TransactionRow, [number | null, number]>(
      // The schedule holds the pending alone. By itself SQLite would go through all that ever was, because it lies in this order.
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
    ofPhone: client.query<{ id: number }, [number]>(
      `SELECT id FROM transactions WHERE merchant_id IN (SELECT id FROM merchants) AND phone = ? LIMIT ${FEW_OF_PHONE + 1}`,
    ),
    paidAmong: client.query<TransactionRow, [string, number]>(
      `SELECT ${ROW} FROM transactions WHERE +status = ${COMPLETED} AND id IN (SELECT value FROM json_each(?))
      ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
  };
}
