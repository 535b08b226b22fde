import type { Database } from "bun:sqlite";
import type { Page, Summary, TransactionFilter } from "../../domain/filter.ts";
import { numberOfCode, numberOfReceipt, type RequestIds } from "../../domain/identifiers.ts";
import type { Transaction } from "../../domain/transaction.ts";
import type { ListedPage } from "../store.ts";
import { type Block, type Blocks, type Key, newestFirst, pick } from "./pages.ts";
import { COMPLETED, codeOfKind, codeOfStatus, PENDING, ROW, type TransactionRow, toTransaction } from "./schema.ts";
import { rangesOf, type SearchRanges, type Selection, searched, selectionOf } from "./selection.ts";
import { BLOCK_BITS, BLOCKS_IN_ONE, createDaySummary, GREAT_BLOCK_BITS, toSummary } from "./totals.ts";

/** So many rows of an index are passed over in a millisecond. */
const FEW_ROWS = 2000;

/** So many rows are looked up in a millisecond, by their numbers. */
export const LOOKED_UP_AT_ONCE = 500;

/** More than so many rows are not looked up: to go through all that there are costs less than to keep and sort those. */
export const MOST_LOOKED_UP = 10_000;

/** Where a read may be interrupted: after half a millisecond, or because all that follows takes `long`. */
type Pause = "long" | undefined;

