import type { Transaction } from "../wire.ts";
import { instantOf } from "./format.ts";

/** The filters of the list, as typed; empty if not used (§4.3). */
export const NO_FILTERS = {
  status: "",
  type: "",
  search: "",
  date_from: "",
  date_to: "",
  id: "",
  /** An interval of the chart, `FROM-UNTIL` in milliseconds. The API knows only days, so the page filters its own rows. */
  span: "",
};

export type Filters = Readonly<typeof NO_FILTERS>;

/** The filters of an address: unknown members are left out. */
export const givenOf = <T extends object>(none: T, query: Readonly<Record<string, string>>): T => ({
  ...none,
  ...Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(none, name))),
});

/** The filters that are not empty. */
export const inForce = (filters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));

/** Removes spaces around the values. The fields keep them, because the person may still type the next word. */
const trimmed = (filters: Filters): Filters =>
  givenOf(NO_FILTERS, Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, value.trim()])));

/** The filters in the form of the API. */
export const queryOf = (filters: Filters): URLSearchParams =>
  new URLSearchParams(inForce(trimmed({ ...filters, span: "" })));

export const isFiltered = (filters: Readonly<Record<string, string>>): boolean =>
  Object.values(filters).some((value) => value.trim() !== "");

/** An interval: its first instant, and the first one after it. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Null if the text is not an interval. */
export function parseSpan(text: string): Span | null {
  const [, from, until] = /^([0-9]{1,15})-([0-9]{1,15})$/.exec(text) ?? [];
  return from === undefined || until === undefined ? null : { fromMs: Number(from), untilMs: Number(until) };
}

export const formatSpan = ({ fromMs, untilMs }: Span): string => `${fromMs}-${untilMs}`;

export function isWithin({ created_at }: Pick<Transaction, "created_at">, { fromMs, untilMs }: Span): boolean {
  const atMs = instantOf(created_at);
  return atMs >= fromMs && atMs < untilMs;
}

/**
 * Whether a new transaction belongs to the list; null if only the server knows, because it also searches members that a row does
 * not have.
 */
export function belongs(transaction: Transaction, filters: Filters): boolean | null {
  const { status, type, search, date_from, date_to, id } = trimmed(filters);
  const day = transaction.created_at.slice(0, 10);
  const fits =
    (status === "" || transaction.status === status) &&
    (type === "" || transaction.kind === type) &&
    (date_from === "" || day >= date_from) &&
    (date_to === "" || day <= date_to) &&
    (id === "" || String(transaction.id) === id);
  return fits && search !== "" ? null : fits;
}
