import type { Signal } from "@preact/signals";
import { token, tokenAsked } from "./api.ts";
import type { CallFilters } from "./logic/calls.ts";
import { type Filters, inForce } from "./logic/filters.ts";
import { formatRoute, parseRoute, type Route, type View } from "./logic/route.ts";
import * as state from "./state.ts";
import { replaceAddress, tabMemory } from "./system.ts";

/** Actions of a person that only change the page, without calls of the control API. */

/** Follows the address bar. */
export function followRoute(): void {
  addEventListener("hashchange", () => {
    state.route.value = parseRoute(location.hash);
  });
}

/** The address of a part of the page. The merchant stays. */
export function addressOf(view: View, selected: string | null = null, query: Route["query"] = {}): string {
  const { merchant } = state.route.peek().query;
  return formatRoute({ view, selected, query: { ...(merchant !== undefined && { merchant }), ...query } });
}

export function goTo(view: View, selected: string | null = null, query: Route["query"] = {}): void {
  location.hash = addressOf(view, selected, query);
  // Before the event of the new address, so that the next key finds the view.
  state.route.value = parseRoute(location.hash);
}

/** Opens something of the current view, or closes it; the filters stay. */
export function select(selected: string | null): void {
  location.hash = formatRoute({ ...state.route.value, view: state.view.value, selected });
}

/** Changes filters of the view. Replaces the address, so that Back does not stop at every typed letter. */
export function setFilters(changed: Partial<Filters & CallFilters>): void {
  const query = inForce({ ...state.route.value.query, ...changed });
  state.route.value = { ...state.route.value, view: state.view.value, query };
  replaceAddress(formatRoute(state.route.value));
}

export const chooseMerchant = (id: number): void => goTo(state.view.value, null, { merchant: String(id) });

export function giveToken(text: string): void {
  tabMemory.write("token", text);
  token.value = text;
  tokenAsked.value = null;
}

/** A handler that sets a signal. */
export function setting<T>(target: Signal<T>, value: NoInfer<T>): () => void {
  return () => {
    target.value = value;
  };
}
