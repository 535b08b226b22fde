import type { Database } from "bun:sqlite";
import assert from "node:assert/strict";
import { foldCase, type Page } from "../../domain/filter.ts";
import type { AmountCents } from "../../domain/money.ts";
import type { Msisdn } from "../../domain/phone.ts";
import type {
  CompletedTransaction,
  NewTransaction,
  PendingTransaction,
  Transaction,
  TransactionFacts,
} from "../../domain/transaction.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { createLookupCache } from "./lookup-cache.ts";
import { NEXT_NUMBER, raiseNumberFloor } from "./numbers.ts";
import { onFirstUse } from "./on-first-use.ts";
import type { transactions } from "./schema.ts";
import type { Snapshot } from "./snapshot.ts";

export type TransactionStore = ReturnType<typeof createTransactionStore>;

/** A row of the table, by the schema's names. */
export type TransactionRow = typeof transactions.$inferSelect;

/** All columns, by the schema's names; a test compares them with the schema. */
export const ROW = `id, merchant_id AS merchantId, payment_account_id AS paymentAccountId, kind, status,
  amount_cents AS amountCents, fee_cents AS feeCents, phone, reference, reference_folded AS referenceFolded, description,
  checkout_request_id AS checkoutRequestId, merchant_request_id AS merchantRequestId, transaction_code AS transactionCode,
  momo_receipt_number AS receiptNumber, result_code AS resultCode, result_desc AS resultDesc, created_at_ms AS createdAtMs,
  expires_at_ms AS expiresAtMs, completed_at_ms AS completedAtMs, check_at_ms AS checkAtMs, memo,
  final_memo AS finalMemo`;

/** So many payments of one phone are looked up in a few milliseconds. */
const FEW_OF_PHONE = 1000;

/** So many entries of an index are gone through in a few milliseconds; there may be millions. */
const MOST_SCANNED = 20_000;

/**
 * Transactions one by one: stored, found, due and resolved. These statements are known beforehand and run all the time, so they
 * are SQL; drizzle makes those of the list, which depend on what is asked for.
 */
