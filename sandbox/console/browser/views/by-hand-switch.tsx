import { api } from "../api.ts";
import { fallback } from "../state.ts";
import type { Default } from "../wire.ts";
import { FormProblem, useCall } from "./form.tsx";

/** What the switch goes back to: what was in force before it, or what momo does by itself. */
let before: { outcome: string; after?: string } = { outcome: "completed" };

/** Whether the prompts that nothing else decides wait for the person in front of this page. */
export function ByHandSwitch() {
  const call = useCall([]);
  const isByHand = fallback.value?.outcome === "manual";
  if (fallback.value === null) return null;

  function change() {
    if (!isByHand && fallback.value) before = remembered(fallback.value);
    void call.run(() => api.put("/default", isByHand ? before : { outcome: "manual" }));
  }
  return (
    <div class="by-hand">
      <label class="switch">
        <input type="checkbox" checked={isByHand} onChange={change} />
        <span>I answer the prompts</span>
      </label>
      <p class="hint">
        {isByHand
          ? "A prompt waits for your PIN until it expires."
          : `Until you do, a prompt answers itself: ${fallback.value.outcome}${afterWords(fallback.value.after)}.`}
      </p>
      <FormProblem problems={call.problems} />
    </div>
  );
}

/** Some outcomes have words there: they end with the prompt timeout, or never. */
const isDuration = (after: string | null): after is string => after !== null && /^[0-9]/.test(after);

const afterWords = (after: string | null) => (isDuration(after) ? ` after ${after}` : "");

function remembered({ outcome, after }: Default) {
  return isDuration(after) ? { outcome, after } : { outcome };
}
