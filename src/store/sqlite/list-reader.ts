import type { Database, SQLQueryBindings } from "bun:sqlite";
import { and, eq, fillPlaceholders, gte, lt, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Page, TransactionFilter } from "../../domain/filter.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import { once } from "../../domain/once.ts";
import type { Transaction } from "../../domain/transaction.ts";
import {
  daySums,
  isCounted,
  isNamed,
  isReferenceIn,
  newest,
  numbersIn,
  offsetOf,
  pageDays,
  rangesOf,
  type Searched,
  type Selection,
  selected,
  timesOf,
} from "../list-query.ts";
import { ROW, type StatusSum, type TransactionRow, toSummary, toTransaction } from "../rows.ts";
import type { ListedPage } from "../store.ts";
import { firstOf } from "./database.ts";
import type { Pause } from "./stepped-reads.ts";
import { dayTotals, transactions } from "./tables.ts";

/**
 * How many entries of the index a step reads: first few, then more. Finding and counting the most takes about two milliseconds,
 * with their rows or without.
 */
const FIRST_ENTRIES = 1000;
export const MOST_ENTRIES = 32_000;
const MOST_ROWS = 10_000;
const GROWTH = 4;

/** Skipping this many takes less than a millisecond. */
const FEW_ENTRIES = 1000;

/** A thousand pages of a client are read in their order, by some clients at once. Each takes 200 bytes. */
const MOST_PLACES = 1000;

/** Looking up this many rows by their ids takes a millisecond. */
export const LOOKED_UP_AT_ONCE = 500;

/** If a search finds more references than this, a look at each row is cheaper than a lookup and a sort. */
export const MOST_LOOKED_UP = 10_000;

/** drizzle writes the SQL, and Bun's `query` caches the prepared statement. drizzle's own driver would prepare it each time. */
const dialect = new SQLiteSyncDialect();

const NEWEST = sql.raw("INDEXED BY transactions_newest");
const BY_ID = sql.raw("NOT INDEXED");

/** A part of the list: some whole milliseconds, or a part of one. */
interface Stretch {
  readonly of: "times" | "millisecond";
  readonly bounds: Readonly<Record<"fromMs" | "beforeMs" | "fromId" | "beforeId", number>>;
}

/** A transaction's place in the list. */
interface Place {
  readonly createdAtMs: number;
  readonly id: number;
}

interface Found extends StatusSum, Place {}

/** From the first time on, before the second. */
type Times = Readonly<Record<"fromMs" | "beforeMs", number>>;

/** A day that has rows of the page. */
interface PageDay {
  readonly from_ms: number;
  readonly before_ms: number;
  readonly skip: number;
}

type Values = Readonly<Record<string, number>>;

/** A statement that is written once, and run with other values. */
type Prepared<R> = (values: Values) => R[];

/**
 * Reads the list on one connection, in steps: it yields between two of them. The totals of days say where a page begins. Within its
 * day, a step skips a stretch of the index. A search reads all stretches of its days.
 */
export class ListReader {
  readonly #client: Database;
  readonly #requestIds: RequestIds;
  /** Where pages ended, by their filter and the offset of the next page. */
  readonly #places = new Map<string, Place>();
  #placesAt: unknown;

  constructor(client: Database, requestIds: RequestIds) {
    this.#client = client;
    this.#requestIds = requestIds;
  }

