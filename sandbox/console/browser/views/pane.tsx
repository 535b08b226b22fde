import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { CloseIcon } from "./icons.tsx";

interface PaneProps {
  readonly label: string;
  readonly title: ComponentChildren;
  /** What the button closes, for its label. */
  readonly what: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Details beside a list. The pane takes the focus, and Escape closes it. */
export function Pane({ label, title, what, onClose, children }: PaneProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section
      class="story"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="quiet square" aria-label={`Close ${what}`} onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      {children}
    </section>
  );
}