export function createTransactionStore(client: Database, snapshot: Snapshot, commits: CommitQueue) {
  const insert = onFirstUse(() =>
    client.query<never, Record<string, string | number | null>>(
      `INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
        reference_folded, description, checkout_request_id, merchant_request_id, created_at_ms, expires_at_ms, check_at_ms, memo)
      VALUES (${NEXT_NUMBER}, $merchantId, $paymentAccountId, $kind, $status, $amountCents, $feeCents, $phone, $reference,
        $referenceFolded, $description, $checkoutRequestId, $merchantRequestId, $createdAtMs, $expiresAtMs, $checkAtMs, $memo)`,
    ),
  );

  const byCheckoutRequestId = onFirstUse(() =>
    client.query<TransactionRow, [string]>(`SELECT ${ROW} FROM transactions WHERE checkout_request_id = ?`),
  );

  // Whoever waits for an outcome asks for the same transaction every few seconds, and mostly learns nothing new.
  const polled = createLookupCache(snapshot, (checkoutRequestId: string) => {
    const row = byCheckoutRequestId().get(checkoutRequestId);
    // The column does not tell letter case; an identifier does.
    return row?.checkoutRequestId === checkoutRequestId ? toTransaction(row) : null;
  });

  const due = onFirstUse(() =>
    client.query<TransactionRow, [number, number]>(
      `SELECT ${ROW} FROM transactions WHERE status = 'pending' AND check_at_ms <= ? ORDER BY check_at_ms, id LIMIT ?`,
    ),
  );

  const overdue = onFirstUse(() =>
    client.query<{ id: number }, [number]>(
      `SELECT id FROM transactions INDEXED BY transactions_due
      WHERE status = 'pending' AND check_at_ms <= ?1 AND expires_at_ms <= ?1 LIMIT 1`,
    ),
  );

  const earliest = onFirstUse(() =>
    client.query<{ checkAtMs: number }, []>(
      "SELECT check_at_ms AS checkAtMs FROM transactions WHERE status = 'pending' ORDER BY check_at_ms LIMIT 1",
    ),
  );

  const lastDue = onFirstUse(() =>
    client.query<{ createdAtMs: number }, []>(
      `SELECT created_at_ms AS createdAtMs FROM transactions WHERE status = 'pending' ORDER BY check_at_ms DESC LIMIT 1`,
    ),
  );

  const pending = onFirstUse(() =>
    client.query<TransactionRow, [Msisdn | null, number]>(
      // The schedule holds the pending alone. By itself SQLite would go through all that ever was, because it lies in this order.
      `SELECT ${ROW} FROM transactions WHERE id IN (
        SELECT id FROM transactions INDEXED BY transactions_due WHERE status = 'pending'
        ORDER BY check_at_ms LIMIT iif(?1 IS NULL, ?2, ${MOST_SCANNED})
      ) AND (?1 IS NULL OR phone = ?1) ORDER BY id LIMIT ?2`,
    ),
  );

  const pendingAmong = onFirstUse(() =>
    client.query<TransactionRow, [string, number]>(
      `SELECT ${ROW} FROM transactions WHERE +status = 'pending' AND id IN (SELECT value FROM json_each(?))
      ORDER BY id LIMIT ?`,
    ),
  );

  const paid = onFirstUse(() =>
    client.query<TransactionRow, [number]>(
      `SELECT ${ROW} FROM transactions INDEXED BY transactions_paid WHERE status = 'completed'
      ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
  );

  const paidBy = onFirstUse(() =>
    client.query<TransactionRow, [Msisdn, number]>(
      `SELECT ${ROW} FROM transactions WHERE id IN (
        SELECT id FROM (
          SELECT id, phone FROM transactions INDEXED BY transactions_paid WHERE status = 'completed'
          ORDER BY completed_at_ms DESC LIMIT ${MOST_SCANNED}
        ) WHERE phone = ?
      ) ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
  );

  const ofPhone = onFirstUse(() =>
    client.query<{ id: number }, [Msisdn]>(
      `SELECT id FROM transactions WHERE merchant_id IN (SELECT id FROM merchants) AND phone = ? LIMIT ${FEW_OF_PHONE + 1}`,
    ),
  );

  const paidAmong = onFirstUse(() =>
    client.query<TransactionRow, [string, number]>(
      `SELECT ${ROW} FROM transactions WHERE +status = 'completed' AND id IN (SELECT value FROM json_each(?))
      ORDER BY completed_at_ms DESC, id DESC LIMIT ?`,
    ),
  );

  const byReference = onFirstUse(() =>
    client.query<TransactionRow, [string, string]>(
      `SELECT ${ROW} FROM transactions
      WHERE merchant_id IN (SELECT id FROM merchants) AND reference_folded = ? AND reference = ? ORDER BY id DESC LIMIT 1`,
    ),
  );

  // Of each outcome its RECORDED members, in their order, and the final memo.
  const recorded = (member: (typeof RECORDED)[number]) => `outcome.value ->> ${RECORDED.indexOf(member)}`;
  const resolve = onFirstUse(() =>
    client.query<{ id: number }, [string]>(
      // The pluses keep SQLite from going through all that is pending: few rows are looked up, by their ids. Where all transactions
      // were forgotten, the id may be another's by now; the request id never is.
      `UPDATE transactions SET status = ${recorded("status")}, transaction_code = ${recorded("transactionCode")},
        momo_receipt_number = ${recorded("receiptNumber")}, result_code = ${recorded("resultCode")},
        result_desc = ${recorded("resultDesc")}, completed_at_ms = ${recorded("completedAtMs")},
        check_at_ms = ${recorded("checkAtMs")}, memo = CASE WHEN ${recorded("status")} = 'pending' THEN memo END,
        final_memo = outcome.value ->> ${RECORDED.length}
      FROM json_each(?) AS outcome
      WHERE transactions.id = ${recorded("id")} AND +status = 'pending'
        AND +checkout_request_id = ${recorded("checkoutRequestId")}
      RETURNING transactions.id`,
    ),
  );

  /** The ids of a phone's transactions as JSON, where they are few; otherwise null. */
  function fewOf(phone: Msisdn): string | null {
    const rows = ofPhone().all(phone);
    return rows.length <= FEW_OF_PHONE ? JSON.stringify(rows.map(({ id }) => id)) : null;
  }

  return {
    /** Stores a transaction that has just been opened, and numbers it. */
    async insert(transaction: NewTransaction): Promise<number> {
      const { reference } = transaction;
      const row = { ...transaction, referenceFolded: reference === null ? null : foldCase(reference) };
      return commits.run(() => Number(insert().run(row).lastInsertRowid));
    },

    async findByCheckoutRequestId(checkoutRequestId: string): Promise<Transaction | null> {
      return polled.find(checkoutRequestId);
    },

    /** The pending transactions to be checked by `nowMs`, in the order in which they fell due, at most `limit`. */
    async listDue(nowMs: number, limit: number): Promise<PendingTransaction[]> {
      return due().all(nowMs, limit).map(toPending);
    },

    /** Whether a transaction is pending whose deadline has passed. */
    async isAnyOverdue(nowMs: number): Promise<boolean> {
      return overdue().get(nowMs) !== null;
    },

    /** When the next check is due; null while nothing is pending. */
    async nextCheckAtMs(): Promise<number | null> {
      return earliest().get()?.checkAtMs ?? null;
    },

    /** When the pending transaction started that is due last; null while nothing is pending. */
    async lastDueStartMs(): Promise<number | null> {
      return lastDue().get()?.createdAtMs ?? null;
    },

    /**
     * Writes what became of transactions (their end, or a later time to ask again) in one commit, each only where it is still
     * pending: the first outcome wins.
     * @returns those that this call changed
     */
    async record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]> {
      // Of two outcomes of one transaction the statement would take either.
      const firsts = new Map<number, T>();
      for (const outcome of outcomes) if (!firsts.has(outcome.id)) firsts.set(outcome.id, outcome);
      const rows = Array.from(firsts.values(), (outcome: Transaction & Recorded) => [
        ...RECORDED.map((member) => outcome[member] ?? null),
        outcome.status === "pending" ? null : outcome.memo,
      ]);
      const given = JSON.stringify(rows);
      return commits.run(() => {
        const changed = new Set(
          resolve()
            .all(given)
            .map(({ id }) => id),
        );
        for (const { checkoutRequestId } of firsts.values()) polled.forget(checkoutRequestId);
        return [...firsts.values()].filter(({ id }) => changed.has(id));
      });
    },

    /**
     * The prompts that nobody has answered, oldest first: all, or those of one phone. Where there are more than `limit`, those
     * that are due next; of a phone with many payments, those among the next {@link MOST_SCANNED} of all.
     */
    async listPending(limit: number, phone: Msisdn | null = null): Promise<PendingTransaction[]> {
      const ids = phone && fewOf(phone);
      return (ids ? pendingAmong().all(ids, limit) : pending().all(phone, limit)).map(toPending);
    },

    /**
     * The payments of all merchants that completed last, newest first: all, or those of one phone. Of a phone with many payments,
     * those among the last {@link MOST_SCANNED} of all.
     */
    async listPaid(limit: number, phone: Msisdn | null = null): Promise<CompletedTransaction[]> {
      if (phone === null) return paid().all(limit).map(toCompleted);
      const ids = fewOf(phone);
      return (ids ? paidAmong().all(ids, limit) : paidBy().all(phone, limit)).map(toCompleted);
    },

    /** The newest transaction of any merchant with exactly this reference. */
    async findByReference(reference: string): Promise<Transaction | null> {
      const row = byReference().get(foldCase(reference), reference);
      return row ? toTransaction(row) : null;
    },

    /** Forgets every transaction, but not that their numbers were used. */
    async clear(): Promise<void> {
      await commits.run(() => {
        raiseNumberFloor(client);
        emptyTransactions(client);
        client.run("DELETE FROM totals");
        client.run("DELETE FROM phone_totals");
        polled.clear();
      });
    },
  };
}

