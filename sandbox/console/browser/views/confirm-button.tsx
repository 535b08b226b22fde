import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { after } from "../system.ts";
import { Dialog } from "./dialog.tsx";

/** How long the question ignores a click, so that a double click does not confirm it. */
const PAUSE_MS = 600;

interface ConfirmButtonProps {
  readonly id: string;
  readonly label: string;
  readonly question: string;
  /** What will be lost. */
  readonly loss: string;
  readonly yes: string;
  readonly run: () => void;
  /** The mouse is over the button, or it has the focus. */
  readonly onPoint?: () => void;
}

/** A button for an action that cannot be undone. It asks first, in a dialog that says what will be lost. */
export function ConfirmButton({ id, label, question, loss, yes, run, onPoint }: ConfirmButtonProps) {
  const isAsked = useSignal(false);
  const close = () => {
    isAsked.value = false;
  };
  return (
    <>
      <button
        type="button"
        onPointerEnter={onPoint}
        onFocus={onPoint}
        onClick={() => {
          isAsked.value = true;
        }}
      >
        {label}
      </button>
      <Dialog id={id} title={question} isOpen={isAsked.value} onClose={close}>
        <p>{loss}</p>
        <div class="buttons">
          <button type="button" data-first onClick={close}>
            Keep everything
          </button>
          <Yes
            label={yes}
            run={() => {
              close();
              run();
            }}
          />
        </div>
      </Dialog>
    </>
  );
}

function Yes({ label, run }: { label: string; run: () => void }) {
  const isReady = useSignal(false);
  useEffect(
    () =>
      after(PAUSE_MS, () => {
        isReady.value = true;
      }),
    [],
  );
  return (
    <button type="button" class="danger" disabled={!isReady.value} onClick={run}>
      {label}
    </button>
  );
}
