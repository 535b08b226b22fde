import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Page } from "../../domain/list.ts";
import { isCounted, offsetOf, type Selection, summaryOf } from "../list-query.ts";
import { ROW } from "./rows.ts";
import { list, transactions } from "./tables.ts";

/** The statements of the list. A page is one statement, so that its rows and its counts are of one point in time. */

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** The result of the statement of a page: JSON, so that rows and summary fit into one row. */
export interface Answer {
  readonly summary: string;
  readonly rows: string | null;
}

const dialect = new PgDialect();

const ORDER = "ORDER BY created_at_ms DESC, id DESC";

/** The last part of a statement: the rows of a page, and the summary. */
const ANSWER = sql.raw(`SELECT (SELECT row_to_json(summary)::text FROM summary) AS summary,
    (SELECT json_agg(shown ${ORDER})::text FROM (SELECT ${ROW} FROM transactions WHERE id IN (SELECT id FROM page)) AS shown) AS rows`);

/** One page, and the summary of all that is selected. */
export const pageOf = (merchantId: number, selection: Selection, page: Page): Statement =>
  toStatement(isCounted(selection) ? countedPage(merchantId, selection, page) : foundPage(merchantId, selection, page));

/** All rows, newest first. */
export const allRows = (merchantId: number, selection: Selection): Statement =>
  toStatement(
    sql`SELECT ${sql.raw(ROW)} FROM ${transactions} WHERE ${list.selected(merchantId, selection)} ${list.newest}`,
  );

/** The transactions that may have a text as an identifier. Its parameters: their numbers, and the text. */
export const NAMED = `SELECT ${ROW} FROM transactions WHERE id = ANY($1::text::bigint[])
  UNION SELECT ${ROW} FROM transactions WHERE lower(receipt_number) = lower($2::text COLLATE "C") AND receipt_number IS NOT NULL`;

function toStatement(statement: SQL): Statement {
  const { sql: text, params: parameters } = dialect.sqlToQuery(statement);
  return { text, parameters };
}

/** The totals say on which days the page is. Between these, the index is read in the order of the list. */
const countedPage = (merchantId: number, selection: Selection, page: Page): SQL => sql`
  WITH summary AS (${list.daySummary(merchantId, selection)}),
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
  ), summary AS (SELECT ${summaryOf(sql`status`, sql`1`, sql`amount_cents`)} FROM found),
  page AS (SELECT id FROM found ${sql.raw(ORDER)} LIMIT ${page.limit}::int OFFSET ${offsetOf(page)}::bigint) ${ANSWER}`;
