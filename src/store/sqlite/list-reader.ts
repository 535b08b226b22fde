import type { Database } from "bun:sqlite";
import type { Page, TransactionFilter } from "../../domain/filter.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import type { Day } from "../../domain/timestamp.ts";
import type { Transaction } from "../../domain/transaction.ts";
import { isNamed, numbersIn, offsetOf, rangesOf } from "../list-query.ts";
import { ROW, type StatusSum, type TransactionRow, toSummary, toTransaction } from "../rows.ts";
import type { ListedPage } from "../store.ts";
import { all, type Condition, isAmong, isIn, ofKind, searched, selectionOf } from "./conditions.ts";
import type { Numbering } from "./numbering.ts";
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

const OF_MERCHANT = "INDEXED BY transactions_of_merchant";
const BY_ROWID = "NOT INDEXED";

/**
 * Reads the list on one connection, in steps. Ids rise with time (order.ts). The first way that fits is taken:
 *
 * 1. An id: its row, by the primary key.
 * 2. A merchant with few rows, or a first page without kind and status: the index of the merchant's rows.
 * 3. A search: its keys (words.ts) give the ids, whose rows are looked up. If it finds too many, it scans all blocks.
 * 4. Any other page: the totals (totals.ts) say in which blocks of ids its rows are, and only these are read.
 *
 * Without a search, the counts and sums come from the totals of days.
 */
export class ListReader {
  readonly #client: Database;
  readonly #requestIds: RequestIds;
  readonly #placeOf: Numbering["placeOf"];
  readonly #summarizeDays: ReturnType<typeof createDaySummary>;
  readonly #findWords: WordSearch;

  constructor(client: Database, { requestIds, placeOf }: Pick<Numbering, "requestIds" | "placeOf">) {
    this.#client = client;
    this.#requestIds = requestIds;
    this.#placeOf = placeOf;
    this.#summarizeDays = createDaySummary(client);
    this.#findWords = createWordSearch(client);
  }

