import type { Database, SQLQueryBindings } from "bun:sqlite";
import { and, between, desc, eq, gt, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Page, TransactionFilter } from "../../domain/filter.ts";
import { type Day, endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import type { Transaction } from "../../domain/transaction.ts";
import { isNamed, numbersIn, offsetOf, rangesOf, type SearchRanges } from "../list-query.ts";
import {
  codeOfKind,
  codeOfStatus,
  ROW,
  type StatusSum,
  type TransactionRow,
  toSummary,
  toTransaction,
} from "../rows.ts";
import type { ListedPage } from "../store.ts";
import type { Numbering } from "./numbering.ts";
import { folded, isAmong, totals, transactions } from "./tables.ts";
import { BLOCK_BITS, BLOCKS_IN_LARGE, createDaySummary, LARGE_BLOCK_BITS } from "./totals.ts";
import { createWordSearch, type WordSearch } from "./words.ts";

/** Skipping this many rows of an index, or reading them one by one, takes a few milliseconds at most. */
const FEW_ROWS = 2000;

/** Looking up this many rows by their numbers takes a millisecond. */
export const LOOKED_UP_AT_ONCE = 500;

/** If a search finds more rows than this, a scan of all rows is cheaper than a lookup and a sort. */
export const MOST_LOOKED_UP = 10_000;

/** A point where a read can be interrupted: after half a millisecond, or because the rest takes `long`. */
type Pause = "long" | undefined;

interface Block {
  readonly block: number;
  readonly count: number;
}

interface Found extends StatusSum {
  readonly id: number;
}

/** drizzle writes the SQL, and Bun's `query` caches the prepared statement. drizzle's own driver would prepare it each time. */
const dialect = new SQLiteSyncDialect();

const OF_MERCHANT = sql.raw("INDEXED BY transactions_of_merchant");
const BY_ROWID = sql.raw("NOT INDEXED");

const isIn = (block: number) => between(transactions.id, block * 2 ** BLOCK_BITS, (block + 1) * 2 ** BLOCK_BITS - 1);

/** Which rows a list shows, by all members of a filter except `search` and `id`. */
const selectionOf = (merchantId: number, { kind, status, fromDay, toDay }: TransactionFilter): SQL | undefined =>
  and(
    eq(transactions.merchantId, merchantId),
    kind && eq(transactions.kind, codeOfKind(kind)),
    status && eq(transactions.status, codeOfStatus(status)),
    fromDay === undefined ? undefined : gte(transactions.createdAtMs, startOfDayMs(fromDay)),
    toDay === undefined ? undefined : lt(transactions.createdAtMs, endOfDayMs(toDay)),
  );

/** What a search looks for: ranges of phones and references, and the rows that have its text as an identifier. */
interface Searched extends SearchRanges {
  readonly named: readonly number[];
}

const fits = ({ phone, reference, named }: Searched): SQL | undefined =>
  or(
    and(gte(folded, reference.from), lt(folded, reference.before)),
    phone ? and(gte(transactions.phone, phone.from), lt(transactions.phone, phone.before)) : undefined,
    named.length > 0 ? isAmong(transactions.id, named) : undefined,
  );

/**
 * Reads the list on one connection, in steps. Ids rise with time (order.ts). The first way that fits is taken:
 *
 * 1. An id: its row, by the primary key.
 * 2. No search: the counts and sums come from the totals of days. The rows of a merchant with few rows, and of a first page without
 *    kind and status, come from the index of the merchant's rows. For any other page, the totals (totals.ts) say in which blocks of
 *    ids its rows are, and only these are read.
 * 3. A search: all rows of a merchant with few rows. Else its keys (words.ts) give the ids, whose rows are looked up. If it finds too
 *    many, it reads all blocks.
 */
export class ListReader {
  readonly #client: Database;
  readonly #numbering: Numbering;
  readonly #summarizeDays: ReturnType<typeof createDaySummary>;
  readonly #findWords: WordSearch;

  constructor(client: Database, numbering: Numbering) {
    this.#client = client;
    this.#numbering = numbering;
    this.#summarizeDays = createDaySummary(client);
    this.#findWords = createWordSearch(client);
  }

  #all<R>(statement: SQL): R[] {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return this.#client.query<R, SQLQueryBindings[]>(text).all(...(params as SQLQueryBindings[]));
  }

  /** @param most a search that finds more rows reads all blocks */
  *read(
    merchantId: number,
    filter: TransactionFilter,
    page: Page,
    most = MOST_LOOKED_UP,
  ): Generator<Pause, ListedPage> {
    const { search, id, ...rest } = filter;
    const searched = search === undefined ? null : { ...rangesOf(search), named: this.#namedBy(search) };
    if (id !== undefined) {
      const where = and(selectionOf(merchantId, rest), searched ? fits(searched) : undefined);
      return this.#listed(this.#foundAmong([this.#numbering.rowIdOf(id)], where), page);
    }
    if (searched === null) return yield* this.#readNewest(merchantId, rest, page);
    const selection = selectionOf(merchantId, rest);
    const where = and(selection, fits(searched));
    if (this.#hasFew(merchantId)) return this.#listed(this.#foundIn(OF_MERCHANT, where), page);
    const ids = yield* this.#findWords(searched, merchantId, most);
    if (ids === null) return yield* this.#readBroad(merchantId, rest, where, page);
    const all = [...new Set([...ids, ...searched.named])];
    const found: Found[] = [];
    for (let start = 0; start < all.length; start += LOOKED_UP_AT_ONCE) {
      if (start > 0) yield;
      found.push(...this.#foundAmong(all.slice(start, start + LOOKED_UP_AT_ONCE), selection));
    }
    return this.#listed(found, page);
  }

  *#readNewest(merchantId: number, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage> {
    const { fromDay: _, toDay, ...ofAllDays } = filter;
    const summary = this.#summarizeDays(merchantId, filter);
    const skip = offsetOf(page);
    const limit = Math.min(page.limit, summary.totalItems - skip);
    const rows: Transaction[] = [];
    if (limit <= 0) return { rows, summary };
    // The list has all rows of later days first.
    const later =
      toDay === undefined
        ? 0
        : this.#summarizeDays(merchantId, { ...ofAllDays, fromDay: (toDay + 1) as Day }).totalItems;
    const where = selectionOf(merchantId, ofAllDays);
    const isFirst = filter.kind === undefined && filter.status === undefined && later + skip + limit <= FEW_ROWS;
    if (isFirst || this.#hasFew(merchantId)) {
      return { rows: this.#newestOf(OF_MERCHANT, where, later + skip, limit), summary };
    }
    for (const { block, toSkip } of this.#blocksAfter(merchantId, ofAllDays, later + skip)) {
      rows.push(...this.#newestOf(BY_ROWID, and(isIn(block), where), toSkip, limit - rows.length));
      if (rows.length === limit) break;
      yield;
    }
    return { rows, summary };
  }

  /** The blocks with rows, without those that are skipped as a whole, and how many rows to skip in each. */
  *#blocksAfter(merchantId: number, filter: TransactionFilter, skip: number) {
    let toSkip = skip;
    for (const large of this.#counted(merchantId, filter)) {
      if (toSkip >= large.count) {
        toSkip -= large.count;
        continue;
      }
      for (const { block, count } of this.#counted(merchantId, filter, large.block)) {
        if (toSkip < count) yield { block, toSkip };
        toSkip = Math.max(toSkip - count, 0);
      }
    }
  }

  /** The large blocks that have rows of a kind and a status, or the small ones in a large block; newest first. */
  #counted(merchantId: number, { kind, status }: TransactionFilter, large?: number): Block[] {
    const counted = and(
      eq(totals.merchantId, merchantId),
      eq(totals.bits, large === undefined ? LARGE_BLOCK_BITS : BLOCK_BITS),
      large === undefined
        ? undefined
        : between(totals.place, large * BLOCKS_IN_LARGE, (large + 1) * BLOCKS_IN_LARGE - 1),
      gt(totals.count, 0),
      kind && eq(totals.kind, codeOfKind(kind)),
      status && eq(totals.status, codeOfStatus(status)),
    );
    return this.#all(sql`SELECT ${totals.place} AS block, sum(${totals.count}) AS count
      FROM ${totals} WHERE ${counted} GROUP BY ${totals.place} ORDER BY ${desc(totals.place)}`);
  }

  /** The rows that have this text as an identifier. */
  #namedBy(search: string): number[] {
    const chosen = this.#all<{ id: number }>(
      sql`SELECT ${transactions.id} FROM ${transactions} WHERE ${eq(transactions.receiptNumber, search)}`,
    );
    const ids = numbersIn(search, this.#numbering.requestIds).map((number) => this.#numbering.rowIdOf(number));
    return [...ids, ...chosen.map(({ id }) => id)].filter((id) => {
      const row = this.#rowOf(id);
      return row !== null && isNamed(toTransaction(row, this.#numbering.requestIds), search);
    });
  }

  #foundAmong(ids: readonly number[], where: SQL | undefined): Found[] {
    return this.#foundIn(BY_ROWID, and(isAmong(transactions.id, ids), where));
  }

  #foundIn(index: SQL, where: SQL | undefined): Found[] {
    return this.#all<Found>(sql`SELECT ${transactions.id} AS id, ${transactions.status} AS status, 1 AS count,
        ${transactions.amountCents} AS amountCents
      FROM ${transactions} ${index} WHERE ${where}`);
  }

  /** The page and the counts, from all rows that were found. */
  #listed(found: readonly Found[], page: Page): ListedPage {
    const skip = offsetOf(page);
    const newest = found.toSorted((a, b) => b.id - a.id).slice(skip, skip + page.limit);
    const rows = newest.flatMap(({ id }) => this.#rowOf(id) ?? []);
    return { rows: rows.map((row) => toTransaction(row, this.#numbering.requestIds)), summary: toSummary(found) };
  }

  /** Reads all rows of all blocks. */
  *#readBroad(
    merchantId: number,
    filter: TransactionFilter,
    where: SQL | undefined,
    page: Page,
  ): Generator<Pause, ListedPage> {
    yield "long";
    const rows: Transaction[] = [];
    const sums: StatusSum[] = [];
    let toSkip = offsetOf(page);
    for (const { block } of this.#blocksAfter(merchantId, filter, 0)) {
      const found = this.#all<StatusSum>(sql`SELECT ${transactions.status} AS status, count(*) AS count,
          sum(${transactions.amountCents}) AS amountCents
        FROM ${transactions} ${BY_ROWID} WHERE ${and(isIn(block), where)} GROUP BY ${transactions.status}`);
      sums.push(...found);
      const { totalItems } = toSummary(found);
      if (toSkip < totalItems && rows.length < page.limit) {
        rows.push(...this.#newestOf(BY_ROWID, and(isIn(block), where), toSkip, page.limit - rows.length));
      }
      toSkip = Math.max(toSkip - totalItems, 0);
      yield;
    }
    return { rows, summary: toSummary(sums) };
  }

  #hasFew(merchantId: number): boolean {
    const query = sql`SELECT 1 FROM ${transactions} ${OF_MERCHANT} WHERE ${eq(transactions.merchantId, merchantId)}
      LIMIT 1 OFFSET ${FEW_ROWS}`;
    return this.#all(query).length === 0;
  }

  #newestOf(index: SQL, where: SQL | undefined, skip: number, limit: number): Transaction[] {
    const rows = this.#all<TransactionRow>(sql`SELECT ${sql.raw(ROW)} FROM ${transactions} ${index} WHERE ${where}
      ORDER BY ${desc(transactions.id)} LIMIT ${limit} OFFSET ${skip}`);
    return rows.map((row) => toTransaction(row, this.#numbering.requestIds));
  }

  #rowOf(id: number): TransactionRow | null {
    return this.#client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`).get(id);
  }
}
