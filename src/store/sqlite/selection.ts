import { and, eq, gte, lt, or, type SQL } from "drizzle-orm";
import type { TransactionFilter } from "../../domain/filter.ts";
import { endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import type { SearchRanges } from "../list-query.ts";
import { codeOfKind, codeOfStatus } from "../rows.ts";
import { folded, isAmong, transactions } from "./tables.ts";

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
