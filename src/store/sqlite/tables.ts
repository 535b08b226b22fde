import { type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The columns that the list reads, for drizzle. The tables are declared in `migrations/`; a test compares the two. */

export const transactions = sqliteTable("transactions", {
  id: integer().primaryKey(),
  merchantId: integer("merchant_id").notNull(),
  kind: integer().notNull(),
  status: integer().notNull(),
  amountCents: integer("amount_cents").notNull(),
  phone: integer().notNull(),
  reference: text(),
  referenceFolded: text("reference_folded"),
  createdAtMs: integer("created_at_ms").notNull(),
  receiptNumber: text("receipt_number"),
});

export const totals = sqliteTable("totals", {
  merchantId: integer("merchant_id").notNull(),
  bits: integer().notNull(),
  place: integer().notNull(),
  kind: integer().notNull(),
  status: integer().notNull(),
  count: integer().notNull(),
});

/** The reference that a search compares, without its letter case. */
export const folded: SQL<string> = sql`coalesce(${transactions.referenceFolded}, ${transactions.reference})`;

/** Whether a whole number is one of many. They are one parameter, so that the statement is the same for any count. */
export const isAmong = (column: typeof transactions.id, numbers: readonly number[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`;
