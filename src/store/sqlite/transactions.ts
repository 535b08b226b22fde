import type { Database } from "bun:sqlite";
import { foldCase } from "../../domain/filter.ts";
import { onFirstUse } from "../../domain/on-first-use.ts";
import type { PendingTransaction, Transaction } from "../../domain/transaction.ts";
import type { TransactionStore } from "../store.ts";
import type { CommitQueue } from "./commit-queue.ts";
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
  const statements = onFirstUse(() => prepare(client));

  // Whoever waits for an outcome asks for the same transaction every few seconds, and mostly learns nothing new.
  const polled = createLookupCache(snapshot, (checkoutRequestId: string) => {
    const id = requestIds().numberOf(checkoutRequestId);
    const row = id === null ? null : statements().byId.get(id);
    const transaction = row && toTransaction(row, requestIds());
    return transaction?.checkoutRequestId === checkoutRequestId ? transaction : null;
  });

  async function record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]> {
    // Of two outcomes of one transaction the first counts.
    const firsts = new Map<number, T>();
    for (const outcome of outcomes) if (!firsts.has(outcome.id)) firsts.set(outcome.id, outcome);
    return commits.run(() => [...firsts.values()].filter(recordOne));
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
      const due = statements()
        .due.all(nowMs, limit)
        .map((row) => toPending(row, requestIds()));
      return { due: due.length, changed: due.length === 0 ? [] : await record(await decide(due)) };
    },

    record,

    async nextCheckAtMs() {
      return statements().earliest.get()?.checkAtMs ?? null;
    },

    async listPending(limit, phone = null): Promise<PendingTransaction[]> {
      const rows = statements().pending.all(phone === null ? null : Number(phone), limit);
      return rows.map((row) => toPending(row, requestIds()));
    },

    async listPaid(limit, phone = null) {
      const ids = phone === null ? null : statements().ofPhone.all(Number(phone));
      // Few payments: look them up by their phone. Many: scan what was paid last.
      const rows =
        ids !== null && ids.length <= FEW_OF_PHONE
          ? statements().paidAmong.all(JSON.stringify(ids.map(({ id }) => id)), limit)
          : statements().paid.all(phone === null ? null : Number(phone), limit);
      return rows.map((row) => toCompleted(row, requestIds()));
    },

    async clear() {
      await commits.run(() => {
        numbering.keepFloor();
        for (const table of ["transactions", "day_totals", "block_totals"]) client.run(`DELETE FROM ${table}`);
        totals.begin();
        polled.clear();
      });
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
    pending: client.query<TransactionRow, [number | null, number]>(
      // The schedule holds the pending alone. By itself SQLite would go through all that ever was, because it lies in this order.
      `SELECT ${ROW} FROM transactions WHERE id IN (
        SELECT id FROM transactions INDEXED BY transactions_due
        WHERE status = ${PENDING} AND (?1 IS NULL OR phone = ?1) ORDER BY id LIMIT ?2
      ) ORDER BY id`,
    ),
    paid: client.query<TransactionRow, [number | null, number]>(
      `SELECT ${ROW} FROM transactions INDEXED BY transactions_paid
      WHERE status = ${COMPLETED} AND (?1 IS NULL OR phone = ?1) ORDER BY completed_at_ms DESC, id DESC LIMIT ?2`,
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
