import { noteOf } from "./logic/phone.ts";
import * as state from "./state.ts";
import { after } from "./system.ts";
import type { Transaction } from "./wire.ts";

/** The phones of the customers: which one is on the handset, and how its last prompt ended. */

/** How long a phone stays on the handset after it rang, if the person picked it or typed on it. */
const PICKED_MS = 8000;
/** The same after its prompt has ended, so that the end can be read. */
const HELD_MS = 4000;
/** How long a phone shows the end of a prompt. The story shows it later. */
const NOTE_MS = 30_000;

/** Keeps a phone on the handset, also while others ring. */
export function pickPhone(phone: string, keptMs = PICKED_MS): void {
  state.pickedPhone.value = phone;
  cancelLeaving();
  cancelLeaving = after(keptMs, () => {
    if (state.promptsByPhone.value.has(phone)) pickPhone(phone, keptMs);
    else state.pickedPhone.value = null;
  });
}

let cancelLeaving = () => {};
let cancelNote = () => {};

/** Removes the prompts of payments that have ended. The phone on the handset shows the end for a while, until its next prompt. */
export function endPrompts(transactions: readonly Transaction[]): void {
  const shown = state.shownPhone.peek();
  const open = new Map(state.prompts.value.open);
  for (const transaction of transactions) {
    const { checkout_request_id, merchant_id, phone, status } = transaction;
    const hasEnded = status !== "pending";
    if (hasEnded) open.delete(checkout_request_id);
    if (phone !== shown) continue;
    if (!hasEnded) {
      state.endNote.value = null;
      continue;
    }
    if (!state.pickedPhone.peek()) pickPhone(phone, HELD_MS);
    // Not from its prompt: it may have begun and ended while the tab was hidden.
    const business = state.merchants.value.find(({ id }) => id === merchant_id)?.name ?? "the shop";
    state.endNote.value = { ...noteOf(transaction, business), phone, status };
    cancelNote();
    cancelNote = after(NOTE_MS, () => {
      state.endNote.value = null;
    });
  }
  state.prompts.value = { ...state.prompts.value, open };
}
