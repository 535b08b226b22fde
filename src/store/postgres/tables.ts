import { inArray, type SQL, sql } from "drizzle-orm";
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

function isEndIn(text: SQL, ends: readonly string[]): SQL {
  const [first = ""] = ends;
  return inArray(sql`right(${text}, ${[...first].length}::int)`, [...ends]);
}

export const list = createListQuery(transactions, pgTable("day_totals", columnsOfDayTotals(whole)), isEndIn);
