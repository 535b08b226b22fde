import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { Refusal } from "../../domain/error.ts";
import type { TransactionFilter } from "../../domain/filters.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import type { Page } from "../../domain/list.ts";
import { isCounted, offsetOf, type Selection } from "../list-query.ts";
import { clientHasGone, createSearchQueue, ReadQueue } from "../read-queue.ts";
import { type StatusSum, type TransactionRow, toSummary, toTransaction } from "../rows.ts";
import { isNamed, numbersIn, rangesOf, type Searched } from "../search.ts";
import type { ListedPage, TransactionList } from "../store.ts";
import type { Connection, Connections } from "./connections.ts";
import { sqlStateOf } from "./failures.ts";
import type { ReadsParts } from "./reads.ts";
import { fromRow, numbers, ROW, toStored } from "./rows.ts";
import type { EngineSql } from "./sql.ts";
import { list, transactions } from "./tables.ts";

/** Each list is one statement, so that its rows and its counts are of one point in time. */

/** How many pages, and how many searches, are read at once: other requests need connections, too. */
const LANES = 2;

/** The server ends a search when its connection has ended. */
const BEGIN = "BEGIN READ ONLY; SET LOCAL client_connection_check_interval = '500ms'";

/** The result of a statement of this file: JSON, so that rows and sums fit into one row. */
interface Answer {
  readonly sums: string | null;
  readonly rows: string | null;
}

/** How many rows of an export are fetched at once. */
const ROWS_AT_ONCE = 500;

const dialect = new PgDialect();

const ORDER = "ORDER BY created_at_ms DESC, id DESC";

/** The last part of a statement: the rows of a page, and the sums. */
const ANSWER = sql.raw(`SELECT (SELECT json_agg(sums)::text FROM sums) AS sums,
    (SELECT json_agg(shown ${ORDER})::text FROM (SELECT ${ROW} FROM transactions WHERE id IN (SELECT id FROM page)) AS shown) AS rows`);

interface Asked {
  readonly merchantId: number;
  readonly filter: TransactionFilter;
  readonly page: Page;
}

export function createTransactionList(
  parts: ReadsParts,
  connections: Connections,
  requestIds: RequestIds,
): TransactionList {
  const selectionOf = createSelector(parts.sql, requestIds);
  const read = createReader(parts.sql, selectionOf, requestIds);
  const limits = { lanes: LANES, waitMs: parts.waitMs, stopwatch: parts.stopwatch };
  const pages = new ReadQueue({ ...limits, mostWaiting: Number.POSITIVE_INFINITY, advice: "try again later" });
  const searches = createSearchQueue(limits);
  return {
    async list(merchantId, filter, page, signal) {
      const asked = { merchantId, filter, page };
      if (filter.search === undefined) return pages.run(() => read(asked));
      try {
        return await searches.run(() => read(asked, signal), signal);
      } catch (error) {
        throw sqlStateOf(error) === "deadline" ? tookTooLong(parts.waitMs) : error;
      }
    },

    async *readAll(merchantId, filter) {
      const rows = sql`SELECT ${sql.raw(ROW)} FROM ${transactions}
        WHERE ${list.selected(merchantId, await selectionOf(filter))} ${list.newest}`;
      const { sql: text, params } = dialect.sqlToQuery(rows);
      const { query, script, end } = await connections.borrow({ openMs: parts.waitMs, workMs: parts.waitMs });
      try {
        await script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        await query(`DECLARE selected NO SCROLL CURSOR FOR ${text}`, params);
        for (;;) {
          const part = await script<TransactionRow>(`FETCH ${ROWS_AT_ONCE} FROM selected`);
          if (part.length === 0) return;
          yield part.map((row) => toTransaction(fromRow(row), requestIds));
        }
      } finally {
        end();
      }
    },
  };
}

type Selector = (filter: TransactionFilter) => Promise<Selection>;

