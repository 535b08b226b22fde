import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { KINDS, STATUSES } from "../../domain/transaction.ts";

/** What the list reads, as drizzle sees it. The rules (checks, indexes, triggers) stand in `migrations/`; a test compares the two. */

export const transactions = sqliteTable("transactions", {
  id: integer().primaryKey(),
  merchantId: integer("merchant_id").notNull(),
  paymentAccountId: integer("payment_account_id").notNull(),
  kind: text({ enum: KINDS }).notNull(),
  status: text({ enum: STATUSES }).notNull(),
  amountCents: integer("amount_cents").notNull(),
  feeCents: integer("fee_cents").notNull(),
  phone: text().notNull(),
  reference: text(),
  referenceFolded: text("reference_folded"),
  description: text(),
  checkoutRequestId: text("checkout_request_id").notNull(),
  merchantRequestId: text("merchant_request_id").notNull(),
  transactionCode: text("transaction_code"),
  receiptNumber: text("momo_receipt_number"),
  resultCode: integer("result_code"),
  resultDesc: text("result_desc"),
  createdAtMs: integer("created_at_ms").notNull(),
  expiresAtMs: integer("expires_at_ms").notNull(),
  completedAtMs: integer("completed_at_ms"),
  checkAtMs: integer("check_at_ms"),
  memo: text(),
  finalMemo: text("final_memo"),
});

export const totals = sqliteTable("totals", {
  merchantId: integer("merchant_id").notNull(),
  day: integer().notNull(),
  kind: text({ enum: KINDS }).notNull(),
  status: text({ enum: STATUSES }).notNull(),
  count: integer().notNull(),
  amountCents: integer("amount_cents").notNull(),
});

export const phoneTotals = sqliteTable("phone_totals", {
  merchantId: integer("merchant_id").notNull(),
  prefix: text().notNull(),
  status: text({ enum: STATUSES }).notNull(),
  count: integer().notNull(),
  amountCents: integer("amount_cents").notNull(),
});
