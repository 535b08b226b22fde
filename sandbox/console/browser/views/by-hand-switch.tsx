import { api } from "../api.ts";
import { counted, isDuration } from "../logic/in-force.ts";
import { fallback, rules } from "../state.ts";
import type { Default } from "../wire.ts";
import { FormProblem, useCall } from "./form.tsx";

/** What the switch goes back to: what was in force before it, or what momo does by itself. */
let before: { outcome: string; after?: string } = { outcome: "completed" };

/** Whether the prompts that nothing else decides wait for the person in front of this page. */
export function ByHandSwitch() {
  const call = useCall([]);
  const isByHand = fallback.value?.outcome === "manual";

  function change() {
    if (!isByHand && fallback.value) before = remembered(fallback.value);
    void call.run(() => api.put("/default", isByHand ? before : { outcome: "manual" }));
  }
  return (
    <div class="by-hand">
      <label class="switch">
        <input type="checkbox" checked={isByHand} disabled={fallback.value === null} onChange={change} />
        <span>I answer the next prompts</span>
      </label>
      <p class="hint">{fallback.value && words(fallback.value)}</p>
      <FormProblem problems={call.problems} />
    </div>
  );
}

/** About the prompts to come, and never about the one that rings. */
function words({ outcome, after }: Default): string {
  const first =
    rules.value.length > 0
      ? `After ${counted(rules.value.length, "rule")}, the default decides`
      : "The default decides";
  return `${first}: ${outcome === "manual" ? "they wait for you." : `${outcome}${isDuration(after) ? ` after ${after}` : ""}.`}`;
}

function remembered({ outcome, after }: Default) {
  return isDuration(after) ? { outcome, after } : { outcome };
}
