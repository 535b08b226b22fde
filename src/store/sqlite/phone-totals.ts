import { and, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Summary } from "../../domain/filter.ts";
import type { Status } from "../../domain/transaction.ts";
import { onFirstUse } from "./on-first-use.ts";
import { phoneTotals, transactions } from "./schema.ts";
import { toSummary } from "./totals.ts";
import type { Drizzle } from "./transaction-reader.ts";
import { LAST_TEXT, rangeOf, within } from "./transaction-search.ts";

/** By so many digits of each phone, the 254 included, the triggers count. */
export const KEPT_DIGITS = 6;

/** Answers for ranges of phones from the counts that the database's triggers keep, and from an index: no transaction is read. */
export function createPhoneTotals(drizzle: Drizzle) {
  const inRange = (merchant: SQLiteColumn, column: SQLiteColumn) =>
    and(eq(merchant, sql.placeholder("merchantId")), within(column, "phone"));
  const ended = onFirstUse(() =>
    drizzle
      .select({
        status: phoneTotals.status,
        count: sql<number>`sum(${phoneTotals.count})`,
        amountCents: sql<number>`sum(${phoneTotals.amountCents})`,
      })
      .from(phoneTotals)
      .where(inRange(phoneTotals.merchantId, phoneTotals.prefix))
      .groupBy(phoneTotals.status)
      .prepare(),
  );
  const entries = onFirstUse(() =>
    drizzle
      .select({ count: sql<number>`count(*)` })
      .from(transactions)
      .where(inRange(transactions.merchantId, transactions.phone))
      .prepare(),
  );
  const count = (merchantId: number, phoneFrom: string, phoneBefore: string): number =>
    entries().get({ merchantId, phoneFrom, phoneBefore })?.count ?? 0;

  return {
    /**
     * The counts over all phones that start with a prefix, of one status where one is asked for.
     * @param prefix at most {@link KEPT_DIGITS} digits
     * @param totalItems how many transactions the merchant has
     */
    summarize(merchantId: number, prefix: string, status: Status | undefined, totalItems: number): Summary {
      const range = rangeOf("phone", prefix);
      const finals = ended().all({ merchantId, ...range });
      if (status !== undefined && status !== "pending") return toSummary(finals.filter((row) => row.status === status));
      const finalItems = finals.reduce((sum, row) => sum + row.count, 0);
      // Of the phones in the range and those beside it the fewer are counted.
      const items =
        finalItems < totalItems / 2
          ? count(merchantId, range.phoneFrom, range.phoneBefore)
          : totalItems - count(merchantId, "", range.phoneFrom) - count(merchantId, range.phoneBefore, LAST_TEXT);
      const pending = { status: "pending", count: items - finalItems, amountCents: 0 };
      return toSummary(status === "pending" ? [pending] : [...finals, pending]);
    },
  };
}
