import { api } from "../api.ts";
import { isDuration } from "../logic/steering.ts";
import { fallback, rules } from "../state.ts";
import type { Default } from "../wire.ts";
import { FormProblem, useCall } from "./form.tsx";

/** The default to restore: the one before the switch, or momo's. */
let before: { outcome: string; after?: string } = { outcome: "completed" };

/** A switch between the default `manual`, where prompts wait for this person, and the default before. */
export function ByHandSwitch() {
  const call = useCall();
  const isByHand = fallback.value?.outcome === "manual";

  function change() {
    if (!isByHand && fallback.value) before = remembered(fallback.value);
    const body = isByHand ? before : { outcome: "manual" };
    void call.run(() => api.call({ method: "PUT", path: "/default", body }));
  }
  return (
    <div class="by-hand">
      <label class="line">
        <input type="checkbox" class="switch" checked={isByHand} disabled={fallback.value === null} onChange={change} />
        <span>I answer the next prompts</span>
      </label>
      <p class="hint">{fallback.value && words(fallback.value)}</p>
      <FormProblem problems={call.problems} />
    </div>
  );
}

/** Describes new prompts, not the one that rings. */
function words(decided: Default): string {
  const place = rules.value.findIndex(({ match, times }) => times === undefined && Object.keys(match).length === 0);
  const { outcome, after } = rules.value[place] ?? decided;
  const first =
    place >= 0
      ? `Rule ${place + 1} decides`
      : rules.value.length > 0
        ? "If no rule fits, the default decides"
        : "The default decides";
  return `${first}: ${outcome === "manual" ? "they wait for you." : `${outcome}${isDuration(after ?? null) ? ` after ${after}` : ""}.`}`;
}

function remembered({ outcome, after }: Default) {
  return isDuration(after) ? { outcome, after } : { outcome };
}
