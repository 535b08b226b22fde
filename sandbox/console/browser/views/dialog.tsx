import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { CloseIcon } from "./icons.tsx";

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A window over the page. It begins in its first field, and Escape gives the focus back to where it was. */
export function Dialog({ id, title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key: who presses p and types means the first field.
  useLayoutEffect(() => {
    if (!isOpen) return dialog.current?.close();
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("[data-first], input, select")?.focus();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class={`box ${id}`}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // It is told late: by then it may be open again.
      onClose={(event) => {
        if (!event.currentTarget.open) onClose();
      }}
    >
      {isOpen && (
        <>
          <header>
            <h2 id={`${id}-title`}>{title}</h2>
            <button type="button" class="quiet square" aria-label="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          </header>
          {children}
        </>
      )}
    </dialog>
  );
}
