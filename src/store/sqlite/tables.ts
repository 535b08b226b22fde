import { inArray, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { columnsOfDayTotals, columnsOfTransactions, createListQuery } from "../list-query.ts";

export const transactions = sqliteTable(
  "transactions",
  columnsOfTransactions(integer, (name) => text(name)),
);

export const dayTotals = sqliteTable("day_totals", columnsOfDayTotals(integer));

/** Compares bytes, because SQLite's functions of text stop at a NUL. */
function isEndIn(text: SQL, ends: readonly string[]): SQL {
  const bytes = ends.map((end) => Buffer.from(end));
  const [first = Buffer.alloc(0)] = bytes;
  return inArray(sql`substr(CAST(${text} AS BLOB), ${-first.length})`, bytes);
}

export const list = createListQuery(transactions, dayTotals, isEndIn);
