import { goTo, setting } from "./actions.ts";
import { dialog, isFolded, shownPhone, view } from "./state.ts";

/** The keyboard shortcuts. They are off while a field has the focus. `help-dialog.tsx` lists them. */
export function followKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    // A digit is also typed into the field that gets the focus.
    if (/^[0-9]$/.test(event.key)) return pinField()?.focus();
    if (Object.hasOwn(ACTS, event.key)) event.preventDefault();
    ACTS[event.key]?.();
  });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input:not([type=radio], [type=checkbox]), textarea, select, dialog[open]") !== null;

const ACTS: Readonly<Record<string, () => void>> = {
  "/": search,
  "?": setting(dialog, "help"),
  p: setting(dialog, "pay"),
};

function pinField(): HTMLInputElement | null {
  return isFolded.value ? null : document.querySelector<HTMLInputElement>(`[data-phone="${shownPhone.value}"] .pin`);
}

function search(): void {
  if (view.value !== "transactions" && view.value !== "requests") goTo("transactions");
  // The view is drawn in a microtask.
  queueMicrotask(() => document.querySelector<HTMLInputElement>(".view input[type=search]")?.focus());
}
