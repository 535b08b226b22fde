import type { Database } from "bun:sqlite";
import type { Msisdn } from "../../domain/phone.ts";
import { COLUMNS, COMPLETED, PENDING, type TransactionRow } from "../rows.ts";
import type { PhoneReads } from "../transaction-reads.ts";
import type { SteppedReads } from "./long-reads.ts";

/** What is read of one phone. There is no index by phone, because each payment would be written in a random place of it. */

/** Reading this many entries of an index takes two or three milliseconds. */
const ENTRIES_AT_ONCE = 2000;

/** Of a phone with more prompts, those that are due next. Looking up this many rows takes two milliseconds. */
const MOST_PROMPTS = 1000;

type Entry = Readonly<Record<"ms" | "phone" | "id", number>>;

const DUE = `SELECT check_at_ms AS ms, phone, id FROM transactions INDEXED BY transactions_due WHERE status = ${PENDING}`;
// Any number of prompts can be due in one millisecond, and SQLite seeks an id only below one time.
const NEXT_DUE = `${DUE} AND check_at_ms = $ms AND id > $id UNION ALL ${DUE} AND check_at_ms > $ms
  ORDER BY ms, id LIMIT ${ENTRIES_AT_ONCE}`;
const NEXT_PAID = `SELECT completed_at_ms AS ms, phone, id FROM transactions INDEXED BY transactions_paid
  WHERE status = ${COMPLETED} AND (completed_at_ms, phone, id) < ($ms, $phone, $id)
  ORDER BY completed_at_ms DESC, phone DESC, id DESC LIMIT ${ENTRIES_AT_ONCE}`;

/** How to read an index: the entries after one, and a place before all of them. */
interface Order {
  readonly next: string;
  readonly beginning: Entry;
}

const FIRST_DUE: Order = { next: NEXT_DUE, beginning: { ms: -1, phone: 0, id: 0 } };
const NEWEST_PAID: Order = { next: NEXT_PAID, beginning: { ms: Number.MAX_SAFE_INTEGER, phone: 0, id: 0 } };

/** The ids of a phone's transactions in an order, at most `most`. It yields where it can be interrupted. */
function* idsOf(
  client: Database,
  { next, beginning }: Order,
  msisdn: Msisdn,
  most: number,
): Generator<undefined, number[]> {
  const statement = client.query<Entry, Entry>(next);
  const phone = Number(msisdn);
  const ids: number[] = [];
  for (let place = beginning; ; ) {
    const entries = statement.all(place);
    for (const entry of entries) if (entry.phone === phone) ids.push(entry.id);
    const last = entries.at(-1);
    if (!last || entries.length < ENTRIES_AT_ONCE || ids.length >= most) return ids.slice(0, most);
    place = last;
    yield;
  }
}

/** The lookups are a step of their own. */
function* rowsOf(
  client: Database,
  ids: readonly number[],
  order: string,
  limit: number,
): Generator<undefined, TransactionRow[]> {
  yield;
  const statement = `SELECT ${COLUMNS} FROM transactions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY ${order} LIMIT ?`;
  return client.query<TransactionRow, [string, number]>(statement).all(JSON.stringify(ids), limit);
}

export const createPhoneReads = (read: SteppedReads): PhoneReads => ({
  readPending: (limit, phone) =>
    read(function* (client) {
      const ids = yield* idsOf(client, FIRST_DUE, phone, MOST_PROMPTS);
      return yield* rowsOf(client, ids, "created_at_ms, id", limit);
    }),
  readPaid: (limit, phone) =>
    read(function* (client) {
      const ids = yield* idsOf(client, NEWEST_PAID, phone, limit);
      return yield* rowsOf(client, ids, "completed_at_ms DESC, id DESC", limit);
    }),
  countPending: (phone) =>
    read(function* (client) {
      const ids = yield* idsOf(client, FIRST_DUE, phone, Number.POSITIVE_INFINITY);
      return ids.length;
    }),
});
