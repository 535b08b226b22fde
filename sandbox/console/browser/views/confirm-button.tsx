import { useSignal } from "@preact/signals";
import { after } from "../system.ts";

const PATIENCE_MS = 4000;

/** A button for what cannot be undone: the first press asks, the second does it. */
export function ConfirmButton({ label, question, run }: { label: string; question: string; run: () => void }) {
  const isAsked = useSignal(false);
  function press() {
    if (isAsked.value) run();
    isAsked.value = !isAsked.value;
    if (!isAsked.value) return;
    after(PATIENCE_MS, () => {
      isAsked.value = false;
    });
  }
  return (
    <button type="button" class={isAsked.value ? "danger" : ""} onClick={press}>
      <span aria-live="polite">{isAsked.value ? question : label}</span>
    </button>
  );
}
