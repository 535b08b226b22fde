import { and, between, eq, isNull, or, sql } from "drizzle-orm";
import type { Summary, TransactionFilter } from "../domain/filter.ts";
import type { Drizzle } from "./database.ts";
import { onFirstUse } from "./on-first-use.ts";
import { totals } from "./schema.ts";

const EVER = { first: -(2 ** 40), last: 2 ** 40 };

/** Answers {@link Summary} from the counts that the database's triggers keep: no transaction is read. */
export function createTotals(drizzle: Drizzle) {
  const kind = sql.placeholder("kind");
  const status = sql.placeholder("status");
  const byStatus = onFirstUse(() =>
    drizzle
      .select({
        status: totals.status,
        count: sql<number>`sum(${totals.count})`,
        amountCents: sql<number>`sum(${totals.amountCents})`,
      })
      .from(totals)
      .where(
        and(
          eq(totals.merchantId, sql.placeholder("merchantId")),
          between(totals.day, sql.placeholder("fromDay"), sql.placeholder("toDay")),
          or(isNull(sql`${kind}`), eq(totals.kind, kind)),
          or(isNull(sql`${status}`), eq(totals.status, status)),
        ),
      )
      .groupBy(totals.status)
      .prepare(),
  );

  return {
    /** For filters of kind, status and days; `search` and `id` are not known here. */
    summarize(merchantId: number, filter: Omit<TransactionFilter, "search" | "id">): Summary {
      return toSummary(
        byStatus().all({
          merchantId,
          fromDay: filter.fromDay ?? EVER.first,
          toDay: filter.toDay ?? EVER.last,
          kind: filter.kind ?? null,
          status: filter.status ?? null,
        }),
      );
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
