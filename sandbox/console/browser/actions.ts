import { batch } from "@preact/signals";
import { loadRows, openStory, quietly, reload } from "./loading.ts";
import type { Filters } from "./logic/filters.ts";
import { formatRoute, parseRoute, type Route } from "./logic/route.ts";
import * as state from "./state.ts";
import { after, longMemory, tabMemory } from "./system.ts";

/** What a person does with the page, apart from calls of the control API. */

/** Follows the address bar. */
export function followRoute(): void {
  addEventListener("hashchange", () => {
    state.route.value = parseRoute(location.hash);
    openStory(state.route.value.checkoutRequestId);
  });
}

export function goTo(route: Route): void {
  location.hash = formatRoute(route);
}

/** So long after the last key the list is asked for. */
const TYPING_PAUSE_MS = 180;
let cancelTyping = () => {};

export function setFilters(filters: Filters): void {
  state.filters.value = filters;
  cancelTyping();
  cancelTyping = after(TYPING_PAUSE_MS, () => void quietly(loadRows));
}

export function chooseMerchant(id: number): void {
  batch(() => {
    state.merchantId.value = id;
    state.rows.value = [];
    state.totalItems.value = null;
  });
  goTo({ view: state.route.value.view, checkoutRequestId: null });
  void quietly(loadRows);
  void quietly(() => reload("registry"));
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

/** @param places how many handsets there is room for */
export function makeRoomForPhones(places: number): void {
  state.phonePlaces.value = places;
}

export function dismissNote(phone: string): void {
  const notes = new Map(state.phoneNotes.value);
  notes.delete(phone);
  state.phoneNotes.value = notes;
}
