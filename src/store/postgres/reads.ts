import { foldCase } from "../../domain/list.ts";
import type { Msisdn } from "../../domain/phone.ts";
import type { Transaction } from "../../domain/transaction.ts";
import type { Query } from "../query.ts";
import { type TransactionRow, toCompleted, toPending, toTransaction } from "../rows.ts";
import type { TransactionReads } from "../store.ts";
import { createGroup } from "./group.ts";
import type { Numbering } from "./numbering.ts";
import { fromRow, numbers, ROW, toStored } from "./rows.ts";
import type { EngineSql } from "./sql.ts";

/** Looking up this many payments of one phone takes a few milliseconds. */
const FEW_OF_PHONE = 1000;

/** Scanning this many entries of an index takes a few milliseconds. There can be millions. */
const MOST_SCANNED = 20_000;

/** How long a payment is left to the replica that started it: otherwise all replicas would wake for each payment. */
const OTHERS_MS = 1000;

const LANES = 2;

const NEXT = `SELECT id::float8 AS id, check_at_ms::float8 AS ms FROM transactions WHERE status = 0
  ORDER BY check_at_ms, id LIMIT 200`;

const OVERDUE = `SELECT 1 FROM transactions
  WHERE status = 0 AND check_at_ms <= $1::bigint AND expires_at_ms <= $1::bigint LIMIT 1`;
const LAST_START = `SELECT max(ms)::float8 AS ms FROM (
    SELECT (SELECT max(created_at_ms) FROM transactions WHERE merchant_id = merchants.id) AS ms FROM merchants
  ) AS newest`;

const OF_PHONE = `SELECT id::float8 AS id FROM transactions
  WHERE merchant_id IN (SELECT id FROM merchants) AND phone = $1::bigint LIMIT ${FEW_OF_PHONE + 1}`;
// Newest first for each merchant, as the index has them.
const BY_REFERENCE = `SELECT ${ROW} FROM transactions WHERE id IN (
    SELECT (
      SELECT id FROM transactions WHERE merchant_id = merchants.id
        AND coalesce(reference_folded, reference) = $1::text AND reference = $2::text ORDER BY created_at_ms DESC, id DESC LIMIT 1
    ) FROM merchants
  ) ORDER BY created_at_ms DESC, id DESC LIMIT 1`;
const AMONG = "id = ANY($1::text::bigint[])";
const BY_IDS = `SELECT ${ROW} FROM transactions WHERE ${AMONG}`;
const PENDING_AMONG = `${BY_IDS} AND status + 0 = 0 ORDER BY created_at_ms, id LIMIT $2::int`;
const PENDING = `SELECT ${ROW} FROM transactions WHERE id IN (
    SELECT id FROM transactions WHERE status = 0 ORDER BY check_at_ms, id LIMIT CASE WHEN $1::bigint IS NULL THEN $2::int ELSE ${MOST_SCANNED} END
  ) AND ($1::bigint IS NULL OR phone = $1::bigint) ORDER BY created_at_ms, id LIMIT $2::int`;
const COUNT_PENDING = "SELECT count(*)::float8 AS count FROM transactions WHERE status = 0 AND phone = $1::bigint";
const NEWEST_PAID = "ORDER BY completed_at_ms DESC, id DESC";
const PAID = `SELECT ${ROW} FROM transactions WHERE status = 1 ${NEWEST_PAID} LIMIT $1::int`;
const PAID_AMONG = `${BY_IDS} AND status = 1 ${NEWEST_PAID} LIMIT $2::int`;
const PAID_BY = `SELECT ${ROW} FROM (
    SELECT * FROM transactions WHERE status = 1 ${NEWEST_PAID} LIMIT ${MOST_SCANNED}
  ) AS newest WHERE phone = $1::bigint ${NEWEST_PAID} LIMIT $2::int`;

/** Its commit waits for a standby. A server that was replaced as primary has none, so what it does not have proves nothing. */
const CONFIRM = "SELECT 1 FROM numbering FOR KEY SHARE";

export interface ReadsParts {
  readonly sql: EngineSql;
  readonly stopwatch: () => number;
  /** How long a statement waits for its turn. */
  readonly waitMs: number;
  /** Whether the server that answers may have been replaced by its standby. */
  readonly mayBeStale: () => boolean;
}

/** The lookups by id of one turn are one statement. */
function createLookup(parts: ReadsParts) {
  const { sql, mayBeStale } = parts;
  return createGroup<number, TransactionRow | null>({
    ...parts,
    lanes: LANES,
    async run(ids) {
      const found = new Map<number, TransactionRow>();
      const look = async (query: Query, some: Iterable<number>) => {
        for (const row of await query<TransactionRow>(BY_IDS, [numbers(some)])) found.set(row.id, fromRow(row));
      };
      await look(sql.read, new Set(ids));
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length > 0 && mayBeStale()) {
        await sql.reading(async ({ query }) => {
          await query(CONFIRM);
          await look(query, missing);
        });
      }
      return ids.map((id) => found.get(id) ?? null);
    },
  });
}

/** Reads of transactions, except their list. */
export function createReads(parts: ReadsParts, { requestIds, isOwn }: Numbering): TransactionReads {
  const { read } = parts.sql;
  const byNumber = createLookup(parts);
  const rowsOf = async (text: string, parameters: readonly unknown[] = []) =>
    (await read<TransactionRow>(text, parameters)).map(fromRow);

  /** The numbers of a phone's transactions; null if there are many. */
  async function idsOfPhone(phone: Msisdn): Promise<string | null> {
    const rows = await read<{ id: number }>(OF_PHONE, [phone]);
    return rows.length <= FEW_OF_PHONE ? numbers(rows.map(({ id }) => id)) : null;
  }

  return {
    async findByCheckoutRequestId(checkoutRequestId): Promise<Transaction | null> {
      const id = requestIds.numberOf(checkoutRequestId);
      const row = id === null ? null : await byNumber.add(id);
      const transaction = row && toTransaction(row, requestIds);
      return transaction?.checkoutRequestId === checkoutRequestId ? transaction : null;
    },

    async findByReference(reference) {
      const [row] = await rowsOf(BY_REFERENCE, [toStored(foldCase(reference)), toStored(reference)]);
      return row ? toTransaction(row, requestIds) : null;
    },

    async nextCheckAtMs() {
      const rows = await read<{ id: number; ms: number }>(NEXT);
      if (rows.length === 0) return null;
      return Math.min(...rows.map(({ id, ms }) => (isOwn(id) ? ms : ms + OTHERS_MS)));
    },

    async isAnyOverdue(nowMs) {
      return (await read(OVERDUE, [nowMs])).length > 0;
    },

    async lastStartMs() {
      const [newest] = await read<{ ms: number | null }>(LAST_START);
      return newest?.ms ?? null;
    },

    async listPending(limit, phone = null) {
      const ids = phone && (await idsOfPhone(phone));
      const rows = ids ? await rowsOf(PENDING_AMONG, [ids, limit]) : await rowsOf(PENDING, [phone, limit]);
      return rows.map((row) => toPending(row, requestIds));
    },

    async countPending(phone) {
      const [counted] = await read<{ count: number }>(COUNT_PENDING, [phone]);
      return counted?.count ?? 0;
    },

    async listPaid(limit, phone = null) {
      const ids = phone && (await idsOfPhone(phone));
      const ofPhone = () => (ids ? rowsOf(PAID_AMONG, [ids, limit]) : rowsOf(PAID_BY, [phone, limit]));
      return (await (phone === null ? rowsOf(PAID, [limit]) : ofPhone())).map((row) => toCompleted(row, requestIds));
    },
  };
}
