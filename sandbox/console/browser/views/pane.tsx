import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { select } from "../actions.ts";
import { CloseIcon, IconButton } from "./icons.tsx";
import { returnFocus } from "./long-list.tsx";

interface PaneProps {
  readonly label: string;
  readonly title: ComponentChildren;
  /** What the button closes, for its label. */
  readonly what: string;
  /** The row whose details these are. It gets the focus back. */
  readonly row: string | number;
  readonly children: ComponentChildren;
}

/** Details beside a list. The pane takes the focus, and Escape closes it. */
export function Pane({ label, title, what, row, children }: PaneProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    return () => returnFocus(String(row));
  }, [row]);
  const close = () => select(null);
  return (
    <section class="story" aria-label={label} onKeyDown={({ key }) => key === "Escape" && close()}>
      <header class="line between">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <IconButton icon={CloseIcon} label={`Close ${what}`} onClick={close} />
      </header>
      {children}
    </section>
  );
}
