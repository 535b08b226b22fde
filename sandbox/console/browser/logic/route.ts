/** Where in the page somebody is; it stands after the `#`, so that back, forward and a bookmark work. */
export const VIEWS = ["transactions", "requests", "steering", "keys", "start", "phone"] as const;

export type View = (typeof VIEWS)[number];

export interface Route {
  readonly view: View;
  /** The payment whose story is open. */
  readonly checkoutRequestId: string | null;
}

/** What stands after the `#` may be anything; what means nothing leads to the transactions. */
export function parseRoute(hash: string): Route {
  const [view = "", id] = hash.replace(/^#/, "").split("/");
  const known = VIEWS.find((name) => name === view) ?? "transactions";
  return { view: known, checkoutRequestId: known === "transactions" && id ? safelyDecoded(id) : null };
}

export function formatRoute({ view, checkoutRequestId }: Route): string {
  return checkoutRequestId === null ? `#${view}` : `#${view}/${encodeURIComponent(checkoutRequestId)}`;
}

function safelyDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
