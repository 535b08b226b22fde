import type { TransactionFilter } from "../../src/domain/filter.ts";
import { formatDay, formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Transaction } from "../../src/domain/transaction.ts";

/** What the list must be (§4.3), from all rows, in the plainest way: no index, no SQL. */
export function naiveList(all: readonly Transaction[], merchantId: number, filter: TransactionFilter): Transaction[] {
  return all
    .filter((row) => row.merchantId === merchantId && selects(filter, row))
    .sort((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id);
}

function selects({ kind, status, fromDay, toDay, search, id }: TransactionFilter, row: Transaction): boolean {
  const day = () => formatTimestamp(row.createdAtMs).slice(0, 10);
  return (
    (kind === undefined || row.kind === kind) &&
    (status === undefined || row.status === status) &&
    (fromDay === undefined || day() >= formatDay(fromDay)) &&
    (toDay === undefined || day() <= formatDay(toDay)) &&
    (id === undefined || row.id === id) &&
    (search === undefined || isFound(search, row))
  );
}

function isFound(search: string, row: Transaction): boolean {
  const national = row.phone.slice(3);
  const identifiers = [row.checkoutRequestId, row.merchantRequestId];
  if (row.status === "completed") identifiers.push(row.transactionCode, row.receiptNumber);
  return (
    [`0${national}`, `254${national}`, `+254${national}`, ` 254${national}`, national].some((typed) =>
      typed.startsWith(search),
    ) ||
    identifiers.some((text) => text.toLowerCase() === search.toLowerCase()) ||
    (row.reference ?? "\0").toUpperCase().startsWith(search.toUpperCase())
  );
}

export function naiveSummary(rows: readonly Transaction[]) {
  const completed = rows.filter(({ status }) => status === "completed");
  return {
    totalItems: rows.length,
    completedAmountCents: completed.reduce((sum, { amountCents }) => sum + amountCents, 0),
    completedCount: completed.length,
    pendingCount: rows.filter(({ status }) => status === "pending").length,
    failedCount: rows.filter(({ status }) => status === "failed").length,
    cancelledCount: rows.filter(({ status }) => status === "cancelled").length,
    expiredCount: rows.filter(({ status }) => status === "expired").length,
  };
}
