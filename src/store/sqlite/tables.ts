import { and, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TransactionFilter } from "../../domain/filter.ts";
import { endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import type { SearchRanges } from "../list-query.ts";
import { codeOfKind, codeOfStatus } from "../rows.ts";

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
const folded: SQL<string> = sql`coalesce(${transactions.referenceFolded}, ${transactions.reference})`;

/** Whether a whole number is one of many. They are one parameter, so that the statement is the same for any count. */
export const isAmong = (column: typeof transactions.id, numbers: readonly number[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`;

/** Which rows a list shows, by all members of a filter except `search` and `id`. */
export const selectionOf = (merchantId: number, { kind, status, fromDay, toDay }: TransactionFilter): SQL | undefined =>
  and(
    eq(transactions.merchantId, merchantId),
    kind && eq(transactions.kind, codeOfKind(kind)),
    status && eq(transactions.status, codeOfStatus(status)),
    fromDay === undefined ? undefined : gte(transactions.createdAtMs, startOfDayMs(fromDay)),
    toDay === undefined ? undefined : lt(transactions.createdAtMs, endOfDayMs(toDay)),
  );

/** Narrows a selection to what a search finds. `whole` are the rows that have the searched text as an identifier. */
export const searched = (
  selection: SQL | undefined,
  { phone, reference }: SearchRanges,
  whole: readonly number[],
): SQL | undefined =>
  and(
    selection,
    or(
      and(gte(folded, reference.from), lt(folded, reference.before)),
      phone ? and(gte(transactions.phone, phone.from), lt(transactions.phone, phone.before)) : undefined,
      whole.length > 0 ? isAmong(transactions.id, whole) : undefined,
    ),
  );