  #all<R>(text: string, parameters: Condition[1]): R[] {
    return this.#client.query<R, Condition[1]>(text).all(parameters);
  }

  /** @param most a search that finds more rows scans all rows */
  *read(
    merchantId: number,
    filter: TransactionFilter,
    page: Page,
    most = MOST_LOOKED_UP,
  ): Generator<Pause, ListedPage> {
    const { search, id, ...rest } = filter;
    if (id !== undefined) return this.#listed(this.#findOne(merchantId, filter, id), page);
    if (search !== undefined) return yield* this.#readFound(merchantId, rest, search, page, most);
    const { fromDay: _, toDay, ...ofAllDays } = rest;
    const summary = this.#summarizeDays(merchantId, rest);
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
    const isAlone = ofAllDays.kind === undefined && ofAllDays.status === undefined;
    if ((isAlone && later + skip + limit <= FEW_ROWS) || this.#hasFew(merchantId)) {
      return { rows: this.#sorted(where, later + skip, limit), summary };
    }
    for (const { block, toSkip } of this.#blocksAfter(merchantId, ofAllDays, later + skip)) {
      rows.push(...this.#rowsIn(block, where, toSkip, limit - rows.length));
      if (rows.length === limit) break;
      yield;
    }
    return { rows, summary };
  }

  /** The blocks with rows, without those that are skipped as a whole, and how many rows to skip in each. */
  *#blocksAfter(merchantId: number, filter: TransactionFilter, skip: number) {
    let toSkip = skip;
    for (const large of this.#counted(merchantId, filter, LARGE_BLOCK_BITS)) {
      if (toSkip >= large.count) {
        toSkip -= large.count;
        continue;
      }
      const first = large.block * BLOCKS_IN_LARGE;
      for (const { block, count } of this.#counted(
        merchantId,
        filter,
        BLOCK_BITS,
        first,
        first + BLOCKS_IN_LARGE - 1,
      )) {
        if (toSkip < count) yield { block, toSkip };
        toSkip = Math.max(toSkip - count, 0);
      }
    }
  }

  /** The blocks that have rows of a kind and a status, newest first. */
  #counted(
    merchantId: number,
    filter: TransactionFilter,
    bits: number,
    first = 0,
    last = Number.MAX_SAFE_INTEGER,
  ): Block[] {
    const [where, parameters] = all(ofKind(merchantId, filter), [
      "bits = $bits AND place BETWEEN $first AND $last AND count > 0",
      { bits, first, last },
    ]);
    return this.#all(
      `SELECT place AS block, sum(count) AS count FROM totals WHERE ${where} GROUP BY place ORDER BY place DESC`,
      parameters,
    );
  }

  #findOne(merchantId: number, { search, ...filter }: TransactionFilter, id: number): Found[] {
    const where = selectionOf(merchantId, filter);
    const isFound = search === undefined ? where : searched(where, rangesOf(search), this.#namedBy(search));
    return this.#foundAmong(isFound, [this.#placeOf(id)]);
  }

  *#readFound(
    merchantId: number,
    filter: TransactionFilter,
    search: string,
    page: Page,
    most: number,
  ): Generator<Pause, ListedPage> {
    const where = selectionOf(merchantId, filter);
    const ranges = rangesOf(search);
    const whole = this.#namedBy(search);
    if (this.#hasFew(merchantId)) return this.#listed(this.#foundIn(OF_MERCHANT, searched(where, ranges, whole)), page);
    const ids = yield* this.#findWords(ranges, merchantId, most);
    if (ids === null) return yield* this.#readBroad(merchantId, filter, searched(where, ranges, whole), page);
    const all = [...new Set([...ids, ...whole])];
    const found: Found[] = [];
    for (let start = 0; start < all.length; start += LOOKED_UP_AT_ONCE) {
      if (start > 0) yield;
      found.push(...this.#foundAmong(where, all.slice(start, start + LOOKED_UP_AT_ONCE)));
    }
    return this.#listed(found, page);
  }

  /** The rows that have this text as an identifier. */
  #namedBy(search: string): number[] {
    const chosen = this.#all<{ id: number }>("SELECT id FROM transactions WHERE receipt_number = $search", { search });
    const places = numbersIn(search, this.#requestIds).map((number) => this.#placeOf(number));
    return [...places, ...chosen.map(({ id }) => id)].filter((id) => {
      const row = this.#rowOf(id);
      return row !== null && isNamed(toTransaction(row, this.#requestIds), search);
    });
  }

  #foundAmong(where: Condition, ids: readonly number[]): Found[] {
    return this.#foundIn(BY_ROWID, all(isAmong("ids", ids), where));
  }

  #foundIn(index: string, [where, parameters]: Condition): Found[] {
    return this.#all(
      `SELECT id, status, 1 AS count, amount_cents AS amountCents FROM transactions ${index} WHERE ${where}`,
      parameters,
    );
  }

  /** The page and the counts, from all rows that were found. */
  #listed(found: readonly Found[], page: Page): ListedPage {
    const skip = offsetOf(page);
    const newest = found.toSorted((a, b) => b.id - a.id).slice(skip, skip + page.limit);
    const rows = newest.flatMap(({ id }) => this.#rowOf(id) ?? []);
    return { rows: rows.map((row) => toTransaction(row, this.#requestIds)), summary: toSummary(found) };
  }

  /** Reads all rows of all blocks. */
  *#readBroad(
    merchantId: number,
    filter: TransactionFilter,
    where: Condition,
    page: Page,
  ): Generator<Pause, ListedPage> {
    yield "long";
    const rows: Transaction[] = [];
    const sums: StatusSum[] = [];
    let toSkip = offsetOf(page);
    for (const { block } of this.#blocksAfter(merchantId, filter, 0)) {
      const [inBlock, parameters] = all(isIn(block), where);
      const found = this.#all<StatusSum>(
        `SELECT status, count(*) AS count, sum(amount_cents) AS amountCents FROM transactions ${BY_ROWID}
        WHERE ${inBlock} GROUP BY status`,
        parameters,
      );
      sums.push(...found);
      const { totalItems } = toSummary(found);
      if (toSkip < totalItems && rows.length < page.limit) {
        rows.push(...this.#rowsIn(block, where, toSkip, page.limit - rows.length));
      }
      toSkip = Math.max(toSkip - totalItems, 0);
      yield;
    }
    return { rows, summary: toSummary(sums) };
  }

  #hasFew(merchantId: number): boolean {
    const text = `SELECT 1 FROM transactions ${OF_MERCHANT} WHERE merchant_id = $merchantId LIMIT 1 OFFSET ${FEW_ROWS}`;
    return this.#all(text, { merchantId }).length === 0;
  }

  #sorted([where, parameters]: Condition, skip: number, limit: number, index = OF_MERCHANT): Transaction[] {
    const rows = this.#all<TransactionRow>(
      `SELECT ${ROW} FROM transactions ${index} WHERE ${where} ORDER BY id DESC LIMIT $limit OFFSET $skip`,
      { ...parameters, limit, skip },
    );
    return rows.map((row) => toTransaction(row, this.#requestIds));
  }

  #rowOf(id: number): TransactionRow | null {
    return this.#client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`).get(id);
  }

  #rowsIn(block: number, where: Condition, skip: number, limit: number): Transaction[] {
    return this.#sorted(all(isIn(block), where), skip, limit, BY_ROWID);
  }
}