  *read(merchantId: number, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage> {
    const { search, ...rest } = filter;
    const searched = search === undefined ? undefined : { ...rangesOf(search), named: this.#namedBy(search) };
    const selection: Selection = { ...rest, search: searched };
    if (isCounted(selection)) return yield* this.#readCounted(merchantId, selection, page);
    const ids = rest.id === undefined ? this.#foundBy(merchantId, searched) : [rest.id];
    if (ids !== null) return yield* this.#readAmong(ids, merchantId, selection, page);
    return yield* this.#readAll(merchantId, selection, page);
  }

  *#readCounted(merchantId: number, selection: Selection, page: Page): Generator<Pause, ListedPage> {
    const summary = toSummary(this.#all<StatusSum>(daySums(dayTotals, merchantId, selection)));
    const offset = offsetOf(page);
    const limit = Math.min(page.limit, summary.totalItems - offset);
    if (limit <= 0) return { rows: [], summary };
    const days = this.#all<PageDay>(pageDays(dayTotals, merchantId, selection, offset, limit));
    let skip = days[0]?.skip ?? 0;
    let place: Place | undefined;
    const pages = JSON.stringify([merchantId, selection]);
    const isFar = skip > FEW_ENTRIES;
    if (isFar) {
      yield "long";
      place = this.#placeOf(pages, offset);
      if (place) skip = 0;
    }
    const within = this.#statements(merchantId, selection);
    const shown: Place[] = [];
    for (const { of, bounds } of this.#stretches(merchantId, joined(days), MOST_ENTRIES, place)) {
      const count = skip === 0 ? null : (within.count(of)(bounds)[0]?.count ?? 0);
      if (count === null || skip < count) {
        shown.push(...within.page(of)({ ...bounds, limit: limit - shown.length, skip }));
        if (shown.length === limit) break;
      }
      skip = Math.max(skip - (count ?? 0), 0);
      yield;
    }
    const last = shown.at(-1);
    if (isFar && last) this.#keepPlace(pages, offset + shown.length, last);
    return { rows: this.#rowsOf(shown.map(({ id }) => id)), summary };
  }

  /** Where the page before ended, if nothing was stored since. Only the connection of long reads stores nothing itself. */
  #placeOf(pages: string, offset: number): Place | undefined {
    const version = firstOf(this.#client, "PRAGMA data_version");
    if (version !== this.#placesAt) this.#places.clear();
    this.#placesAt = version;
    return this.#places.get(`${pages} ${offset}`);
  }

  #keepPlace(pages: string, offset: number, place: Place): void {
    const [oldest] = this.#places.keys();
    if (oldest !== undefined && this.#places.size === MOST_PLACES) this.#places.delete(oldest);
    this.#places.set(`${pages} ${offset}`, place);
  }

  /** Looks at each transaction of the days. */
  *#readAll(merchantId: number, selection: Selection, page: Page): Generator<Pause, ListedPage> {
    const within = this.#statements(merchantId, selection);
    const sums: StatusSum[] = [];
    let skip = offsetOf(page);
    const ids: number[] = [];
    for (const { of, bounds } of this.#stretches(merchantId, [timesOf(selection)], MOST_ROWS)) {
      const found = within.sums(of)(bounds);
      sums.push(...found);
      const count = toSummary(found).totalItems;
      if (skip < count && ids.length < page.limit) {
        const shown = within.page(of)({ ...bounds, limit: page.limit - ids.length, skip });
        ids.push(...shown.map(({ id }) => id));
      }
      skip = Math.max(skip - count, 0);
      yield;
    }
    return { rows: this.#rowsOf(ids), summary: toSummary(sums) };
  }

  /** Looks up the transactions with these ids. */
  *#readAmong(
    ids: readonly number[],
    merchantId: number,
    selection: Selection,
    page: Page,
  ): Generator<Pause, ListedPage> {
    const found: Found[] = [];
    for (let start = 0; start < ids.length; start += LOOKED_UP_AT_ONCE) {
      if (start > 0) yield;
      const some = JSON.stringify(ids.slice(start, start + LOOKED_UP_AT_ONCE));
      found.push(
        ...this.#all<Found>(sql`SELECT id, created_at_ms AS createdAtMs, status, 1 AS count, amount_cents AS amountCents
          FROM ${transactions} ${BY_ID}
          WHERE ${and(sql`id IN (SELECT value FROM json_each(${some}))`, selected(transactions, merchantId, selection))}`),
      );
    }
    const skip = offsetOf(page);
    const sorted = found.toSorted((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id);
    const shown = sorted.slice(skip, skip + page.limit).map(({ id }) => id);
    return { rows: this.#rowsOf(shown), summary: toSummary(found) };
  }

  /**
   * The parts of the list in some times, which are newest first, each with at most twice `most` entries of the index.
   * @param after a place in the first times, where they begin
   */
  *#stretches(merchantId: number, parts: readonly Times[], most: number, after?: Place): Generator<Stretch> {
    const ofMerchant = eq(transactions.merchantId, merchantId);
    const last = this.#ofEach<{ id: number; ms: number }>(
      (of) => sql`SELECT id, created_at_ms AS ms FROM ${transactions} ${NEWEST} WHERE ${and(ofMerchant, isWithin(of))}
        ${newest(transactions)} LIMIT 1 OFFSET ${sql.placeholder("count")} - 1`,
    );
    // Any number of payments can start in one millisecond.
    function* within(ms: number, beforeId: number): Generator<Stretch> {
      for (let bounds = { fromMs: ms, beforeMs: ms + 1, fromId: 0, beforeId }; ; ) {
        const [middle] = last("millisecond")({ ...bounds, count: most });
        yield { of: "millisecond", bounds: { ...bounds, fromId: middle?.id ?? 0 } };
        if (!middle) return;
        bounds = { ...bounds, beforeId: middle.id };
      }
    }
    if (after) yield* within(after.createdAtMs, after.id);
    let count = FIRST_ENTRIES;
    for (const { fromMs, beforeMs } of parts) {
      const newestMs = Math.min(beforeMs, after?.createdAtMs ?? beforeMs);
      let bounds = { fromMs, beforeMs: newestMs, fromId: 0, beforeId: Number.MAX_SAFE_INTEGER };
      for (;;) {
        const [end] = last("times")({ ...bounds, count });
        if (!end) break;
        const isFull = last("millisecond")({ ...bounds, fromMs: end.ms, beforeId: end.id, count: most }).length > 0;
        yield { of: "times", bounds: { ...bounds, fromMs: isFull ? end.ms + 1 : end.ms } };
        if (isFull) yield* within(end.ms, Number.MAX_SAFE_INTEGER);
        bounds = { ...bounds, beforeMs: end.ms };
        count = Math.min(count * GROWTH, most);
      }
      yield { of: "times", bounds };
    }
  }

  /** What is read of a stretch. Its bounds take the place of the days: with both, SQLite could seek the beginning of a day. */
  #statements(merchantId: number, { fromDay: _, toDay: __, ...selection }: Selection) {
    const where = (of: Stretch["of"]) => and(selected(transactions, merchantId, selection), isWithin(of));
    const [limit, skip] = [sql.placeholder("limit"), sql.placeholder("skip")];
    return {
      count: this.#ofEach<{ count: number }>(
        (of) => sql`SELECT count(*) AS count FROM ${transactions} ${NEWEST} WHERE ${where(of)}`,
      ),
      sums: this.#ofEach<StatusSum>(
        (of) => sql`SELECT status, count(*) AS count, sum(amount_cents) AS amountCents
          FROM ${transactions} ${NEWEST} WHERE ${where(of)} GROUP BY status`,
      ),
      page: this.#ofEach<Place>(
        (of) => sql`SELECT id, created_at_ms AS createdAtMs
          FROM ${transactions} ${NEWEST} WHERE ${where(of)} ${newest(transactions)} LIMIT ${limit} OFFSET ${skip}`,
      ),
    };
  }

  /** A statement for each kind of stretch, prepared when it is first used. */
  #ofEach<R>(statement: (of: Stretch["of"]) => SQL): (of: Stretch["of"]) => Prepared<R> {
    const times = once(() => this.#prepare<R>(statement("times")));
    const millisecond = once(() => this.#prepare<R>(statement("millisecond")));
    return (of) => (of === "times" ? times() : millisecond());
  }

  /** The ids of all that a search finds, if they are few and no phone can start with its text; else null. */
  #foundBy(merchantId: number, searched: Searched | undefined): readonly number[] | null {
    if (!searched || searched.phone !== null) return null;
    const ids = this.#all<{ id: number }>(sql`SELECT id FROM ${transactions} INDEXED BY transactions_by_reference
      WHERE ${and(eq(transactions.merchantId, merchantId), isReferenceIn(transactions, searched.reference))}
      LIMIT ${MOST_LOOKED_UP + 1}`);
    return ids.length > MOST_LOOKED_UP ? null : [...new Set([...searched.named, ...ids.map(({ id }) => id)])];
  }

  /** The rows that have this text as an identifier. */
  #namedBy(search: string): number[] {
    const chosen = this.#client
      .query<{ id: number }, [string]>("SELECT id FROM transactions WHERE receipt_number = ?")
      .all(search);
    const ids = [...numbersIn(search, this.#requestIds), ...chosen.map(({ id }) => id)];
    const isFound = (one: Transaction) => isNamed(one, search);
    return this.#rowsOf(ids)
      .filter(isFound)
      .map(({ id }) => id);
  }

  #rowsOf(ids: readonly number[]): Transaction[] {
    const byId = this.#client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`);
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? [toTransaction(row, this.#requestIds)] : [];
    });
  }

  #all<R>(statement: SQL): R[] {
    return this.#prepare<R>(statement)({});
  }

  #prepare<R>(statement: SQL): Prepared<R> {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    const query = this.#client.query<R, SQLQueryBindings[]>(text);
    return (values) => query.all(...(fillPlaceholders(params, values) as SQLQueryBindings[]));
  }
}

/** Days without another one between them are read as one. */
function joined(days: readonly PageDay[]): Times[] {
  const parts: Times[] = [];
  for (const { from_ms: fromMs, before_ms: beforeMs } of days) {
    const later = parts.at(-1);
    if (later?.fromMs === beforeMs) parts[parts.length - 1] = { fromMs, beforeMs: later.beforeMs };
    else parts.push({ fromMs, beforeMs });
  }
  return parts;
}

/** SQLite seeks an id in the index only below one time. */
function isWithin(of: Stretch["of"]): SQL | undefined {
  const { id, createdAtMs } = transactions;
  const [fromMs, beforeMs] = [sql.placeholder("fromMs"), sql.placeholder("beforeMs")];
  if (of === "times") return and(gte(createdAtMs, fromMs), lt(createdAtMs, beforeMs));
  const [fromId, beforeId] = [sql.placeholder("fromId"), sql.placeholder("beforeId")];
  return and(eq(createdAtMs, fromMs), gte(id, fromId), lt(id, beforeId));
}
