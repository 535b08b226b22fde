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
      class={`box ${id}`}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The event is late: the dialog may be open again.
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
