import { useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
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

/** How long the question ignores a click, so that a double click does not confirm it. */
const PAUSE_MS = 600;

interface ConfirmButtonProps extends ButtonHTMLAttributes {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly question: string;
  readonly loss: string;
  readonly yes: string;
  readonly run: () => void;
}

/** A button for an action that cannot be undone. It asks first, in a dialog that says what will be lost. */
export function ConfirmButton({ id, label, question, loss, yes, run, ...attributes }: ConfirmButtonProps) {
  const isAsked = useSignal(false);
  const isReady = useSignal(false);
  const close = setting(isAsked, false);
  useLayoutEffect(() => {
    isReady.value = false;
    return after(PAUSE_MS, setting(isReady, true));
  }, [isAsked.value]);
  function confirm() {
    close();
    run();
  }
  return (
    <>
      <button type="button" {...attributes} onClick={setting(isAsked, true)}>
        {label}
      </button>
      <Dialog id={id} title={question} isOpen={isAsked.value} onClose={close}>
        <p>{loss}</p>
        <div class="row">
          <button type="button" data-first onClick={close}>
            Keep everything
          </button>
          <button type="button" class="danger" disabled={!isReady.value} onClick={confirm}>
            {yes}
          </button>
        </div>
      </Dialog>
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
