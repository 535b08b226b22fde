import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { setting } from "../actions.ts";
import { api } from "../api.ts";
import { dialog, server } from "../state.ts";
import { after } from "../system.ts";
import type { ApiCall } from "../wire.ts";
import { Pairs } from "./card.tsx";
import { FormProblem, useCall } from "./form.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. Its first field gets the focus. Escape closes it and gives the focus back. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
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
      aria-label={title}
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
            <h2>{title}</h2>
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
  readonly question: string;
  readonly loss: string;
  readonly yes: string;
  readonly call: ApiCall;
  readonly onDone?: () => void;
}

/** Asks before a call that cannot be undone, and says what will be lost. */
export function Question({ question, loss, yes, call, onDone, isAsked }: QuestionProps & { isAsked: Signal<boolean> }) {
  const { problems, run } = useCall();
  const isSettled = useSettled(isAsked.value);
  const close = setting(isAsked, false);
  async function confirm() {
    close();
    if (await run(() => api.call(call))) onDone?.();
  }
  return (
    <>
      <Dialog title={question} isOpen={isAsked.value} onClose={close}>
        <p>{loss}</p>
        <div class="row">
          <button type="button" data-first onClick={close}>
            Cancel
          </button>
          <button type="button" class="danger" disabled={!isSettled} onClick={() => void confirm()}>
            {yes}
          </button>
        </div>
      </Dialog>
      <FormProblem problems={problems} />
    </>
  );
}

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
    <Dialog title="Shortcuts" isOpen={dialog.value === "help"} onClose={setting(dialog, null)}>
      <Pairs of={KEYS.map(([keys, what]) => [<kbd>{keys}</kbd>, what])} />
      <p class="hint">
        Any PIN of 4 to 6 digits pays; 0000 is the wrong one. momo {server.value?.version}, everything by command:{" "}
        <code>momo help</code>.
      </p>
    </Dialog>
  );
}
