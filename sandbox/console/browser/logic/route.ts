import { readOrNull } from "../../../../src/domain/read-or-null.ts";

/** The place in the page. It is completely in the address after `#`, so that back, forward, reload, bookmarks and links work. */
export const VIEWS = ["transactions", "requests", "audit", "steering", "keys", "start", "phone"] as const;

export type View = (typeof VIEWS)[number];

export interface Route {
  /** Null if the address names none. */
  readonly view: View | null;
  /** What is open in the view: a payment by its checkout request id, a request by its id. */
  readonly selected: string | null;
  /** The filters, and the merchant if it is not the first. */
  readonly query: Readonly<Record<string, string>>;
}

/** Reads any text after `#`. Unknown parts are ignored. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [name = "", id] = path.split("/");
  return {
    view: VIEWS.find((view) => view === name) ?? null,
    // "." and ".." would lead to another path of the API.
    selected: id && !/^(?:\.|%2e)+$/i.test(id) ? readOrNull(() => decodeURIComponent(id)) : null,
    query: Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== "")),
  };
}

export function formatRoute({ view, selected, query }: Route): string {
  const words = new URLSearchParams(query).toString();
  const path = `${view ?? ""}${selected === null ? "" : `/${encodeURIComponent(selected)}`}`;
  return `#${path}${words === "" ? "" : `?${words}`}`;
}
