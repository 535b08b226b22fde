import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { pickPhone, setting } from "../actions.ts";
import { api } from "../api.ts";
import { quietly } from "../loading.ts";
import { formatInterval } from "../logic/format.ts";
import { outcomes, sandboxNow } from "../state.ts";
import type { Decision, Prompt, Story } from "../wire.ts";
import { FormProblem, Options, outcomeChoices, submits, useCall } from "./form.tsx";

/** Who decides this prompt without an answer by hand, and a form for other outcomes. */
export function Decided({ prompt }: { prompt: Prompt }) {
  const decision = useSignal<Decision | null | undefined>(undefined);
  const id = encodeURIComponent(prompt.checkout_request_id);
  useEffect(() => {
    void quietly(async () => {
      decision.value = (await api.get<Story>(`/transactions/${id}`)).decided_by;
    });
  }, [id]);
  return (
    <>
      <p class="decides small" title="What ends this prompt if it is not answered on the phone">
        {words(decision.value, sandboxNow.value)}
      </p>
      <EndForm prompt={prompt} path={`/prompts/${id}/answer`} />
      <p class="hint">Any PIN pays; 0000 is the wrong PIN.</p>
    </>
  );
}

/** The person can also answer as the network. */
function EndForm({ prompt, path }: { prompt: Prompt; path: string }) {
  const call = useCall();
  const chosen = useSignal("insufficient_funds");
  // Only outcomes that the network can answer: not `silent`, `manual` and `refused`.
  const ends = outcomes.value.filter(({ status, after }) => status !== null && after !== "never");
  async function end() {
    pickPhone(prompt.phone);
    await call.run(() => api.post(path, { outcome: chosen.value }));
  }
  return (
    <form class="line" onSubmit={submits(end)}>
      <select
        aria-label="How the prompt ends"
        value={chosen.value}
        onChange={(event) => setting(chosen, event.currentTarget.value)()}
      >
        <Options of={outcomeChoices(ends)} />
      </select>
      <button type="submit" disabled={call.isUnderWay}>
        End prompt
      </button>
      <FormProblem problems={call.problems} />
    </form>
  );
}

const WHO: Readonly<Record<Exclude<Decision["who"], "rule">, string>> = {
  header: "Its request",
  network_limit: "The network's limit",
  test_phone: "This test phone",
  default: "The default",
  person: "A person",
  deadline: "The deadline",
};

/** `Rule 2 decides: completed in 3 s.` @param decision undefined until it is loaded */
function words(decision: Decision | null | undefined, nowMs: number | null): string {
  if (decision === undefined) return "";
  if (decision === null) return "It waits for a PIN.";
  const { who, rule, outcome, at_ms } = decision;
  const decider = who === "rule" ? `Rule ${rule}` : WHO[who];
  const leftMs = at_ms === null || nowMs === null ? null : Math.max(0, Math.ceil((at_ms - nowMs) / 1000) * 1000);
  const when =
    leftMs === null ? (outcome === "manual" ? ", so it waits for you" : "") : ` in ${formatInterval(leftMs)}`;
  return `${decider} decides: ${outcome}${when}.`;
}
