import type { Database, SQLQueryBindings } from "bun:sqlite";
import { and, eq, fillPlaceholders, gte, lt, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { once } from "../../domain/once.ts";
import { list, transactions } from "./tables.ts";

/**
 * How many entries of the index a step reads: first few, then more. Finding and counting the most takes about two milliseconds,
 * with their rows or without.
 */
const FIRST_ENTRIES = 1000;
export const MOST_ENTRIES = 32_000;
export const MOST_ROWS = 5000;
/** The same where all rows are read as a whole. */
export const MOST_PASSED_ON = 250;
const GROWTH = 4;

export const NEWEST = sql.raw("INDEXED BY transactions_newest");

/** A part of the list: some whole milliseconds, or a part of one. */
export interface Stretch {
  readonly of: "times" | "millisecond";
  readonly bounds: Readonly<Record<"fromMs" | "beforeMs" | "fromId" | "beforeId", number>>;
}

/** From the first time on, before the second. */
export type Times = Readonly<Record<"fromMs" | "beforeMs", number>>;

type Values = Readonly<Record<string, number>>;

/** A statement that is written once, and run with other values. */
type Prepared<R> = (values: Values) => R[];

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

  /**
   * @param statement reads a stretch: its condition is {@link isWithin}
   * @returns runs it; for each kind of stretch, it is prepared when it is first used
   */
  ofEach<R>(statement: (of: Stretch["of"]) => SQL): ReadStretch<R> {
    const times = once(() => this.#prepare<R>(statement("times")));
    const millisecond = once(() => this.#prepare<R>(statement("millisecond")));
    return ({ of, bounds }, values) => {
      const read = of === "times" ? times() : millisecond();
      return read({ ...bounds, ...values });
    };
  }

  #prepare<R>(statement: SQL): Prepared<R> {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    const query = this.#client.query<R, SQLQueryBindings[]>(text);
    return (values) => query.all(...(fillPlaceholders(params, values) as SQLQueryBindings[]));
  }
}

/** The parts of the list in some times, which are newest first, each with at most twice `most` entries of the index. */
export function* stretchesOf(
  statements: ListStatements,
  merchantId: number,
  parts: readonly Times[],
  most: number,
): Generator<Stretch> {
  const ofMerchant = eq(transactions.merchantId, merchantId);
  const last = statements.ofEach<{ id: number; ms: number }>(
    (of) => sql`SELECT id, created_at_ms AS ms FROM ${transactions} ${NEWEST} WHERE ${and(ofMerchant, isWithin(of))}
      ${list.newest} LIMIT 1 OFFSET ${sql.placeholder("count")} - 1`,
  );
  // Any number of payments can start in one millisecond.
  function* within(ms: number): Generator<Stretch> {
    for (let bounds = { fromMs: ms, beforeMs: ms + 1, fromId: 0, beforeId: Number.MAX_SAFE_INTEGER }; ; ) {
      const [middle] = last({ of: "millisecond", bounds }, { count: most });
      yield { of: "millisecond", bounds: { ...bounds, fromId: middle?.id ?? 0 } };
      if (!middle) return;
      bounds = { ...bounds, beforeId: middle.id };
    }
  }
  let count = Math.min(FIRST_ENTRIES, most);
  for (const { fromMs, beforeMs } of parts) {
    let bounds = { fromMs, beforeMs, fromId: 0, beforeId: Number.MAX_SAFE_INTEGER };
    for (;;) {
      const [end] = last({ of: "times", bounds }, { count });
      if (!end) break;
      const before: Stretch = { of: "millisecond", bounds: { ...bounds, fromMs: end.ms, beforeId: end.id } };
      const isFull = last(before, { count: most }).length > 0;
      yield { of: "times", bounds: { ...bounds, fromMs: isFull ? end.ms + 1 : end.ms } };
      if (isFull) yield* within(end.ms);
      bounds = { ...bounds, beforeMs: end.ms };
      count = Math.min(count * GROWTH, most);
    }
    yield { of: "times", bounds };
  }
}

/** SQLite seeks an id in the index only below one time. */
export function isWithin(of: Stretch["of"]): SQL | undefined {
  const { id, createdAtMs } = transactions;
  const [fromMs, beforeMs] = [sql.placeholder("fromMs"), sql.placeholder("beforeMs")];
  if (of === "times") return and(gte(createdAtMs, fromMs), lt(createdAtMs, beforeMs));
  const [fromId, beforeId] = [sql.placeholder("fromId"), sql.placeholder("beforeId")];
  return and(eq(createdAtMs, fromMs), gte(id, fromId), lt(id, beforeId));
}
