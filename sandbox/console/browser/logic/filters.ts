import type { Transaction } from "../wire.ts";

/** The filters of the list, as they were typed; empty where not in force (§4.3). */
export interface Filters {
  readonly status: string;
  readonly type: string;
  readonly search: string;
  readonly date_from: string;
  readonly date_to: string;
  readonly id: string;
}

export const NO_FILTERS: Filters = { status: "", type: "", search: "", date_from: "", date_to: "", id: "" };

/** The filters as the API takes them. */
export function queryOf(filters: Filters): URLSearchParams {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
}

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== "");

/**
 * Whether a transaction that just arrived belongs into the list; null where only the server can tell, because it searches in
 * what a row does not show.
 */
export function belongs(transaction: Transaction, filters: Filters): boolean | null {
  const { status, type, search, date_from, date_to, id } = filters;
  const day = transaction.created_at.slice(0, 10);
  const fits =
    (status === "" || transaction.status === status) &&
    (type === "" || transaction.kind === type) &&
    (date_from === "" || day >= date_from) &&
    (date_to === "" || day <= date_to) &&
    (id === "" || String(transaction.id) === id);
  return fits && search !== "" ? null : fits;
}
