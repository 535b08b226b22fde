import { and, between, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { Page, Summary, TransactionFilter } from "../../domain/filter.ts";
import { type Day, endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import { onFirstUse } from "./on-first-use.ts";
import { totals } from "./schema.ts";
import type { Span } from "./transaction-pages.ts";
import type { Drizzle } from "./transaction-reader.ts";

/** Days before and after all that a clock of ours can show. */
export const EVER = { first: -1, last: 4_000_000 };

/** Where the rows of a page are. */
export interface PageStart {
  readonly span: Span;
  /** How many rows of the span come before the page. */
  readonly skip: number;
}

/** Answers from the counts that the database's triggers keep: no transaction is read. */
export function createTotals(drizzle: Drizzle) {
  const kind = sql.placeholder("kind");
  const status = sql.placeholder("status");
  const selected = and(
    eq(totals.merchantId, sql.placeholder("merchantId")),
    between(totals.day, sql.placeholder("fromDay"), sql.placeholder("toDay")),
    or(isNull(sql`${kind}`), eq(totals.kind, kind)),
    or(isNull(sql`${status}`), eq(totals.status, status)),
  );
  const byStatus = onFirstUse(() =>
    drizzle
      .select({
        status: totals.status,
        count: sql<number>`sum(${totals.count})`,
        amountCents: sql<number>`sum(${totals.amountCents})`,
      })
      .from(totals)
      .where(selected)
      .groupBy(totals.status)
      .prepare(),
  );

  const byDay = onFirstUse(() =>
    drizzle
      .select({ day: totals.day, count: sql<number>`sum(${totals.count})` })
      .from(totals)
      .where(selected)
      .groupBy(totals.day)
      .orderBy(desc(totals.day))
      .prepare(),
  );

  const valuesOf = (merchantId: number, filter: TransactionFilter) => ({
    merchantId,
    fromDay: filter.fromDay ?? EVER.first,
    toDay: filter.toDay ?? EVER.last,
    kind: filter.kind ?? null,
    status: filter.status ?? null,
  });

  return {
    /**
     * Where a page begins: on which day, and after how many rows of it. However deep the page is, no more than the rows of one
     * day are passed over. Null where the page is past the end.
     */
    locate(merchantId: number, filter: TransactionFilter, page: Page): PageStart | null {
      const { kind, status, fromDay = EVER.first, toDay = EVER.last } = filter;
      const spanTo = (lastDay: number): Span => ({
        ...(kind && { kind }),
        ...(status && { status }),
        fromMs: startOfDayMs(fromDay as Day),
        beforeMs: endOfDayMs(lastDay as Day),
      });
      let skip = (page.number - 1) * page.limit;
      if (skip === 0) return { span: spanTo(toDay), skip };
      for (const { day, count } of byDay().all(valuesOf(merchantId, filter))) {
        if (skip < count) return { span: spanTo(day), skip };
        skip -= count;
      }
      return null;
    },

    /** For filters of kind, status and days; `search` and `id` are not known here. */
    summarize(merchantId: number, filter: Omit<TransactionFilter, "search" | "id">): Summary {
      return toSummary(byStatus().all(valuesOf(merchantId, filter)));
    },
  };
}

/** A count and a sum for each status, as the summary of §2.4. */
export function toSummary(rows: readonly { status: string; count: number; amountCents: number }[]): Summary {
  const countOf = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return {
    totalItems: rows.reduce((sum, row) => sum + row.count, 0),
    completedAmountCents: rows.find((row) => row.status === "completed")?.amountCents ?? 0,
    completedCount: countOf("completed"),
    pendingCount: countOf("pending"),
    failedCount: countOf("failed"),
  };
}
