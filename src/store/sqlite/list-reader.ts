import type { Database, SQLQueryBindings } from "bun:sqlite";
import { and, between, desc, eq, gt, gte, lt, type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Page, Summary, TransactionFilter } from "../../domain/filter.ts";
import { numberOfCode, numberOfReceipt, type RequestIds } from "../../domain/identifiers.ts";
import type { Transaction } from "../../domain/transaction.ts";
import {
  COMPLETED,
  codeOfKind,
  codeOfStatus,
  PENDING,
  ROW,
  type TransactionRow,
  toSummary,
  toTransaction,
} from "../rows.ts";
import type { ListedPage } from "../store.ts";
import { type Block, type Blocks, type Key, newestFirst, pick } from "./pages.ts";
import { rangesOf, type SearchRanges, type Selection, searched, selectionOf } from "./selection.ts";
import { blockTotals, folded, isAmong, transactions } from "./tables.ts";
import { BLOCK_BITS, BLOCKS_IN_ONE, createDaySummary, GREAT_BLOCK_BITS } from "./totals.ts";

/** Skipping this many rows of an index takes a millisecond. */
const FEW_ROWS = 2000;

/** Looking up this many rows by their numbers takes a millisecond. */
export const LOOKED_UP_AT_ONCE = 500;

/** If a search finds more rows than this, a scan of all rows is cheaper than a lookup and a sort. */
export const MOST_LOOKED_UP = 10_000;

/** A point where a read can be interrupted: after half a millisecond, or because the rest takes `long`. */
type Pause = "long" | undefined;

type CountedKey = Key & { readonly status: number; readonly amountCents: number };

/** The columns that a page is sorted by, named as in the result. */
const KEY = sql`${transactions.id} AS id, ${transactions.createdAtMs} AS atMs`;

/** drizzle writes the SQL, and Bun's `query` caches the prepared statement. drizzle's own driver would prepare it each time. */
const dialect = new SQLiteSyncDialect();

const FAILED = codeOfStatus("failed");
const CANCELLED = codeOfStatus("cancelled");
const EXPIRED = codeOfStatus("expired");

/** The counts of what a search finds in a block; the times are null if it finds nothing. */
type BlockCounts = Summary & { readonly firstMs: number | null; readonly lastMs: number | null };

const NOTHING = {
  totalItems: 0,
  completedAmountCents: 0,
  completedCount: 0,
  pendingCount: 0,
  failedCount: 0,
  cancelledCount: 0,
  expiredCount: 0,
};
const MEMBERS = Object.keys(NOTHING) as (keyof Summary)[];

/** How many rows come before a page. The limit keeps it a safe integer. */
const offsetOf = ({ number, limit }: Page) => Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER);

const isIn = (block: number) => between(transactions.id, block * 2 ** BLOCK_BITS, (block + 1) * 2 ** BLOCK_BITS - 1);

/** Reads the list on one connection, in steps. */
export class ListReader {
  readonly #client: Database;
  readonly #requestIds: RequestIds;
  readonly #summarizeDays: ReturnType<typeof createDaySummary>;

  constructor(client: Database, requestIds: RequestIds) {
    this.#client = client;
    this.#requestIds = requestIds;
    this.#summarizeDays = createDaySummary(client);
  }