/** Drops the table and makes it again: to delete a million rows one by one would hold everybody up for ten seconds. */
function emptyTransactions(client: Database): void {
  const parts = client.query<{ sql: string }, []>(
    "SELECT sql FROM sqlite_schema WHERE tbl_name = 'transactions' AND sql IS NOT NULL ORDER BY rowid",
  );
  const made = parts.all();
  client.run("DROP TABLE transactions");
  for (const { sql } of made) client.run(sql);
}

/** How many rows come before a page; past every row all pages are alike. */
export function offsetOf({ number, limit }: Page): number {
  return Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER);
}

/** By what a row is found, and what the store takes over from an outcome; the rest of a row never changes. */
const RECORDED = [
  "id",
  "status",
  "transactionCode",
  "receiptNumber",
  "resultCode",
  "resultDesc",
  "completedAtMs",
  "checkAtMs",
  "checkoutRequestId",
] as const;
type Recorded = { readonly [M in (typeof RECORDED)[number]]?: unknown };

function toPending(row: TransactionRow): PendingTransaction {
  const transaction = toTransaction(row);
  assert(transaction.status === "pending");
  return transaction;
}

function toCompleted(row: TransactionRow): CompletedTransaction {
  const transaction = toTransaction(row);
  assert(transaction.status === "completed");
  return transaction;
}

/** A row as the domain knows it. The schema's CHECKs say that no other row exists. */
export function toTransaction(row: TransactionRow): Transaction {
  const facts: { id: number } & TransactionFacts = {
    id: row.id,
    merchantId: row.merchantId,
    paymentAccountId: row.paymentAccountId,
    kind: row.kind,
    amountCents: row.amountCents as AmountCents,
    feeCents: row.feeCents,
    phone: row.phone as Msisdn,
    reference: row.reference,
    description: row.description,
    checkoutRequestId: row.checkoutRequestId,
    merchantRequestId: row.merchantRequestId,
    createdAtMs: row.createdAtMs,
    expiresAtMs: row.expiresAtMs,
  };
  switch (row.status) {
    case "pending":
      assert(row.checkAtMs !== null && row.memo !== null);
      return { ...facts, status: row.status, checkAtMs: row.checkAtMs, memo: row.memo };
    case "completed":
      assert(row.transactionCode !== null && row.receiptNumber !== null && row.completedAtMs !== null);
      assert(row.resultCode === 0 && row.resultDesc !== null);
      return {
        ...facts,
        status: row.status,
        transactionCode: row.transactionCode,
        receiptNumber: row.receiptNumber,
        resultCode: row.resultCode,
        resultDesc: row.resultDesc,
        completedAtMs: row.completedAtMs,
        memo: row.finalMemo,
      };
    case "failed":
    case "cancelled":
    case "expired":
      assert(row.resultCode !== null && row.resultDesc !== null);
      return {
        ...facts,
        status: row.status,
        resultCode: row.resultCode,
        resultDesc: row.resultDesc,
        memo: row.finalMemo,
      };
  }
}
