import type { Database } from "bun:sqlite";
import { and, eq, sql } from "drizzle-orm";
import { assert } from "../../domain/assert.ts";
import type { TransactionFilter } from "../../domain/filters.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import type { Page, Summary } from "../../domain/list.ts";
import type { Transaction } from "../../domain/transaction.ts";
import { isCounted, offsetOf, type Selection, summaryOf, timesOf } from "../list-query.ts";
import { COLUMNS, type TransactionRow, toTransaction } from "../rows.ts";
import { isNamed, numbersIn, rangesOf, type Searched } from "../search.ts";
import type { ListedPage } from "../store.ts";
import type { Pause } from "./long-reads.ts";
import { PagePlaces } from "./page-places.ts";
import {
  isWithin,
  ListStatements,
  MOST_ENTRIES,
  MOST_PASSED_ON,
  MOST_ROWS,
  NEWEST,
  type Place,
  type Stretch,
  stretchesOf,
  type Times,
} from "./stretches.ts";
import { list, transactions } from "./tables.ts";

/** Skipping this many takes less than a millisecond. */
const FEW_ENTRIES = 1000;

/** Looking up this many rows by their ids takes three milliseconds. A search that finds more references looks at each row. */
export const MOST_LOOKED_UP = 2000;

const BY_ID = sql.raw("NOT INDEXED");

/** The columns of a summary. */
const SUMMARY = summaryOf(transactions.status, sql`1`, transactions.amountCents);

/** A day that has rows of the page. */
interface PageDay {
  readonly from_ms: number;
  readonly before_ms: number;
  readonly skip: number;
}

/** Where a page begins within its days. */
interface Begin {
  /** The last row before it, if its place is known. */
  readonly after: Place | undefined;
  /** How many rows of the days come before it; 0 if `after` is known. */
  readonly skip: number;
}

/**
 * Reads the list on one connection, in steps: it yields between two of them. The totals of days say where a page begins. Within its
 * day, a step skips a stretch of the index. A search reads all stretches of its days.
 */
export class ListReader {
  readonly #client: Database;
  readonly #requestIds: RequestIds;
  readonly #statements: ListStatements;
  readonly #places: PagePlaces;

  constructor(client: Database, requestIds: RequestIds) {
    this.#client = client;
    this.#requestIds = requestIds;
    this.#statements = new ListStatements(client);
    this.#places = new PagePlaces(client);
  }

