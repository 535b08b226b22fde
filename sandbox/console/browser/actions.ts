import { batch, effect } from "@preact/signals";
import { isSelectionNew, loadRows, openStory, quietly, reload } from "./loading.ts";
import { type CallFilters, callFiltersOf } from "./logic/calls.ts";
import { type Filters, inForce } from "./logic/filters.ts";
import { acknowledge } from "./logic/findings.ts";
import { formatRoute, parseRoute, type Route, type View } from "./logic/route.ts";
import type { Dialog } from "./state.ts";
import * as state from "./state.ts";
import { after, longMemory, replaceAddress, tabMemory } from "./system.ts";
import type { Finding } from "./wire.ts";

/** Actions of a person that only change the page, without calls of the control API. */

/** The list is loaded this long after the last key. */
const TYPING_PAUSE_MS = 180;

/** Follows the address bar: opens the story and the list that it names. */
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

/** Keeps the merchant when the view changes. */
function withMerchant({ query, ...route }: Route): Route {
  const { merchant } = state.route.peek().query;
  return { ...route, query: merchant === undefined || "merchant" in query ? query : { merchant, ...query } };
}

/** The address of a part of the page. */
export const addressOf = (view: View, selected: string | null = null, query: Route["query"] = {}): string =>
  formatRoute(withMerchant({ view, selected, query }));

export function goTo(view: View, selected: string | null = null, query: Route["query"] = {}): void {
  location.hash = addressOf(view, selected, query);
  // Before the event of the new address, so that the next key finds the view.
  state.route.value = parseRoute(location.hash);
}

/** Opens something of the current view, or closes it; the filters stay. */
export function select(selected: string | null): void {
  location.hash = formatRoute({ ...state.route.value, view: state.view.value, selected });
}

/** Replaces the address, so that Back does not stop at every typed letter. */
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

export function openDialog(name: Dialog): void {
  state.dialog.value = name;
}

export function closeDialog(name: Dialog): void {
  if (state.dialog.value === name) state.dialog.value = null;
}

/** How long a phone stays on the handset after it rang, if the person picked it or typed on it. */
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

/** Hides findings until they happen again. */
export function markAsKnown(findings: readonly Finding[]): void {
  state.acknowledged.value = acknowledge(state.acknowledged.value, findings);
  longMemory.write("acknowledged", JSON.stringify(state.acknowledged.value));
}
