import { effect } from "@preact/signals";
import { render } from "preact";
import { followRoute } from "./actions.ts";
import { announceRinging } from "./ringing.ts";
import { followKeys } from "./shortcuts.ts";
import { theme, tick } from "./state.ts";
import { follow } from "./sync.ts";
import { every } from "./system.ts";
import { App } from "./views/app.tsx";

/** How often views that show a time are drawn again. */
const TICK_MS = 250;

effect(() => {
  document.documentElement.style.colorScheme = theme.value === "auto" ? "" : theme.value;
});
every(TICK_MS, () => {
  tick.value += 1;
});
followRoute();
announceRinging();
followKeys();

const root = document.getElementById("console");
if (root) render(<App />, root);
void follow();
