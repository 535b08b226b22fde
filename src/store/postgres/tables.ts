import { type SQL, sql } from "drizzle-orm";
import { customType, pgTable, text } from "drizzle-orm/pg-core";
import { columnsOfDayTotals, columnsOfTransactions, createListQuery } from "../list-query.ts";

/** A whole number. Its parameters have a cast, because the driver would send a large one as a fraction. */
const whole = customType<{ data: number; driverData: SQL }>({
  dataType: () => "bigint",
  toDriver: (value) => sql`${value}::bigint`,
});

export const transactions = pgTable(
  "transactions",
  columnsOfTransactions(whole, (name) => text(name)),
);

export const list = createListQuery(transactions, pgTable("day_totals", columnsOfDayTotals(whole)));
