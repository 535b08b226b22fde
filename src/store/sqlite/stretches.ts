import type { Database, SQLQueryBindings } from "bun:sqlite";
import { and, eq, fillPlaceholders, gte, lt, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { once } from "../../domain/once.ts";
import { list, transactions } from "./tables.ts";

/**
 * How many entries of the index a step reads: first few, then more. Finding and counting the most takes about two milliseconds,
 * with their rows or without, and twice as long where numbers do not rise with time: then each row is in another place.
 */
const FIRST_ENTRIES = 1000;
export const MOST_ENTRIES = 16_000;
export const MOST_ROWS = 1500;
/** The same where all rows are read as a whole. */
export const MOST_PASSED_ON = 250;
const GROWTH = 4;

export const NEWEST = sql.raw("INDEXED BY transactions_newest");

/**
 * A part of the list: all payments of some milliseconds, or those of one millisecond with some ids, because any number of payments can
 * start in one millisecond. SQLite seeks an id in the index only within one time.
 */
export type Stretch =
  | { readonly kind: "times"; readonly fromMs: number; readonly beforeMs: number }
  | { readonly kind: "ids"; readonly atMs: number; readonly fromId: number; readonly beforeId: number };

/** A transaction's place in the list. */
export interface Place {
  readonly createdAtMs: number;
  readonly id: number;
}

/** From the first time on, before the second. */
export type Times = Readonly<Record<"fromMs" | "beforeMs", number>>;

type Values = Readonly<Record<string, number>>;

/** Reads a stretch. The values are those that its statement has besides the bounds. */
type ReadStretch<R> = (stretch: Stretch, values?: Values) => R[];

/** drizzle writes the SQL, and Bun's `query` caches the prepared statement. drizzle's own driver would prepare it each time. */
const dialect = new SQLiteSyncDialect();

/** The statements of the list on one connection. */
export class ListStatements {
  readonly #client: Database;

  constructor(client: Database) {
    this.#client = client;
  }

  all<R>(statement: SQL): R[] {
    return this.#prepare<R>(statement)({});
  }

  /** A statement that reads a stretch: its condition is {@link isWithin}. For each kind, it is prepared when it is first used. */
  ofEach<R>(statement: (kind: Stretch["kind"]) => SQL): ReadStretch<R> {
    const read = {
      times: once(() => this.#prepare<R>(statement("times"))),
      ids: once(() => this.#prepare<R>(statement("ids"))),
    };
    return ({ kind, ...bounds }, values) => read[kind]()({ ...bounds, ...values });
  }

  #prepare<R>(statement: SQL): (values: Values) => R[] {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    const query = this.#client.query<R, SQLQueryBindings[]>(text);
    return (values) => query.all(...(fillPlaceholders(params, values) as SQLQueryBindings[]));
  }
}

/**
 * The parts of the list in some times, which are newest first, each with at most twice `most` entries of the index.
 * @param after a place in the first times, where they begin
 */
export function* stretchesOf(
  statements: ListStatements,
  merchantId: number,
  parts: readonly Times[],
  most: number,
  after?: Place,
): Generator<Stretch> {
  const nth = statements.ofEach<{ id: number; ms: number }>(
    (kind) => sql`SELECT id, created_at_ms AS ms FROM ${transactions} ${NEWEST}
      WHERE ${and(eq(transactions.merchantId, merchantId), isWithin(kind))}
      ${list.newest} LIMIT 1 OFFSET ${sql.placeholder("count")} - 1`,
  );
  function* ofMillisecond(atMs: number, newestId: number): Generator<Stretch> {
    for (let beforeId = newestId; ; ) {
      const [end] = nth({ kind: "ids", atMs, fromId: 0, beforeId }, { count: most });
      yield { kind: "ids", atMs, fromId: end?.id ?? 0, beforeId };
      if (!end) return;
      beforeId = end.id;
    }
  }
  if (after) yield* ofMillisecond(after.createdAtMs, after.id);
  let count = Math.min(FIRST_ENTRIES, most);
  for (const { fromMs, beforeMs: newestMs } of parts) {
    let beforeMs = Math.min(newestMs, after?.createdAtMs ?? newestMs);
    for (;;) {
      const [end] = nth({ kind: "times", fromMs, beforeMs }, { count });
      if (!end) break;
      const rest = nth({ kind: "ids", atMs: end.ms, fromId: 0, beforeId: end.id }, { count: most });
      const isLong = rest.length > 0;
      yield { kind: "times", fromMs: isLong ? end.ms + 1 : end.ms, beforeMs };
      if (isLong) yield* ofMillisecond(end.ms, Number.MAX_SAFE_INTEGER);
      beforeMs = end.ms;
      count = Math.min(count * GROWTH, most);
    }
    yield { kind: "times", fromMs, beforeMs };
  }
}

/** Whether a payment is in a stretch, whose bounds are placeholders. */
export function isWithin(kind: Stretch["kind"]): SQL | undefined {
  const { id, createdAtMs } = transactions;
  const bound = sql.placeholder;
  if (kind === "times") return and(gte(createdAtMs, bound("fromMs")), lt(createdAtMs, bound("beforeMs")));
  return and(eq(createdAtMs, bound("atMs")), gte(id, bound("fromId")), lt(id, bound("beforeId")));
}
