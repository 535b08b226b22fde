import { foldCase } from "../domain/list.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Query } from "./query.ts";
import { COMPLETED, PENDING, type TransactionRow } from "./rows.ts";

/** The reads of transactions that both engines make with the same statements. */

interface Engine {
  readonly read: Query;
  /** The columns of a transaction, to be selected. */
  readonly columns: string;
  /** Names the index for an engine that would choose another one; else empty. */
  indexedBy(index: string): string;
  toStored(text: string): string;
  toTransaction(row: TransactionRow): Transaction;
}

const LAST_START = `SELECT max(ms)::float8 AS ms FROM (
    SELECT (SELECT max(created_at_ms) FROM transactions WHERE merchant_id = merchants.id) AS ms FROM merchants
  ) AS newest`;

export function createSharedReads({ read, columns, indexedBy, toStored, toTransaction }: Engine) {
  const due = `transactions ${indexedBy("transactions_due")} WHERE status = ${PENDING}`;
  const overdue = `SELECT 1 AS one FROM ${due} AND check_at_ms <= $1::bigint AND expires_at_ms <= $1::bigint LIMIT 1`;
  // Newest first for each merchant, as the index has them.
  const byReference = `SELECT ${columns} FROM transactions WHERE id IN (
      SELECT (
        SELECT id FROM transactions ${indexedBy("transactions_by_reference")} WHERE merchant_id = merchants.id
          AND coalesce(reference_folded, reference) = $1::text AND reference = $2::text
        ORDER BY created_at_ms DESC, id DESC LIMIT 1
      ) FROM merchants
    ) ORDER BY created_at_ms DESC, id DESC LIMIT 1`;
  const pending = `SELECT ${columns} FROM transactions WHERE id IN (
      SELECT id FROM ${due} ORDER BY check_at_ms, id LIMIT $1::int
    ) ORDER BY created_at_ms, id`;
  const paid = `SELECT ${columns} FROM transactions ${indexedBy("transactions_paid")} WHERE status = ${COMPLETED}
    ORDER BY completed_at_ms DESC, id DESC LIMIT $1::int`;

  return {
    async findByReference(reference: string): Promise<Transaction | null> {
      const [row] = await read<TransactionRow>(byReference, [toStored(foldCase(reference)), toStored(reference)]);
      return row ? toTransaction(row) : null;
    },
    isAnyOverdue: async (nowMs: number) => (await read(overdue, [nowMs])).length > 0,
    async lastStartMs(): Promise<number | null> {
      const [newest] = await read<{ ms: number | null }>(LAST_START);
      return newest?.ms ?? null;
    },
    /** Those that are due next. */
    readPending: (limit: number) => read<TransactionRow>(pending, [limit]),
    /** Those of all phones. */
    readPaid: (limit: number) => read<TransactionRow>(paid, [limit]),
  };
}
