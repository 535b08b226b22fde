import { noteOf } from "./logic/phone.ts";
import * as state from "./state.ts";
import { after } from "./system.ts";
import type { Message, Transaction } from "./wire.ts";

/** The phones of the customers: which one is on the handset, how their prompts ended, and their messages, within bounds. */

/** How long a phone stays on the handset after it rang, if the person picked it or typed on it. */
const PICKED_MS = 8000;
/** The same after its prompt has ended, so that the end can be read. */
const HELD_MS = 4000;
/** How long a phone shows the end of a prompt. The story shows it later. */
const NOTE_MS = 30_000;
/** More phones than a person can read. */
const MOST_PHONES = 200;

/** Keeps a phone on the handset, also while others ring. */
export function pickPhone(phone: string, keptMs = PICKED_MS): void {
  state.pickedPhone.value = phone;
  if (!state.phonesSeen.value.includes(phone)) state.phonesSeen.value = [...state.phonesSeen.value, phone];
  cancelLeaving();
  cancelLeaving = after(keptMs, () => {
    if (state.promptsByPhone.value.has(phone)) pickPhone(phone, keptMs);
    else state.pickedPhone.value = null;
  });
}

let cancelLeaving = () => {};

export function addPhones(phones: readonly string[]): void {
  const seen = state.phonesSeen.value;
  const added = [...new Set(phones)].filter((phone) => !seen.includes(phone));
  if (added.length === 0) return;
  const rings = (phone: string) => state.promptsByPhone.value.has(phone) || phone === state.pickedPhone.value;
  const all = [...seen, ...added];
  const surplus = all.length - MOST_PHONES;
  const leaving = new Set(surplus > 0 ? all.filter((phone) => !rings(phone)).slice(0, surplus) : []);
  state.phonesSeen.value = all.filter((phone) => !leaving.has(phone)).slice(-MOST_PHONES);
}

/** Removes the prompts of payments that have ended. Their phones show the end for a while, until the next prompt. */
export function endPrompts(transactions: readonly Transaction[]): void {
  const open = new Map(state.prompts.value);
  const notes = new Map(state.phoneNotes.value);
  for (const transaction of transactions) {
    const { checkout_request_id, merchant_id, phone, status } = transaction;
    if (status === "pending") {
      notes.delete(phone);
      continue;
    }
    open.delete(checkout_request_id);
    if (phone === state.shownPhone.peek() && !state.pickedPhone.peek()) pickPhone(phone, HELD_MS);
    // Not from its prompt: it may have begun and ended while the tab was hidden.
    const business = state.merchants.value.find(({ id }) => id === merchant_id)?.name ?? "the shop";
    notes.set(phone, { ...noteOf(transaction, business), status });
  }
  state.prompts.value = open;
  // A phone with a new prompt is added with its prompt, so that it is not shown before it rings.
  addPhones(transactions.filter(({ status }) => status !== "pending").map(({ phone }) => phone));
  const seen = new Set(state.phonesSeen.value);
  const kept = [...notes].filter(([phone]) => seen.has(phone));
  const made = kept.filter(([phone, note]) => note !== state.phoneNotes.value.get(phone));
  state.phoneNotes.value = new Map(kept);
  if (made.length === 0) return;
  after(NOTE_MS, () => {
    for (const [phone, note] of made) removeNote(phone, note);
  });
}

/** @param note if the phone has another one by now, that stays */
export function removeNote(phone: string, note = state.phoneNotes.value.get(phone)): void {
  if (state.phoneNotes.value.get(phone) !== note) return;
  const notes = new Map(state.phoneNotes.value);
  notes.delete(phone);
  state.phoneNotes.value = notes;
}

export function addMessages(texts: readonly Message[]): void {
  const here = new Set(state.messages.value.map(({ checkout_request_id }) => checkout_request_id));
  const added = texts.filter(({ checkout_request_id }) => !here.has(checkout_request_id));
  if (added.length === 0) return;
  state.messages.value = [...added, ...state.messages.value]
    .sort((a, b) => b.at_ms - a.at_ms)
    .slice(0, state.MOST_MESSAGES);
  addPhones(added.map(({ phone }) => phone));
}
