import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { setting } from "../actions.ts";
import { dialog, server } from "../state.ts";
import { after } from "../system.ts";
import { Pairs } from "./card.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. Its first field gets the focus. Escape closes it and gives the focus back. */
export function Dialog({ id, title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key, so that keys typed after `p` go into the first field.
  useLayoutEffect(() => {
    if (!isOpen) return dialog.current?.close();
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("[data-first], input, select")?.focus();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The event is late: by now this dialog may be open again, or another one.
      onClose={({ currentTarget }) => isOpen && !currentTarget.open && onClose()}
    >
      {isOpen && (
        <div class="stack">
          <header class="line between">
            <h2 id={`${id}-title`}>{title}</h2>
            <IconButton icon={CloseIcon} label="Close" onClick={onClose} />
          </header>
          {children}
        </div>
      )}
    </dialog>
  );
}

const PAUSE_MS = 600;

/** Whether a moment has passed since it appeared: the second click of a double click must not hit what came under the pointer. */
export function useSettled(appeared?: unknown): boolean {
  const isSettled = useSignal(false);
  useLayoutEffect(() => {
    isSettled.value = false;
    return after(PAUSE_MS, setting(isSettled, true));
  }, [appeared]);
  return isSettled.value;
}

interface QuestionProps {
  readonly id: string;
  readonly question: string;
  readonly loss: string;
  readonly yes: string;
  readonly run: () => void;
}

/** Asks before an action that cannot be undone, and says what will be lost. */
export function Question({ id, question, loss, yes, run, isAsked }: QuestionProps & { isAsked: Signal<boolean> }) {
  const isSettled = useSettled(isAsked.value);
  const close = setting(isAsked, false);
  function confirm() {
    close();
    run();
  }
  return (
    <Dialog id={id} title={question} isOpen={isAsked.value} onClose={close}>
      <p>{loss}</p>
      <div class="row">
        <button type="button" data-first onClick={close}>
          Keep everything
        </button>
        <button type="button" class="danger" disabled={!isSettled} onClick={confirm}>
          {yes}
        </button>
      </div>
    </Dialog>
  );
}

/** A button that asks first. */
export function ConfirmButton({ label, ...question }: QuestionProps & { label: ComponentChildren }) {
  const isAsked = useSignal(false);
  return (
    <>
      <button type="button" onClick={setting(isAsked, true)}>
        {label}
      </button>
      <Question {...question} isAsked={isAsked} />
    </>
  );
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["/", "search"],
  ["p", "start a test payment"],
  ["0 … 9", "type the PIN on the phone that rings; Enter sends it, Escape cancels the prompt"],
  ["↓ ↑", "from the search into the list, and from row to row; Enter opens one"],
  ["Escape", "close what is open, and go back: to the row, to the search"],
  ["?", "this help"],
];

export function HelpDialog() {
  return (
    <Dialog id="help" title="Shortcuts" isOpen={dialog.value === "help"} onClose={setting(dialog, null)}>
      <Pairs of={KEYS.map(([keys, what]) => [<kbd>{keys}</kbd>, what])} />
      <p class="hint">
        Any PIN of 4 to 6 digits pays; 0000 is the wrong one. momo {server.value?.version}, everything by command:{" "}
        <code>momo help</code>.
      </p>
    </Dialog>
  );
}
