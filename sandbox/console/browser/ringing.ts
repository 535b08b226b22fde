import { effect } from "@preact/signals";
import { formatAmount, formatPhone } from "./logic/format.ts";
import { prompts, server } from "./state.ts";
import { notify } from "./system.ts";

/** Above this the title does not change: changing it with every payment would keep the browser busy. */
const MOST_COUNTED = 9;

/** Shows the number of open prompts in the title of the tab, and a notification if the tab is hidden. */
export function announceRinging(): void {
  let known: ReadonlySet<string> = new Set();
  effect(() => {
    const open = [...prompts.value.values()];
    const name = server.value?.name ?? (server.value ? new URL(server.value.base_url).host : null);
    const count = open.length > MOST_COUNTED ? `${MOST_COUNTED}+` : open.length;
    const title = `${open.length > 0 ? `${count} ${open.length === 1 ? "prompt" : "prompts"} · ` : ""}${name === null ? "" : `${name} · `}momo`;
    if (document.title !== title) document.title = title;
    const fresh = open.find(({ checkout_request_id }) => !known.has(checkout_request_id));
    known = new Set(prompts.value.keys());
    if (fresh && document.hidden) {
      const more = open.length > 1 ? `, and ${open.length - 1} more` : "";
      notify(
        `${formatPhone(fresh.phone)} rings${more}`,
        `${fresh.business} asks for KES ${formatAmount(fresh.amount)}`,
      );
    }
  });
}