  #all<R>(statement: SQL): R[] {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return this.#client.query<R, SQLQueryBindings[]>(text).all(...(params as SQLQueryBindings[]));
  }

  *read(merchantId: number, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage> {
    const { search, id, ...rest } = filter;
    if (id !== undefined) return this.#listed(this.#findOne(merchantId, filter, id), page);
    if (search !== undefined) return yield* this.#readFound(merchantId, rest, search, page);
    const summary = this.#summarizeDays(merchantId, rest);
    const [skip, limit] = [offsetOf(page), page.limit];
    if (skip >= summary.totalItems) return { rows: [], summary };
    const selection = selectionOf(merchantId, rest);
    const { kind, status, ...days } = rest;
    const isAlone = kind === undefined && status === undefined;
    const isNear =
      (isAlone && skip + limit <= FEW_ROWS) || this.#summarizeDays(merchantId, days).totalItems <= FEW_ROWS;
    const keys = isNear
      ? this.#nearKeys(selection, skip, limit)
      : yield* this.#farKeys(merchantId, selection, rest, { skip, limit });
    return { rows: this.#rowsOf(keys), summary };
  }

  /** Scans the index of the list. */
  #nearKeys({ where }: Selection, skip: number, limit: number): Key[] {
    return this.#all<Key>(sql`SELECT ${KEY} FROM ${transactions} INDEXED BY transactions_newest WHERE ${where}
      ORDER BY ${desc(transactions.createdAtMs)}, ${desc(transactions.id)} LIMIT ${limit} OFFSET ${skip}`);
  }

  *#farKeys(
    merchantId: number,
    selection: Selection,
    filter: TransactionFilter,
    { skip, limit }: { skip: number; limit: number },
  ) {
    const great = this.#blocksOf(merchantId, selection, filter);
    const list = this.#countedBlocks(merchantId, selection, filter, GREAT_BLOCK_BITS);
    const { keys } = yield* pick(great, list, skip, limit);
    return keys;
  }

  /** The great blocks, each with its smaller blocks. */
  #blocksOf(merchantId: number, selection: Selection, filter: TransactionFilter): Blocks {
    const { fromMs, beforeMs } = selection;
    const keysOf = (block: number) => this.#keysIn(selection, block);
    const small = { bits: BLOCK_BITS, smaller: null, keysOf, fromMs, beforeMs };
    return {
      ...small,
      bits: GREAT_BLOCK_BITS,
      smaller: (first, last) => ({
        list: this.#countedBlocks(
          merchantId,
          selection,
          filter,
          BLOCK_BITS,
          first * BLOCKS_IN_ONE,
          (last + 1) * BLOCKS_IN_ONE - 1,
        ),
        blocks: small,
      }),
    };
  }

  /** The blocks that have rows of these kinds and statuses, newest numbers first. */
  #countedBlocks(
    merchantId: number,
    { fromMs, beforeMs }: Selection,
    { kind, status }: TransactionFilter,
    bits: number,
    first = 0,
    last = Number.MAX_SAFE_INTEGER,
  ): Block[] {
    const counted = and(
      eq(blockTotals.merchantId, merchantId),
      eq(blockTotals.bits, bits),
      between(blockTotals.block, first, last),
      gt(blockTotals.count, 0),
      kind && eq(blockTotals.kind, codeOfKind(kind)),
      status && eq(blockTotals.status, codeOfStatus(status)),
    );
    return this.#all<Block>(sql`SELECT ${blockTotals.block} AS block, sum(${blockTotals.count}) AS count,
        min(${blockTotals.firstMs}) AS firstMs, max(${blockTotals.lastMs}) AS lastMs
      FROM ${blockTotals} WHERE ${counted} GROUP BY ${blockTotals.block}
      HAVING lastMs >= ${fromMs} AND firstMs < ${beforeMs} ORDER BY ${desc(blockTotals.block)}`);
  }

  #keysIn({ where }: Selection, block: number): Key[] {
    const statement = sql`SELECT ${KEY} FROM ${transactions} NOT INDEXED
      WHERE ${and(isIn(block), where)} ORDER BY ${desc(transactions.id)}`;
    // The rows are almost in order: this sort costs nothing, and SQLite's would cost as much as the read.
    return this.#all<Key>(statement).sort(newestFirst);
  }

  #findOne(merchantId: number, { search, ...filter }: TransactionFilter, id: number): CountedKey[] {
    const selection = selectionOf(merchantId, filter);
    const whole = search === undefined ? [] : this.#namedBy(search);
    return this.#keysAmong(search === undefined ? selection : searched(selection, rangesOf(search), whole), [id]);
  }

  *#readFound(merchantId: number, filter: TransactionFilter, search: string, page: Page): Generator<Pause, ListedPage> {
    const selection = selectionOf(merchantId, filter);
    const ranges = rangesOf(search);
    const whole = this.#namedBy(search);
    const ids = this.#candidates(merchantId, ranges);
    if (ids === null) return yield* this.#readBroad(merchantId, searched(selection, ranges, whole), filter, page);
    const found = [...new Set([...ids, ...whole])];
    const keys: CountedKey[] = [];
    for (let start = 0; start < found.length; start += LOOKED_UP_AT_ONCE) {
      if (start > 0) yield;
      keys.push(...this.#keysAmong(selection, found.slice(start, start + LOOKED_UP_AT_ONCE)));
    }
    return this.#listed(keys.sort(newestFirst), page);
  }

  /** The numbers that two indexes find for a search; null if there are many. */
  #candidates(merchantId: number, { phone, reference }: SearchRanges): number[] | null {
    const found = new Set<number>();
    const look = (rows: SQL): boolean => {
      const [counted] = this.#all<{ count: number }>(
        sql`SELECT count(*) AS count FROM (${rows} LIMIT ${MOST_LOOKED_UP + 1})`,
      );
      if (!counted || counted.count > MOST_LOOKED_UP) return false;
      for (const { id } of this.#all<{ id: number }>(rows)) found.add(id);
      return true;
    };
    const isOfMerchant = eq(transactions.merchantId, merchantId);
    const ofReference = and(isOfMerchant, gte(folded, reference.from), lt(folded, reference.before));
    const byReference = sql`SELECT ${transactions.id} FROM ${transactions} INDEXED BY transactions_by_reference
      WHERE ${ofReference} AND ${transactions.reference} IS NOT NULL`;
    if (!look(byReference)) return null;
    if (!phone) return [...found];
    const ofPhone = and(isOfMerchant, gte(transactions.phone, phone.from), lt(transactions.phone, phone.before));
    const byPhone = sql`SELECT ${transactions.id} FROM ${transactions} INDEXED BY transactions_by_phone WHERE ${ofPhone}`;
    return look(byPhone) ? [...found] : null;
  }

  /** The rows that have this text as an identifier, in any letter case: decoded, looked up, compared. */
  #namedBy(search: string): number[] {
    const decoded = [this.#requestIds.numberOf(search), numberOfCode(search), numberOfReceipt(search)];
    const chosen = this.#all<{ id: number }>(
      sql`SELECT ${transactions.id} FROM ${transactions} WHERE ${eq(transactions.receiptNumber, search)}`,
    );
    const text = search.toLowerCase();
    return [...decoded, ...chosen.map(({ id }) => id)].filter((id): id is number => {
      const row = id === null ? null : this.#rowOf(id);
      if (!row) return false;
      const { checkoutRequestId, merchantRequestId, ...transaction } = toTransaction(row, this.#requestIds);
      const identifiers = [checkoutRequestId, merchantRequestId];
      if (transaction.status === "completed") identifiers.push(transaction.transactionCode, transaction.receiptNumber);
      return identifiers.some((identifier) => identifier.toLowerCase() === text);
    });
  }

  /** Those of the rows that are selected. */
  #keysAmong({ where }: Selection, ids: readonly number[]): CountedKey[] {
    return this.#all<CountedKey>(sql`SELECT ${KEY}, ${transactions.status} AS status, ${transactions.amountCents} AS amountCents
      FROM ${transactions} NOT INDEXED WHERE ${and(isAmong(transactions.id, ids), where)}`);
  }

  /** The page and the counts, if all rows are known. */
  #listed(keys: readonly CountedKey[], page: Page): ListedPage {
    const skip = offsetOf(page);
    return {
      rows: this.#rowsOf(keys.slice(skip, skip + page.limit)),
      summary: toSummary(keys.map(({ status, amountCents }) => ({ status, count: 1, amountCents }))),
    };
  }

  /** Reads every row of every block for the counts, and some blocks again for the page. */
  *#readBroad(
    merchantId: number,
    selection: Selection,
    filter: TransactionFilter,
    page: Page,
  ): Generator<Pause, ListedPage> {
    yield "long";
    const { smaller, fromMs, beforeMs } = this.#blocksOf(merchantId, selection, filter);
    const found: Block[] = [];
    const summary = { ...NOTHING };
    for (const great of this.#countedBlocks(merchantId, selection, filter, GREAT_BLOCK_BITS)) {
      for (const { block } of smaller?.(great.block, great.block).list ?? []) {
        const { firstMs, lastMs, ...counts } = this.#countIn(selection, block);
        for (const member of MEMBERS) summary[member] += counts[member];
        if (firstMs !== null && lastMs !== null) found.push({ block, count: counts.totalItems, firstMs, lastMs });
        yield;
      }
    }
    const blocks = {
      bits: BLOCK_BITS,
      smaller: null,
      keysOf: (block: number) => this.#keysIn(selection, block),
      fromMs,
      beforeMs,
    };
    const { keys } = yield* pick(blocks, found, offsetOf(page), page.limit);
    return { rows: this.#rowsOf(keys), summary };
  }

  #countIn({ where }: Selection, block: number): BlockCounts {
    const { status, amountCents, createdAtMs } = transactions;
    const [counts] = this.#all<BlockCounts>(sql`SELECT count(*) AS totalItems,
        min(${createdAtMs}) AS firstMs, max(${createdAtMs}) AS lastMs,
        coalesce(sum(${amountCents}) FILTER (WHERE ${eq(status, COMPLETED)}), 0) AS completedAmountCents,
        count(*) FILTER (WHERE ${eq(status, COMPLETED)}) AS completedCount,
        count(*) FILTER (WHERE ${eq(status, PENDING)}) AS pendingCount,
        count(*) FILTER (WHERE ${eq(status, FAILED)}) AS failedCount,
        count(*) FILTER (WHERE ${eq(status, CANCELLED)}) AS cancelledCount,
        count(*) FILTER (WHERE ${eq(status, EXPIRED)}) AS expiredCount
      FROM ${transactions} NOT INDEXED WHERE ${and(isIn(block), where)}`);
    if (!counts) throw new Error("a count has one row");
    return counts;
  }

  #rowOf(id: number): TransactionRow | null {
    return this.#client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`).get(id);
  }

  #rowsOf(keys: readonly Key[]): Transaction[] {
    return keys.flatMap(({ id }) => this.#rowOf(id) ?? []).map((row) => toTransaction(row, this.#requestIds));
  }
}
