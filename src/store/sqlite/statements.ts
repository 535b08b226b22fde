import type { Database } from "bun:sqlite";
import { COMPLETED, INSERT, PENDING, ROW, type TransactionRow, type toChange, type toNewRow } from "../rows.ts";

/** Looking up this many payments of one phone or reference takes a few milliseconds. */
export const FEW = 1000;

/** Scanning this many entries of an index takes a few milliseconds. There can be millions. */
const MOST_SCANNED = 20_000;

export type Statements = ReturnType<typeof prepareStatements>;

/** The statements on the table of transactions, except those of the list. Preparing them all takes 0.3 ms. */
export function prepareStatements(client: Database) {
  return {
    insert: client.query<never, ReturnType<typeof toNewRow>>(INSERT),
    resolve: client.query<never, ReturnType<typeof toChange>>(
      `UPDATE transactions SET status = $status, check_at_ms = $checkAtMs, completed_at_ms = $completedAtMs,
        result_code = $resultCode, result_desc = $resultDesc, receipt_number = $receiptNumber, memo = $memo
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
    dueIds: client.query<{ id: number }, [number, number]>(
      `SELECT id FROM transactions WHERE status = ${PENDING} AND check_at_ms <= ? ORDER BY check_at_ms, id LIMIT ?`,
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
