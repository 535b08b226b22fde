import type { ComponentChildren } from "preact";
import { formatCount } from "../logic/format.ts";
import type { Windowed } from "./windowed.ts";

interface LongListProps {
  readonly list: Windowed<unknown>;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The scrolling box of a long list, and a button to the new rows at its top. Arrow keys go from row to row. */
export function LongList({ list, label, children }: LongListProps) {
  return (
    <div class="table-box">
      {list.held > 0 && (
        <button type="button" class="held" onClick={list.toTop}>
          {formatCount(list.held)} new
        </button>
      )}
      <section
        class="scroll"
        ref={list.box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        aria-label={label}
        aria-keyshortcuts="ArrowDown ArrowUp"
        onKeyDown={walk}
      >
        {children}
      </section>
    </div>
  );
}

/** Takes the space of rows that are not drawn. */
export function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden="true">
      <tr class="spacer">
        <td style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  );
}

/** Only one row can have the focus, and the arrow keys move it, so that Tab does not go through thousands of rows. */
function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const box = event.currentTarget.getBoundingClientRect();
  const firstInView = stops.findIndex((stop) => stop.getBoundingClientRect().top >= box.top);
  const next = stops[at < 0 ? firstInView : at + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.closest("tr")?.scrollIntoView({ block: "nearest" });
}

/** Gives the focus back to the row whose details were closed, or to its list. */
export function returnFocus(row: string): void {
  const stop = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"]`);
  (stop ?? document.querySelector<HTMLElement>(".scroll"))?.focus();
}
