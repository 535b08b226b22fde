import { and, eq, gte, lt, or, type SQL } from "drizzle-orm";
import type { TransactionFilter } from "../../domain/filter.ts";
import { endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import type { SearchRanges } from "../list-query.ts";
import { codeOfKind, codeOfStatus } from "../rows.ts";
import { folded, isAmong, transactions } from "./tables.ts";

/** Which rows a list shows. */
export interface Selection {
  readonly where: SQL | undefined;
  /** The range of `createdAtMs`. */
  readonly fromMs: number;
  readonly beforeMs: number;
}

const NO_DAY = { fromMs: 0, beforeMs: Number.MAX_SAFE_INTEGER };

/** Uses all members of a filter except `search` and `id`. */
export function selectionOf(merchantId: number, { kind, status, fromDay, toDay }: TransactionFilter): Selection {
  const fromMs = fromDay === undefined ? NO_DAY.fromMs : startOfDayMs(fromDay);
  const beforeMs = toDay === undefined ? NO_DAY.beforeMs : endOfDayMs(toDay);
  const where = and(
    eq(transactions.merchantId, merchantId),
    gte(transactions.createdAtMs, fromMs),
    lt(transactions.createdAtMs, beforeMs),
    kind && eq(transactions.kind, codeOfKind(kind)),
    status && eq(transactions.status, codeOfStatus(status)),
  );
  return { where, fromMs, beforeMs };
}

/** Narrows a selection to what a search finds. `whole` are the rows that have the searched text as an identifier. */
export function searched(
  selection: Selection,
  { phone, reference }: SearchRanges,
  whole: readonly number[],
): Selection {
  const found = or(
    and(gte(folded, reference.from), lt(folded, reference.before)),
    phone ? and(gte(transactions.phone, phone.from), lt(transactions.phone, phone.before)) : undefined,
    whole.length > 0 ? isAmong(transactions.id, whole) : undefined,
  );
  return { ...selection, where: and(selection.where, found) };
}
