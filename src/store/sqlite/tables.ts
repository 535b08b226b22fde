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
});

export const dayTotals = sqliteTable("day_totals", {
  merchantId: integer("merchant_id").notNull(),
  day: integer().notNull(),
  kind: integer().notNull(),
  status: integer().notNull(),
  count: integer().notNull(),
  amountCents: integer("amount_cents").notNull(),
});