  *read(merchantId: number, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage> {
    const selection = this.#selectionOf(filter);
    if (isCounted(selection)) return yield* this.#readCounted(merchantId, selection, page);
    const ids = selection.id === undefined ? this.#foundBy(merchantId, selection.search) : [selection.id];
    if (ids !== null) return this.#readAmong(ids, merchantId, selection, page);
    return yield* this.#readAll(merchantId, selection, page);
  }

  /** All that the filter selects, newest first: a step looks at few payments. */
  *readParts(merchantId: number, filter: TransactionFilter): Generator<Transaction[]> {
    const selection = this.#selectionOf(filter);
    const rows = this.#statements.ofEach<TransactionRow>(
      (kind) => sql`SELECT ${sql.raw(COLUMNS)} FROM ${transactions} ${NEWEST}
        WHERE ${this.#isShown(merchantId, selection, kind)} ${list.newest}`,
    );
    for (const stretch of stretchesOf(this.#statements, merchantId, [timesOf(selection)], MOST_PASSED_ON))
      yield rows(stretch).map((row) => toTransaction(row, this.#requestIds));
  }

  #selectionOf({ search, findsEnds, ...rest }: TransactionFilter): Selection {
    if (search === undefined) return rest;
    return { ...rest, search: { ...rangesOf(search, findsEnds), named: this.#namedBy(search) } };
  }

  *#readCounted(merchantId: number, selection: Selection, page: Page): Generator<Pause, ListedPage> {
    const summary = only(this.#statements.all<Summary>(list.daySummary(merchantId, selection)));
    const offset = offsetOf(page);
    const limit = Math.min(page.limit, summary.totalItems - offset);
    if (limit <= 0) return { rows: [], summary };
    const days = this.#statements.all<PageDay>(list.pageDays(merchantId, selection, offset, limit));
    const skip = days[0]?.skip ?? 0;
    const isFar = skip > FEW_ENTRIES;
    if (isFar) yield "long";
    const pages = JSON.stringify([merchantId, selection]);
    const after = isFar ? this.#places.find(pages, offset) : undefined;
    const begin = { after, skip: after ? 0 : skip };
    const shown = yield* this.#readPlaces(merchantId, selection, joined(days), begin, limit);
    const last = shown.at(-1);
    if (isFar && last) this.#places.keep(pages, offset + shown.length, last);
    return { rows: this.#rowsOf(shown.map(({ id }) => id)), summary };
  }

  /** The places of the rows of a page. Stretches before it are counted, and skipped as a whole. */
  *#readPlaces(
    merchantId: number,
    selection: Selection,
    times: readonly Times[],
    begin: Begin,
    limit: number,
  ): Generator<Pause, Place[]> {
    const reads = this.#reads(merchantId, selection);
    const shown: Place[] = [];
    let { skip } = begin;
    for (const stretch of stretchesOf(this.#statements, merchantId, times, MOST_ENTRIES, begin.after)) {
      const count = skip > 0 ? only(reads.count(stretch)).count : 0;
      if (skip > 0 && skip >= count) skip -= count;
      else {
        shown.push(...reads.page(stretch, { limit: limit - shown.length, skip }));
        if (shown.length === limit) break;
        skip = 0;
      }
      yield;
    }
    return shown;
  }

  /** Looks at each transaction of the days. */
  *#readAll(merchantId: number, selection: Selection, page: Page): Generator<Pause, ListedPage> {
    const reads = this.#reads(merchantId, selection);
    const summaries: Summary[] = [];
    let skip = offsetOf(page);
    const ids: number[] = [];
    for (const stretch of stretchesOf(this.#statements, merchantId, [timesOf(selection)], MOST_ROWS)) {
      const summary = only(reads.summary(stretch));
      summaries.push(summary);
      const count = summary.totalItems;
      if (skip < count && ids.length < page.limit) {
        const shown = reads.page(stretch, { limit: page.limit - ids.length, skip });
        ids.push(...shown.map(({ id }) => id));
      }
      skip = Math.max(skip - count, 0);
      yield;
    }
    return { rows: this.#rowsOf(ids), summary: summaries.reduce(plus) };
  }

  /** Looks up the transactions with these ids. */
  #readAmong(ids: readonly number[], merchantId: number, selection: Selection, page: Page): ListedPage {
    const isAmong = sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
    const from = sql`FROM ${transactions} ${BY_ID} WHERE ${and(isAmong, list.selected(merchantId, selection))}`;
    const shown = this.#statements.all<{ id: number }>(
      sql`SELECT id ${from} ${list.newest} LIMIT ${page.limit} OFFSET ${offsetOf(page)}`,
    );
    const summary = only(this.#statements.all<Summary>(sql`SELECT ${SUMMARY} ${from}`));
    return { rows: this.#rowsOf(shown.map(({ id }) => id)), summary };
  }

  /** Its bounds take the place of the days: with both, SQLite could seek the beginning of a day. */
  #isShown(merchantId: number, { date_from: _, date_to: __, ...selection }: Selection, kind: Stretch["kind"]) {
    return and(list.selected(merchantId, selection), isWithin(kind));
  }

  /** What is read of a stretch. */
  #reads(merchantId: number, selection: Selection) {
    const where = (kind: Stretch["kind"]) => this.#isShown(merchantId, selection, kind);
    const limit = sql.placeholder("limit");
    const skip = sql.placeholder("skip");
    return {
      count: this.#statements.ofEach<{ count: number }>(
        (kind) => sql`SELECT count(*) AS count FROM ${transactions} ${NEWEST} WHERE ${where(kind)}`,
      ),
      summary: this.#statements.ofEach<Summary>(
        (kind) => sql`SELECT ${SUMMARY} FROM ${transactions} ${NEWEST} WHERE ${where(kind)}`,
      ),
      page: this.#statements.ofEach<Place>(
        (kind) => sql`SELECT id, created_at_ms AS createdAtMs
          FROM ${transactions} ${NEWEST} WHERE ${where(kind)} ${list.newest} LIMIT ${limit} OFFSET ${skip}`,
      ),
    };
  }

  /**
   * The ids that a search finds, if they are few and an index finds them. Null for the start of a phone or the end of a reference: no
   * index has these.
   */
  #foundBy(merchantId: number, searched: Searched | undefined): readonly number[] | null {
    if (!searched || searched.phone !== null || searched.ends.length > 0) return null;
    const ofMerchant = eq(transactions.merchantId, merchantId);
    const query = sql`SELECT id FROM ${transactions} INDEXED BY transactions_by_reference
      WHERE ${and(ofMerchant, list.isReferenceIn(searched.reference))} LIMIT ${MOST_LOOKED_UP + 1}`;
    const ids = this.#statements.all<{ id: number }>(query);
    return ids.length > MOST_LOOKED_UP ? null : [...searched.named, ...ids.map(({ id }) => id)];
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
    const byId = this.#client.query<TransactionRow, [number]>(`SELECT ${COLUMNS} FROM transactions WHERE id = ?`);
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? [toTransaction(row, this.#requestIds)] : [];
    });
  }
}

function plus(one: Summary, other: Summary): Summary {
  const sum: Record<keyof Summary, number> = { ...one };
  for (const name of Object.keys(one) as (keyof Summary)[]) sum[name] += other[name];
  return sum;
}

/** The result of an aggregate, which has one row. */
function only<R>([row]: readonly R[]): R {
  assert(row !== undefined, "a count has a row");
  return row;
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
