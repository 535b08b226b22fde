import { batch, effect } from "@preact/signals";
import { isSelectionNew, loadRows, openStory, quietly, reload } from "./loading.ts";
import { type CallFilters, callFiltersOf } from "./logic/calls.ts";
import { type Filters, inForce } from "./logic/filters.ts";
import { acknowledge } from "./logic/findings.ts";
import { formatRoute, parseRoute, type Route, type View } from "./logic/route.ts";
import * as state from "./state.ts";
import { after, longMemory, replaceAddress, tabMemory } from "./system.ts";
import type { Finding } from "./wire.ts";

/** What a person does with the page, apart from calls of the control API. */

/** So long after the last key the list is asked for. */
const TYPING_PAUSE_MS = 180;

/** Follows the address bar: the story and the list are those that it names. */
export function followRoute(): void {
  addEventListener("hashchange", () => {
    state.route.value = parseRoute(location.hash);
  });
  effect(() => openStory(state.openPayment.value));
  let cancel = () => {};
  effect(() => {
    state.selection.value;
    if (!state.isLoaded.value || !isSelectionNew()) return;
    cancel();
    cancel = after(TYPING_PAUSE_MS, () => void quietly(loadRows));
  });
  let merchantBefore: number | null = null;
  effect(() => {
    const merchant = state.merchantId.value;
    if (merchantBefore !== null && merchant !== merchantBefore) after(0, () => void quietly(() => reload("registry")));
    merchantBefore = merchant;
  });
}

/** The merchant stays the same from view to view. */
function withMerchant({ query, ...route }: Route): Route {
  const { merchant } = state.route.peek().query;
  return { ...route, query: merchant === undefined || "merchant" in query ? query : { merchant, ...query } };
}

/** Where a link to something of the page leads. */
export const addressOf = (view: View, selected: string | null = null, query: Route["query"] = {}): string =>
  formatRoute(withMerchant({ view, selected, query }));

export function goTo(view: View, selected: string | null = null, query: Route["query"] = {}): void {
  location.hash = addressOf(view, selected, query);
}

/** Opens something of the current view, or closes it; the filters stay. */
export function select(selected: string | null): void {
  location.hash = formatRoute({ ...state.route.value, view: state.view.value, selected });
}

/** Another address in the place of this one: Back does not lead to every letter that was typed. */
function replaceQuery(given: Readonly<Record<string, string>>): void {
  const { merchant } = state.route.value.query;
  const query = { ...(merchant !== undefined && { merchant }), ...given };
  state.route.value = { ...state.route.value, view: state.view.value, query };
  replaceAddress(formatRoute(state.route.value));
}

export const setFilters = (filters: Filters): void => replaceQuery(inForce(filters));

export function setCallFilters(changed: Partial<CallFilters>): void {
  const filters = { ...callFiltersOf(state.route.value.query), ...changed };
  replaceQuery(Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")));
}

export function chooseMerchant(id: number): void {
  batch(() => {
    state.rows.value = [];
    state.totalItems.value = null;
    state.counts.value = null;
  });
  goTo(state.view.value, null, { merchant: String(id) });
}

export function giveToken(text: string): void {
  tabMemory.write("token", text);
  batch(() => {
    state.token.value = text;
    state.tokenAsked.value = null;
  });
}

export function chooseTheme(theme: state.Theme): void {
  state.theme.value = theme;
  longMemory.write("theme", theme === "auto" ? null : theme);
}

export function foldPhones(isFolded: boolean): void {
  state.isFolded.value = isFolded;
  longMemory.write("folded", isFolded ? "yes" : null);
}

/** A phone that somebody has picked, or typed on, stays in sight while it rings and so long after. */
const PICKED_MS = 8000;

export function pickPhone(phone: string): void {
  batch(() => {
    state.pickedPhone.value = phone;
    if (!state.phonesSeen.value.includes(phone)) state.phonesSeen.value = [...state.phonesSeen.value, phone];
  });
  cancelLeaving();
  cancelLeaving = after(PICKED_MS, () => {
    if (state.promptsByPhone.value.has(phone)) pickPhone(phone);
    else state.pickedPhone.value = null;
  });
}

let cancelLeaving = () => {};

export function dismissNote(phone: string): void {
  const notes = new Map(state.phoneNotes.value);
  notes.delete(phone);
  state.phoneNotes.value = notes;
}

/** Folds findings away until they happen again. */
export function takeNoteOf(findings: readonly Finding[]): void {
  state.acknowledged.value = acknowledge(state.acknowledged.value, findings);
  longMemory.write("acknowledged", JSON.stringify(state.acknowledged.value));
}
