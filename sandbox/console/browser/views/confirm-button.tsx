import { useSignal } from "@preact/signals";
import { after } from "../system.ts";

const PATIENCE_MS = 4000;

interface ConfirmButtonProps {
  readonly label: string;
  readonly question: string;
  readonly run: () => void;
  /** It is pointed at, or has the focus. */
  readonly onPoint?: () => void;
}

/** A button for what cannot be undone: the first press asks, the second does it. */
export function ConfirmButton({ label, question, run, onPoint }: ConfirmButtonProps) {
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
    <button
      type="button"
      class={isAsked.value ? "danger" : ""}
      onClick={press}
      onPointerEnter={onPoint}
      onFocus={onPoint}
    >
      <span aria-live="polite">{isAsked.value ? question : label}</span>
    </button>
  );
}
