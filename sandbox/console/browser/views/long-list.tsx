import { effect, useSignal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { select, setting } from "../actions.ts";
import { isHeld, type Listed } from "../live-list.ts";
import { formatCount } from "../logic/format.ts";
import { isPaused, PAGE_SIZE } from "../state.ts";
import { type ColumnHead, TableHead } from "./card.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

interface LongListProps<Row> {
  readonly label: string;
  readonly style: string;
  /** The first column is the time: the newest rows are first. */
  readonly columns: readonly ColumnHead[];
  readonly row: FunctionComponent<{ readonly of: Row }>;
  readonly rows: readonly Row[];
  readonly waiting: number;
  readonly showWaiting: () => void;
  readonly more: (() => void) | null;
  readonly children: ComponentChildren;
}

/**
 * The table of a long list. Arrow keys go from row to row. It stands still under the mouse or a finger, while a row has the focus, while
 * it is scrolled down, and while it is paused.
 */
export function LongList<Row extends Listed>(props: LongListProps<Row>) {
  const { label, style, columns, row: OneRow, rows, waiting, showWaiting, more, children } = props;
  const box = useRef<HTMLElement>(null);
  const isPointed = useSignal(false);
  const hasFocus = useSignal(false);
  const isScrolled = useSignal(false);
  useEffect(() => {
    // At once: useSignalEffect waits for a frame, and misses a hold that ends just before another one begins.
    const stop = effect(() => {
      isHeld.value = isPaused.value || isPointed.value || hasFocus.value || isScrolled.value;
    });
    return () => {
      stop();
      isHeld.value = false;
    };
  }, []);
  const isInRows = (one: EventTarget | null) => box.current?.querySelector("tbody")?.contains(one as Node) ?? false;
  const renew = () => {
    box.current?.scrollTo({ top: 0 });
    showWaiting();
  };
  return (
    <div
      class="table-box"
      // Not when the pointer enters: a dialog that closes may leave the mouse there.
      onPointerMove={setting(isPointed, true)}
      onPointerDown={setting(isPointed, true)}
      onPointerLeave={setting(isPointed, false)}
      onFocusIn={({ target }) => setting(hasFocus, isInRows(target))()}
      onFocusOut={({ relatedTarget }) => setting(hasFocus, isInRows(relatedTarget))()}
    >
      {waiting > 0 && (
        <button type="button" class="primary held" onClick={renew}>
          {formatCount(waiting)}
          {waiting >= PAGE_SIZE ? "+" : ""} new
        </button>
      )}
      <section
        ref={box}
        class="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        aria-label={label}
        aria-keyshortcuts="ArrowDown ArrowUp"
        onScroll={({ currentTarget }) => setting(isScrolled, currentTarget.scrollTop > 0)()}
        onKeyDown={walk}
      >
        <table class={style}>
          <TableHead columns={columns} sort="descending" />
          <tbody class="rows">
            {rows.map((row) => (
              <OneRow key={row.id} of={row} />
            ))}
          </tbody>
        </table>
        {more && (
          <p class="below">
            <button type="button" onClick={more}>
              Show {PAGE_SIZE} more
            </button>
          </p>
        )}
        {children}
      </section>
    </div>
  );
}

/** Stops a list until the next click. */
export function PauseButton() {
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isPaused.value}
      title="While the list is paused, new rows wait"
      onClick={setting(isPaused, !isPaused.value)}
    >
      {isPaused.value ? "Resume" : "Pause"}
    </button>
  );
}

/** Only one row can have the focus, and the arrow keys move it, so that Tab does not go through a thousand rows. */
function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  if (event.key === "Escape") goToSearch();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at < 0 ? 0 : at + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.closest("tr")?.scrollIntoView({ block: "nearest" });
}

export const goToSearch = (): void => document.querySelector<HTMLElement>(".view [type=search]")?.focus();

export const goToRows = (): void => document.querySelector<HTMLElement>(".view [data-row]")?.focus();

/** Gives the focus back to the row whose details were closed, or to its list. */
function returnFocus(row: string): void {
  const stop = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"]`);
  (stop ?? document.querySelector<HTMLElement>(".scroll"))?.focus();
}

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
    <section class="story column" aria-label={label} onKeyDown={({ key }) => key === "Escape" && close()}>
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