function createSelector(engine: EngineSql, requestIds: RequestIds): Selector {
  async function searchedBy(search: string, findsEnds?: boolean): Promise<Searched> {
    const { phone, reference, ends } = rangesOf(search, findsEnds);
    const rows = await engine.read<TransactionRow>(NAMED, [numbers(numbersIn(search, requestIds)), toStored(search)]);
    const named = rows.filter((row) => isNamed(toTransaction(fromRow(row), requestIds), search)).map(({ id }) => id);
    const range = { from: toStored(reference.from), before: toStored(reference.before) };
    return { phone, reference: range, ends: ends.map(toStored), named };
  }

  return async ({ search, findsEnds, ...rest }) =>
    search === undefined ? rest : { ...rest, search: await searchedBy(search, findsEnds) };
}

function createReader(engine: EngineSql, selectionOf: Selector, requestIds: RequestIds) {
  return async ({ merchantId, filter, page }: Asked, signal?: AbortSignal): Promise<ListedPage> => {
    const selection = await selectionOf(filter);
    const statement = isCounted(selection) ? countedPage : foundPage;
    const { sql: text, params } = dialect.sqlToQuery(statement(merchantId, selection, page));
    // A search with many results takes long, and a retry would take as long.
    const [row] = await engine.reading(
      (connection) => (signal ? queryUntil(signal, connection, text, params) : connection.query<Answer>(text, params)),
      true,
    );
    const sums: StatusSum[] = JSON.parse(row?.sums ?? "[]");
    const rows: TransactionRow[] = JSON.parse(row?.rows ?? "[]");
    return { rows: rows.map((one) => toTransaction(fromRow(one), requestIds)), summary: toSummary(sums) };
  };
}

const NAMED = `SELECT ${ROW} FROM transactions WHERE id = ANY($1::text::bigint[])
  UNION SELECT ${ROW} FROM transactions WHERE lower(receipt_number) = lower($2::text COLLATE "C") AND receipt_number IS NOT NULL`;

const tookTooLong = (waitMs: number): Refusal =>
  new Refusal("unavailable", `the search took more than ${waitMs / 1000} s: search for more of the text, or later`);

/** Runs a search until its client has gone. Then its connection ends, and so the server ends the search, too. */
async function queryUntil(
  signal: AbortSignal,
  { query, script, end }: Connection,
  text: string,
  parameters: readonly unknown[],
) {
  if (signal.aborted) throw clientHasGone();
  signal.addEventListener("abort", end);
  try {
    await script(BEGIN);
    const rows = await query<Answer>(text, parameters);
    await script("COMMIT");
    return rows;
  } catch (error) {
    throw signal.aborted ? clientHasGone() : error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** The totals say on which days the page is. Between these, the index is read in the order of the list. */
const countedPage = (merchantId: number, selection: Selection, page: Page): SQL => sql`
  WITH sums AS (${list.daySums(merchantId, selection)}),
  of_page AS (
    ${list.pageDays(merchantId, selection, sql`${offsetOf(page)}::bigint`, sql`${page.limit}::int`)}
  ),
  page AS (
    SELECT id FROM ${transactions} WHERE ${list.selected(merchantId, selection)}
      AND ${transactions.createdAtMs} >= (SELECT min(from_ms) FROM of_page)
      AND ${transactions.createdAtMs} < (SELECT max(before_ms) FROM of_page)
    ${list.newest} LIMIT ${page.limit}::int OFFSET (SELECT max(skip) FROM of_page)
  ) ${ANSWER}`;

/** Finds rows by an id or by a search, and counts them. */
const foundPage = (merchantId: number, selection: Selection, page: Page): SQL => sql`
  WITH found AS MATERIALIZED (
    SELECT id, created_at_ms, status, amount_cents FROM ${transactions} WHERE ${list.selected(merchantId, selection)}
  ), sums AS (SELECT status, count(*) AS count, sum(amount_cents) AS "amountCents" FROM found GROUP BY status),
  page AS (SELECT id FROM found ${sql.raw(ORDER)} LIMIT ${page.limit}::int OFFSET ${offsetOf(page)}::bigint) ${ANSWER}`;
