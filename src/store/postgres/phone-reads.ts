import type { Query } from "../query.ts";
import { COMPLETED, PENDING } from "../rows.ts";
import type { PhoneReads } from "../transaction-reads.ts";
import { numbers, ROW } from "./rows.ts";

/** What is read of one phone. Its index has the payments of all times and statuses, so those of a phone with many are not read by it. */

/** Looking up this many payments takes a few milliseconds. */
const FEW = 1000;

/** Scanning this many entries of an index takes a few milliseconds. There can be millions. */
const MOST_SCANNED = 20_000;

// The index by phone begins with the merchant.
const IDS = `SELECT id::float8 AS id FROM transactions
  WHERE merchant_id IN (SELECT id FROM merchants) AND phone = $1::bigint LIMIT ${FEW + 1}`;

interface OfPhone {
  /** Its parameters: the ids of the phone's payments, and the limit. */
  readonly few: string;
  /** Its parameters: the phone, and the limit. */
  readonly many: string;
}

/** The sum keeps the planner from the index of all open prompts. */
const among = (status: number) => `FROM transactions WHERE id = ANY($1::text::bigint[]) AND status + 0 = ${status}`;

const listOf = (status: number, scanned: string, order: string): OfPhone => ({
  few: `SELECT ${ROW} ${among(status)} ORDER BY ${order} LIMIT $2::int`,
  many: `SELECT ${ROW} FROM (
      SELECT * FROM transactions WHERE status = ${status} ORDER BY ${scanned} LIMIT ${MOST_SCANNED}
    ) AS scanned WHERE phone = $1::bigint ORDER BY ${order} LIMIT $2::int`,
});

const OLDEST_PENDING = listOf(PENDING, "check_at_ms, id", "created_at_ms, id");
const NEWEST_PAID = listOf(COMPLETED, "completed_at_ms DESC, id DESC", "completed_at_ms DESC, id DESC");
const COUNT_PENDING: OfPhone = {
  few: `SELECT count(*)::float8 AS count ${among(PENDING)}`,
  many: `SELECT count(*)::float8 AS count FROM transactions WHERE status = ${PENDING} AND phone = $1::bigint`,
};

export function createPhoneReads(read: Query): PhoneReads {
  async function readOf<Row>({ few, many }: OfPhone, phone: string, ...limit: number[]): Promise<Row[]> {
    const ids = await read<{ id: number }>(IDS, [phone]);
    if (ids.length > FEW) return read<Row>(many, [phone, ...limit]);
    return read<Row>(few, [numbers(ids.map(({ id }) => id)), ...limit]);
  }

  return {
    readPending: (limit, phone) => readOf(OLDEST_PENDING, phone, limit),
    readPaid: (limit, phone) => readOf(NEWEST_PAID, phone, limit),
    async countPending(phone) {
      const [counted] = await readOf<{ count: number }>(COUNT_PENDING, phone);
      return counted?.count ?? 0;
    },
  };
}
