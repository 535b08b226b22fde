import { effect } from "@preact/signals";
import { formatAmount, formatPhone } from "./logic/format.ts";
import { prompts, server } from "./state.ts";
import { notify } from "./system.ts";

/** A title that changed with every payment would keep the browser busy. */
const MOST_COUNTED = 9;

/** A phone that rings is seen in the tab's title too, and as a notification where the tab is out of sight. */
export function announceRinging(): void {
  let known: ReadonlySet<string> = new Set();
  effect(() => {
    const open = [...prompts.value.values()];
    const name = server.value?.name ?? (server.value ? new URL(server.value.base_url).host : null);
    const count = open.length > MOST_COUNTED ? `${MOST_COUNTED}+` : open.length;
    const title = `${open.length > 0 ? `(${count}) rings · ` : ""}${name === null ? "" : `${name} · `}momo`;
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
