import { FILTER_NAMES, type FilterName, type TransactionFilter } from "../../src/domain/filters.ts";
import type { AmountCents } from "../../src/domain/money.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { formatDay, formatTimestamp } from "../../src/domain/timestamp.ts";
import {
  KINDS,
  type PendingTransaction,
  STATUSES,
  type Status,
  type Transaction,
} from "../../src/domain/transaction.ts";
import type { Store } from "../../src/store/store.ts";
import { CREATED_AT_MS, insertPending, paidAt } from "../support/shop.ts";

export const REFERENCES = [
  null,
  "",
  "Order-1",
  "order-10",
  "ORDER-2",
  "ÉCOLE",
  "école du soir",
  "Straße 5",
  "100%",
  "100_",
  "1000",
  "%",
  "_",
  "a\\b",
  "0712",
  "ws_CO_",
  "My Order-1",
  "😀 emoji",
] as const;

export const PHONES = ["254712345678", "254712345999", "254722000000", "254110000001", "254700000000"] as Msisdn[];

/** Every kind in every state, over three Nairobi days with their midnights, of two merchants; some at the same instant. */
export async function fillStore(store: Store, count: number): Promise<Transaction[]> {
  const started = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const merchantId = index % 7 === 0 ? 2 : 1;
      return insertPending(store, {
        merchantId,
        paymentAccountId: merchantId,
        kind: pick(KINDS, index >> 1),
        phone: pick(PHONES, index * 3),
        reference: pick(REFERENCES, index),
        amountCents: (100 + index * 37) as AmountCents,
        createdAtMs: CREATED_AT_MS + Math.floor((index * 60) / count) * 3_600_000,
      });
    }),
  );
  const now = started.map((pending, index) => finished(pending, pick(STATUSES, (index * 11) >> 2), index));
  await store.transactions.record(now.filter(({ status }) => status !== "pending"));
  return now;
}

function finished(pending: PendingTransaction, status: Status, index: number): Transaction {
  if (status === "pending") return pending;
  const atMs = pending.createdAtMs + 1000;
  const outcome =
    status === "completed"
      ? paidAt(atMs, `UJ2${String(index).padStart(7, "0")}`)
      : { status, resultCode: 1, resultDesc: "no", atMs };
  return resolve(pending, outcome);
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}

/** What the list must be (§4.3), from all rows, in the plainest way: no index, no SQL. */
export function naiveList(all: readonly Transaction[], merchantId: number, filter: TransactionFilter): Transaction[] {
  return all
    .filter((row) => row.merchantId === merchantId && selects(filter, row))
    .sort((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id);
}

const dayOf = ({ createdAtMs }: Transaction, { dayOffsetMs }: TransactionFilter) =>
  formatTimestamp(createdAtMs, dayOffsetMs).slice(0, 10);

const FITS: {
  readonly [Name in FilterName]: (
    value: NonNullable<TransactionFilter[Name]>,
    row: Transaction,
    filter: TransactionFilter,
  ) => boolean;
} = {
  type: (kind, row) => row.kind === kind,
  status: (status, row) => row.status === status,
  date_from: (day, row, filter) => dayOf(row, filter) >= formatDay(day),
  date_to: (day, row, filter) => dayOf(row, filter) <= formatDay(day),
  search: (text, row) => isFound(text, row),
  id: (id, row) => row.id === id,
};

function selects(filter: TransactionFilter, row: Transaction): boolean {
  const fits = (name: FilterName) => filter[name] === undefined || FITS[name](filter[name] as never, row, filter);
  const { search, findsEnds, ...others } = filter;
  const isEnd = search !== undefined && findsEnds === true && isEndOf(row, search);
  return isEnd ? selects(others, row) : FILTER_NAMES.every(fits);
}

const isEndOf = ({ reference }: Transaction, search: string): boolean =>
  [..."-/_.:# "].some((separator) => reference?.toUpperCase().endsWith(separator + search.toUpperCase()));

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
