import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { columnsOfDayTotals, columnsOfTransactions, createListQuery } from "../list-query.ts";

export const transactions = sqliteTable(
  "transactions",
  columnsOfTransactions(integer, (name) => text(name)),
);

export const dayTotals = sqliteTable("day_totals", columnsOfDayTotals(integer));

export const list = createListQuery(transactions, dayTotals);
