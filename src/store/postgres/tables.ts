import { type SQL, sql } from "drizzle-orm";
import { customType, pgTable, text } from "drizzle-orm/pg-core";

/** The columns that the list reads, for drizzle. The tables are declared in `migrations/`. */

/** A whole number. Its parameters have a cast, because the driver would send a large one as a fraction. */
const whole = customType<{ data: number; driverData: SQL }>({
  dataType: () => "bigint",
  toDriver: (value) => sql`${value}::bigint`,
});

export const transactions = pgTable("transactions", {
  id: whole().primaryKey(),
  merchantId: whole("merchant_id").notNull(),
  kind: whole().notNull(),
  status: whole().notNull(),
  amountCents: whole("amount_cents").notNull(),
  phone: whole().notNull(),
  reference: text(),
  referenceFolded: text("reference_folded"),
  createdAtMs: whole("created_at_ms").notNull(),
});

export const dayTotals = pgTable("day_totals", {
  merchantId: whole("merchant_id").notNull(),
  day: whole().notNull(),
  kind: whole().notNull(),
  status: whole().notNull(),
  count: whole().notNull(),
  amountCents: whole("amount_cents").notNull(),
});
