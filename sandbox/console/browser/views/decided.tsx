import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { quietly } from "../loading.ts";
import { momoLine } from "../logic/commands.ts";
import { formatInterval } from "../logic/format.ts";
import { sandboxNow } from "../state.ts";
import type { Decision, Prompt, Story } from "../wire.ts";
import { CopyButton } from "./copy-button.tsx";

/** What will become of a prompt if nobody touches the phone, and the command that answers it. */
export function Decided({ prompt: { checkout_request_id } }: { prompt: Prompt }) {
  const decision = useSignal<Decision | null>(null);
  useEffect(() => {
    void quietly(async () => {
      const story = await api.get<Story>(`/transactions/${encodeURIComponent(checkout_request_id)}`);
      decision.value = story.decided_by;
    });
  }, [checkout_request_id]);

  const command = momoLine(["answer", checkout_request_id], { "--pin": "1234" });
  return (
    <div class="decided">
      <p class="hint">{words(decision.value, sandboxNow.value)}</p>
      <CopyButton text={command} what="the momo command that enters a PIN" label="momo answer" />
    </div>
  );
}

function words(decision: Decision | null, nowMs: number | null): string {
  if (decision === null) return "Waiting for a PIN.";
  const { outcome, at_ms } = decision;
  if (at_ms === null || nowMs === null) return outcome === "manual" ? "Waits for you." : `Ends by itself: ${outcome}.`;
  const leftMs = Math.max(0, Math.ceil((at_ms - nowMs) / 1000) * 1000);
  return `Answers itself in ${formatInterval(leftMs)}: ${outcome}.`;
}
