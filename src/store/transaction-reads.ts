import { foldCase } from "../domain/list.ts";
import type { Msisdn } from "../domain/phone.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Query } from "./query.ts";
import { COMPLETED, expectStatus, PENDING, type TransactionRow } from "./rows.ts";
import type { TransactionReads } from "./store.ts";

/** The reads of transactions that both engines make with the same statements. */

/** What an engine reads of one phone. Its payments can be many, and other work must not wait for it. */
export interface PhoneReads {
  /** In the order of {@link TransactionReads.listPending}. */
  readPending(limit: number, phone: Msisdn): Promise<TransactionRow[]>;
  readPaid(limit: number, phone: Msisdn): Promise<TransactionRow[]>;
  countPending(phone: Msisdn): Promise<number>;
}

interface Engine {
  readonly read: Query;
  /** The columns of a transaction, to be selected. */
  readonly columns: string;
  /** Names the index for an engine that would choose another one; else empty. */
  indexedBy(index: string): string;
  readonly ofPhone: PhoneReads;
  toStored(text: string): string;
  toTransaction(row: TransactionRow): Transaction;
}

const LAST_START = `SELECT max(ms)::float8 AS ms FROM (
    SELECT (SELECT max(created_at_ms) FROM transactions WHERE merchant_id = merchants.id) AS ms FROM merchants
  ) AS newest`;

export function createSharedReads({ read, columns, indexedBy, ofPhone, toStored, toTransaction }: Engine) {
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
    async findByReference(reference) {
      const [row] = await read<TransactionRow>(byReference, [toStored(foldCase(reference)), toStored(reference)]);
      return row ? toTransaction(row) : null;
    },
    isAnyOverdue: async (nowMs) => (await read(overdue, [nowMs])).length > 0,
    async lastStartMs() {
      const [newest] = await read<{ ms: number | null }>(LAST_START);
      return newest?.ms ?? null;
    },
    async listPending(limit, phone = null) {
      const rows = phone === null ? read<TransactionRow>(pending, [limit]) : ofPhone.readPending(limit, phone);
      return (await rows).map((row) => expectStatus("pending", toTransaction(row)));
    },
    countPending: ofPhone.countPending,
    async listPaid(limit, phone = null) {
      const rows = phone === null ? read<TransactionRow>(paid, [limit]) : ofPhone.readPaid(limit, phone);
      return (await rows).map((row) => expectStatus("completed", toTransaction(row)));
    },
  } satisfies Partial<TransactionReads>;
}
