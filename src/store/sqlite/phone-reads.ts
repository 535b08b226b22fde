import type { Database } from "bun:sqlite";
import { COMPLETED, PENDING, ROW, type TransactionRow } from "../rows.ts";

/** What is read of one phone. There is no index by phone, because each payment would be written in a random place of it. */

/** Reading this many entries of an index, with their rows, takes a millisecond. */
const ENTRIES_AT_ONCE = 2000;

/** Of a phone with more prompts, those that are due next. */
const MOST_PROMPTS = 5000;

interface Index {
  readonly name: string;
  readonly status: number;
  /** Its columns, and the id, by which it is in order. */
  readonly key: readonly string[];
  readonly direction: "ASC" | "DESC";
}

const DUE: Index = { name: "transactions_due", status: PENDING, key: ["check_at_ms", "id"], direction: "ASC" };
const PAID: Index = {
  name: "transactions_paid",
  status: COMPLETED,
  key: ["completed_at_ms", "phone", "id"],
  direction: "DESC",
};

/** The ids of a phone's transactions in an index, in its order, at most `most`. It yields where it can be interrupted. */
function* idsOf(client: Database, index: Index, phone: number, most: number): Generator<undefined, number[]> {
  const { name, status, key, direction } = index;
  const columns = key.join(", ");
  const from = `FROM transactions INDEXED BY ${name} WHERE status = ${status} AND (${columns})`;
  const places = `(${key.map(() => "?")})`;
  const order = `ORDER BY ${key.map((column) => `${column} ${direction}`)}`;
  const [after, until] = direction === "ASC" ? [">", "<="] : ["<", ">="];
  const lastOf = client.query<Record<string, number>, number[]>(
    `SELECT ${columns} ${from} ${after} ${places} ${order} LIMIT 1 OFFSET ${ENTRIES_AT_ONCE - 1}`,
  );
  const ofPhone = client.query<{ id: number }, number[]>(
    `SELECT id ${from} ${after} ${places} AND (${columns}) ${until} ${places} AND phone = ? ${order}`,
  );
  const [before, behind] = [key.map(() => -1), key.map(() => Number.MAX_SAFE_INTEGER)];
  const [beginning, end] = direction === "ASC" ? [before, behind] : [behind, before];
  const ids: number[] = [];
  for (let place = beginning; ; ) {
    const last = lastOf.get(...place);
    const next = last ? key.map((column) => last[column] ?? 0) : end;
    ids.push(...ofPhone.all(...place, ...next, phone).map(({ id }) => id));
    if (!last || ids.length >= most) return ids.slice(0, most);
    place = next;
    yield;
  }
}

function rowsOf(client: Database, ids: readonly number[], order: string, limit: number): TransactionRow[] {
  const statement = `SELECT ${ROW} FROM transactions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY ${order} LIMIT ?`;
  return client.query<TransactionRow, [string, number]>(statement).all(JSON.stringify(ids), limit);
}

/** The open prompts of a phone, oldest first. */
export function* readPending(client: Database, phone: number, limit: number): Generator<undefined, TransactionRow[]> {
  const ids = yield* idsOf(client, DUE, phone, MOST_PROMPTS);
  return rowsOf(client, ids, "created_at_ms, id", limit);
}

export function* countPending(client: Database, phone: number): Generator<undefined, number> {
  return (yield* idsOf(client, DUE, phone, Number.POSITIVE_INFINITY)).length;
}

/** The last completed payments of a phone, newest first. */
export function* readPaid(client: Database, phone: number, limit: number): Generator<undefined, TransactionRow[]> {
  const ids = yield* idsOf(client, PAID, phone, limit);
  return rowsOf(client, ids, "completed_at_ms DESC, id DESC", limit);
}
