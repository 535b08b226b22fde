import type { Payment } from "./book.ts";
import { toKes } from "./money.ts";
import { dayInNairobi, isDay } from "./nairobi.ts";
import { rowOf } from "./views.ts";

/** The list as §4.3 has it, from all payments and in the plainest way. */

export interface Query {
  readonly page: number;
  readonly limit: number;
  readonly filters: Readonly<Record<string, string | number>>;
}

const KINDS = ["api", "web", "wallet_deposit", "credit_topup"];
const STATUSES = ["pending", "completed", "failed", "cancelled", "expired"];

/** For each parameter, how it is understood; null where it is wrong. */
const PARAMETERS: Readonly<Record<string, (text: string) => string | number | null>> = {
  page: (text) => (/^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : null),
  limit: (text) => (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 100 ? Number(text) : null),
  type: (text) => (KINDS.includes(text.toLowerCase()) ? text.toLowerCase() : null),
  status: (text) => (STATUSES.includes(text.toLowerCase()) ? text.toLowerCase() : null),
  date_from: (text) => (isDay(text) ? text : null),
  date_to: (text) => (isDay(text) ? text : null),
  search: (text) => (text.length >= 1 && text.length <= 100 ? text : null),
  id: (text) => (/^-?[0-9]+$/.test(text) ? Number(text) : null),
};

/** Reads a query string. @returns the names of the parameters that are wrong, or what is asked for */
export function readQuery(text: string): { readonly wrong: readonly string[] } | Query {
  const given = new URLSearchParams(text);
  const wrong: string[] = [];
  const read: Record<string, string | number> = {};
  for (const [name, understand] of Object.entries(PARAMETERS)) {
    const values = given.getAll(name);
    const [value] = values;
    if (value === undefined) continue;
    const meaning = values.length === 1 ? understand(value) : null;
    if (meaning === null) wrong.push(name);
    else read[name] = meaning;
  }
  const { page = 1, limit = 10, ...filters } = read;
  if (wrong.length === 0 && String(filters.date_from ?? "") > String(filters.date_to ?? "9999-99-99")) {
    wrong.push("date_from");
  }
  return wrong.length > 0 ? { wrong } : { page: Number(page), limit: Number(limit), filters };
}

/** A merchant's payments that the filters select, newest first. */
export function select(payments: Iterable<Payment>, merchantId: number, filters: Query["filters"]): Payment[] {
  return [...payments]
    .filter((payment) => payment.merchantId === merchantId && fits(payment, filters))
    .sort((a, b) => b.createdAtMs - a.createdAtMs || (b.id ?? 0) - (a.id ?? 0));
}

function fits(payment: Payment, filters: Query["filters"]): boolean {
  const day = dayInNairobi(payment.createdAtMs);
  const { type, status, date_from, date_to, search, id } = filters;
  return (
    (type === undefined || payment.kind === type) &&
    (status === undefined || (payment.end?.status ?? "pending") === status) &&
    (date_from === undefined || day >= date_from) &&
    (date_to === undefined || day <= date_to) &&
    (id === undefined || payment.id === id) &&
    (search === undefined || isFoundBy(payment, String(search)))
  );
}

/** By the start of phone or reference, or by a whole identifier, in any letter case; the plus of a phone may have become a space. */
function isFoundBy(payment: Payment, search: string): boolean {
  const national = payment.phone.slice(3);
  const { end, reference, checkoutRequestId, merchantRequestId, transactionCode } = payment;
  const identifiers = [checkoutRequestId, merchantRequestId, transactionCode, end?.receipt];
  const phones = [national, `0${national}`, `254${national}`, `+254${national}`];
  const startsWith = (text: string | null | undefined, start: string) =>
    text?.toLowerCase().startsWith(start.toLowerCase()) ?? false;
  const typed = search.replace(/^ (?=[0-9])/, "+");
  return (
    identifiers.some((text) => text?.toLowerCase() === search.toLowerCase()) ||
    startsWith(reference, search) ||
    phones.some((text) => startsWith(text, typed))
  );
}

/** The answer, without `success` and `message`. */
export function listOf(selected: readonly Payment[], { page, limit, filters }: Query, form: "full" | "short") {
  const rows = selected.slice((page - 1) * limit, page * limit).map((payment) => rowOf(payment, payment.end, form));
  const withStatus = (status: string) => selected.filter(({ end }) => (end?.status ?? "pending") === status);
  const completed = withStatus("completed");
  const around = {
    pagination: {
      current_page: page,
      per_page: limit,
      total_items: selected.length,
      total_pages: Math.ceil(selected.length / limit),
    },
    filters_applied: filters,
  };
  if (form === "short") return { data: rows, ...around };
  return {
    transactions: rows,
    summary: {
      total_completed_amount: toKes(completed.reduce((sum, { amountCents }) => sum + amountCents, 0)),
      completed_count: completed.length,
      pending_count: withStatus("pending").length,
      failed_count: withStatus("failed").length,
    },
    ...around,
  };
}