/** Reads the list on one connection, in steps. */
export interface ListReader {
  read(merchantId: number, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage>;
}

type Parameters = Selection["parameters"];
type CountedKey = Key & { readonly status: number; readonly amountCents: number };

export function createListReader(client: Database, requestIds: RequestIds): ListReader {
  const summarizeDays = createDaySummary(client);
  const all = <R>(sql: string, parameters: Parameters) => client.query<R, Parameters>(sql).all(parameters);

  function* read(merchantId: number, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage> {
    const { search, id, ...rest } = filter;
    if (id !== undefined) return listed(findOne(merchantId, filter, id), page);
    if (search !== undefined) return yield* readFound(merchantId, rest, search, page);
    const summary = summarizeDays(merchantId, rest);
    const [skip, limit] = [offsetOf(page), page.limit];
    if (skip >= summary.totalItems) return { rows: [], summary };
    const selection = selectionOf(merchantId, rest);
    const { kind, status, ...days } = rest;
    const isAlone = kind === undefined && status === undefined;
    const isNear = (isAlone && skip + limit <= FEW_ROWS) || summarizeDays(merchantId, days).totalItems <= FEW_ROWS;
    const keys = isNear ? nearKeys(selection, skip, limit) : yield* farKeys(selection, rest, skip, limit);
    return { rows: rowsOf(keys), summary };
  }

  /** By the index of the list, row by row. */
  function nearKeys({ where, parameters }: Selection, skip: number, limit: number): Key[] {
    const sql = `SELECT id, created_at_ms AS atMs FROM transactions INDEXED BY transactions_newest WHERE ${where}
      ORDER BY created_at_ms DESC, id DESC LIMIT $limit OFFSET $skip`;
    return all<Key>(sql, { ...parameters, limit, skip });
  }

  function* farKeys(selection: Selection, filter: TransactionFilter, skip: number, limit: number) {
    const great = blocksOf(selection, filter);
    const { keys } = yield* pick(great, countedBlocks(selection, filter, GREAT_BLOCK_BITS), skip, limit);
    return keys;
  }

  /** The greater blocks, which know the smaller. */
  function blocksOf(selection: Selection, filter: TransactionFilter): Blocks {
    const { fromMs, beforeMs } = selection;
    const keysOf = (block: number) => keysIn(selection, block);
    const small = { bits: BLOCK_BITS, smaller: null, keysOf, fromMs, beforeMs };
    return {
      ...small,
      bits: GREAT_BLOCK_BITS,
      smaller: (first, last) => ({
        list: countedBlocks(selection, filter, BLOCK_BITS, first * BLOCKS_IN_ONE, (last + 1) * BLOCKS_IN_ONE - 1),
        blocks: small,
      }),
    };
  }

  /** The blocks that hold rows of these kinds and statuses, newest numbers first. */
  function countedBlocks(
    { parameters: { merchantId = 0 }, fromMs, beforeMs }: Selection,
    { kind, status }: TransactionFilter,
    bits: number,
    first = 0,
    last = Number.MAX_SAFE_INTEGER,
  ): Block[] {
    const sql = `SELECT block, sum(count) AS count, min(first_ms) AS firstMs, max(last_ms) AS lastMs FROM block_totals
      WHERE merchant_id = $merchantId AND bits = $bits AND block BETWEEN $first AND $last AND count > 0
        ${kind ? "AND kind = $kind" : ""} ${status ? "AND status = $status" : ""}
      GROUP BY block HAVING lastMs >= $fromMs AND firstMs < $beforeMs ORDER BY block DESC`;
    const codes = { kind: kind ? codeOfKind(kind) : 0, status: status ? codeOfStatus(status) : 0 };
    return all<Block>(sql, { merchantId, bits, first, last, fromMs, beforeMs, ...codes });
  }

  function keysIn({ where, parameters }: Selection, block: number): Key[] {
    const sql = `SELECT id, created_at_ms AS atMs FROM transactions NOT INDEXED
      WHERE id BETWEEN $firstId AND $lastId AND ${where} ORDER BY id DESC`;
    // Mostly in order already, which costs this sort nothing, and SQLite's as much as the reading.
    return all<Key>(sql, { ...parameters, ...numbersIn(block) }).sort(newestFirst);
  }

  function findOne(merchantId: number, { search, ...filter }: TransactionFilter, id: number): CountedKey[] {
    const selection = selectionOf(merchantId, filter);
    const whole = search === undefined ? [] : namedBy(search);
    return keysAmong(search === undefined ? selection : searched(selection, rangesOf(search), whole), [id]);
  }

  function* readFound(
    merchantId: number,
    filter: TransactionFilter,
    search: string,
    page: Page,
  ): Generator<Pause, ListedPage> {
    const selection = selectionOf(merchantId, filter);
    const ranges = rangesOf(search);
    const whole = namedBy(search);
    const ids = candidates(merchantId, ranges);
    if (ids === null) return yield* readBroad(searched(selection, ranges, whole), filter, page);
    const found = [...new Set([...ids, ...whole])];
    const keys: CountedKey[] = [];
    for (let start = 0; start < found.length; start += LOOKED_UP_AT_ONCE) {
      if (start > 0) yield;
      keys.push(...keysAmong(selection, found.slice(start, start + LOOKED_UP_AT_ONCE)));
    }
    return listed(keys.sort(newestFirst), page);
  }

  /** The numbers that two indexes have for a search; null where there are many. */
  function candidates(merchantId: number, { phone, reference }: SearchRanges): number[] | null {
    const found = new Set<number>();
    const look = (sql: string, from: string | number, before: string | number): boolean => {
      const parameters = { merchantId, from, before, atMost: MOST_LOOKED_UP + 1 };
      const [counted] = all<{ count: number }>(`SELECT count(*) AS count FROM (${sql} LIMIT $atMost)`, parameters);
      if (!counted || counted.count > MOST_LOOKED_UP) return false;
      for (const { id } of all<{ id: number }>(sql, parameters)) found.add(id);
      return true;
    };
    const folded = "coalesce(reference_folded, reference)";
    const byReference = `SELECT id FROM transactions INDEXED BY transactions_by_reference WHERE merchant_id = $merchantId
      AND ${folded} >= $from AND ${folded} < $before AND reference IS NOT NULL`;
    const byPhone = `SELECT id FROM transactions INDEXED BY transactions_by_phone
      WHERE merchant_id = $merchantId AND phone >= $from AND phone < $before`;
    if (!look(byReference, reference.from, reference.before)) return null;
    if (phone && !look(byPhone, phone.from, phone.before)) return null;
    return [...found];
  }

  /** The rows of which a text is a whole identifier, in any letter case: decoded, looked up, compared. */
  function namedBy(search: string): number[] {
    const decoded = [requestIds.numberOf(search), numberOfCode(search), numberOfReceipt(search)];
    const chosen = all<{ id: number }>("SELECT id FROM transactions WHERE receipt_number = $search", { search });
    const text = search.toLowerCase();
    return [...decoded, ...chosen.map(({ id }) => id)].filter((id): id is number => {
      const row = id === null ? null : rowOf(id);
      if (!row) return false;
      const { checkoutRequestId, merchantRequestId, ...transaction } = toTransaction(row, requestIds);
      const identifiers = [checkoutRequestId, merchantRequestId];
      if (transaction.status === "completed") identifiers.push(transaction.transactionCode, transaction.receiptNumber);
      return identifiers.some((identifier) => identifier.toLowerCase() === text);
    });
  }

  /** Those of some rows that are selected. */
  function keysAmong({ where, parameters }: Selection, ids: readonly number[]): CountedKey[] {
    const sql = `SELECT id, created_at_ms AS atMs, status, amount_cents AS amountCents FROM transactions NOT INDEXED
      WHERE id IN (SELECT value FROM json_each($ids)) AND ${where}`;
    return all<CountedKey>(sql, { ...parameters, ids: JSON.stringify(ids) });
  }

  /** The page and the counts of rows that are all at hand. */
  function listed(keys: readonly CountedKey[], page: Page): ListedPage {
    const skip = offsetOf(page);
    return {
      rows: rowsOf(keys.slice(skip, skip + page.limit)),
      summary: toSummary(keys.map(({ status, amountCents }) => ({ status, count: 1, amountCents }))),
    };
  }

  /** Asks every row of every block: once for the counts, and for the page those of some blocks again. */
  function* readBroad(selection: Selection, filter: TransactionFilter, page: Page): Generator<Pause, ListedPage> {
    yield "long";
    const { smaller, fromMs, beforeMs } = blocksOf(selection, filter);
    const found: Block[] = [];
    const summary = { ...NOTHING };
    for (const great of countedBlocks(selection, filter, GREAT_BLOCK_BITS)) {
      for (const { block } of smaller?.(great.block, great.block).list ?? []) {
        const { firstMs, lastMs, ...counts } = countIn(selection, block);
        for (const member of MEMBERS) summary[member] += counts[member];
        if (firstMs !== null && lastMs !== null) found.push({ block, count: counts.totalItems, firstMs, lastMs });
        yield;
      }
    }
    const blocks = {
      bits: BLOCK_BITS,
      smaller: null,
      keysOf: (block: number) => keysIn(selection, block),
      fromMs,
      beforeMs,
    };
    const { keys } = yield* pick(blocks, found, offsetOf(page), page.limit);
    return { rows: rowsOf(keys), summary };
  }

  function countIn({ where, parameters }: Selection, block: number): BlockCounts {
    const sql = `SELECT count(*) AS totalItems, min(created_at_ms) AS firstMs, max(created_at_ms) AS lastMs,
        coalesce(sum(amount_cents) FILTER (WHERE status = ${COMPLETED}), 0) AS completedAmountCents,
        count(*) FILTER (WHERE status = ${COMPLETED}) AS completedCount,
        count(*) FILTER (WHERE status = ${PENDING}) AS pendingCount,
        count(*) FILTER (WHERE status = ${FAILED}) AS failedCount,
        count(*) FILTER (WHERE status = ${CANCELLED}) AS cancelledCount,
        count(*) FILTER (WHERE status = ${EXPIRED}) AS expiredCount
      FROM transactions NOT INDEXED WHERE id BETWEEN $firstId AND $lastId AND ${where}`;
    const [counts] = all<BlockCounts>(sql, { ...parameters, ...numbersIn(block) });
    if (!counts) throw new Error("a count has one row");
    return counts;
  }

  const rowOf = (id: number) =>
    client.query<TransactionRow, [number]>(`SELECT ${ROW} FROM transactions WHERE id = ?`).get(id);

  function rowsOf(keys: readonly Key[]): Transaction[] {
    return keys.flatMap(({ id }) => rowOf(id) ?? []).map((row) => toTransaction(row, requestIds));
  }

  return { read };
}

const FAILED = codeOfStatus("failed");
const CANCELLED = codeOfStatus("cancelled");
const EXPIRED = codeOfStatus("expired");

/** The counts over part of what a search finds; the times are null where it finds nothing. */
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

/** How many rows come before a page; past every row all pages are alike. */
const offsetOf = ({ number, limit }: Page) => Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER);

const numbersIn = (block: number) => ({ firstId: block * 2 ** BLOCK_BITS, lastId: (block + 1) * 2 ** BLOCK_BITS - 1 });
