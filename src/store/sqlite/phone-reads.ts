import type { Database } from "bun:sqlite";
import { COMPLETED, PENDING, ROW, type TransactionRow } from "../rows.ts";

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

const BEFORE_ALL: Entry = { ms: -1, phone: 0, id: 0 };
const BEHIND_ALL: Entry = { ms: Number.MAX_SAFE_INTEGER, phone: 0, id: 0 };

/** The ids of a phone's transactions in the order of a statement, at most `most`. It yields where it can be interrupted. */
function* idsOf(
  client: Database,
  [next, beginning]: readonly [statement: string, beginning: Entry],
  phone: number,
  most: number,
): Generator<undefined, number[]> {
  const statement = client.query<Entry, Entry>(next);
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
  const statement = `SELECT ${ROW} FROM transactions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY ${order} LIMIT ?`;
  return client.query<TransactionRow, [string, number]>(statement).all(JSON.stringify(ids), limit);
}

/** The open prompts of a phone, oldest first. */
export function* readPending(client: Database, phone: number, limit: number): Generator<undefined, TransactionRow[]> {
  const ids = yield* idsOf(client, [NEXT_DUE, BEFORE_ALL], phone, MOST_PROMPTS);
  return yield* rowsOf(client, ids, "created_at_ms, id", limit);
}

export function* countPending(client: Database, phone: number): Generator<undefined, number> {
  return (yield* idsOf(client, [NEXT_DUE, BEFORE_ALL], phone, Number.POSITIVE_INFINITY)).length;
}

/** The last completed payments of a phone, newest first. */
export function* readPaid(client: Database, phone: number, limit: number): Generator<undefined, TransactionRow[]> {
  const ids = yield* idsOf(client, [NEXT_PAID, BEHIND_ALL], phone, limit);
  return yield* rowsOf(client, ids, "completed_at_ms DESC, id DESC", limit);
}
