import { FILTER_NAMES, type FilterName } from "../../../../src/domain/filters.ts";
import { searchOf } from "./typed.ts";

/** The filters of the list, as typed; empty if not used (§4.3). */
export type Filters = Readonly<Record<FilterName, string>>;

export const NO_FILTERS = Object.fromEntries(FILTER_NAMES.map((name) => [name, ""])) as Filters;

/** The filters of an address: unknown members are left out. */
export const givenOf = <T extends object>(none: T, query: Readonly<Record<string, string>>): T => ({
  ...none,
  ...Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(none, name))),
});

/** The filters that are not empty. */
export const inForce = (filters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));

/** Removes spaces around the values. The fields keep them, because the person may still type the next word. */
function trimmed(filters: Filters): Filters {
  const texts = givenOf(
    NO_FILTERS,
    Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, value.trim()])),
  );
  return { ...texts, search: searchOf(texts.search) };
}

/** The filters in the form of the API. A search of a person also finds the ends of references. */
export function queryOf(filters: Filters): URLSearchParams {
  const query = new URLSearchParams(inForce(trimmed(filters)));
  if (query.has("search")) query.set("ends", "true");
  return query;
}

export const isFiltered = (filters: Readonly<Record<string, string>>): boolean =>
  Object.values(filters).some((value) => value.trim() !== "");
