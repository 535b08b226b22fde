import { effect } from "@preact/signals";
import { render } from "preact";
import { visible } from "../../../src/domain/visible.ts";
import { followRoute, goTo, setting } from "./actions.ts";
import { counted } from "./logic/format.ts";
import { dialog, prompts, server, shownPhone, tick, view } from "./state.ts";
import { follow } from "./sync.ts";
import { every } from "./system.ts";
import { App } from "./views/app.tsx";
import { goToSearch } from "./views/long-list.tsx";
import { escapeInvisible } from "./visible-text.ts";

/** How often views that show a time are drawn again. */
const TICK_MS = 250;

every(TICK_MS, () => {
  tick.value += 1;
});
escapeInvisible();
followRoute();
nameTab();
followKeys();

const root = document.getElementById("console");
if (root) render(<App />, root);
void follow();

/** The keyboard shortcuts. They are off while a field has the focus. `HelpDialog` lists them. */
function followKeys(): void {
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

const pinField = (): HTMLInputElement | null => document.querySelector(`[data-phone="${shownPhone.value}"] .pin`);

function search(): void {
  if (view.value !== "transactions" && view.value !== "requests") goTo("transactions");
  // The view is drawn in a microtask.
  queueMicrotask(goToSearch);
}

/** Above this the title does not change: changing it with every payment would keep the browser busy. */
const MOST_COUNTED = 9;

/** Shows the number of open prompts, and the name of the sandbox or else its address, in the title of the tab. */
function nameTab(): void {
  effect(() => {
    const name = server.value?.name ?? (server.value ? new URL(server.value.base_url).host : null);
    const open = prompts.value.open.size;
    const ringing = open > MOST_COUNTED ? `${MOST_COUNTED}+ prompts` : open > 0 && counted(open, "prompt");
    document.title = visible([ringing, name, "momo"].filter(Boolean).join(" · "));
  });
}
