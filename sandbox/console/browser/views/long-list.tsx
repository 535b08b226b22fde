import { effect, useSignal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { select, setting } from "../actions.ts";
import { formatCount } from "../logic/format.ts";
import { placeOf } from "../logic/merge.ts";
import { isListCurrent, isPaused, view } from "../state.ts";
import { nextFrame } from "../system.ts";
import { type ColumnHead, TableHead } from "./card.tsx";
import { CloseIcon, IconButton } from "./marks.tsx";

/** The scrolling table of a long list, and a button to the new rows at its top. Arrow keys go from row to row. */
interface LongListProps<Entry> extends Still<Entry> {
  readonly label: string;
  readonly style: string;
  /** The first column is the time: the newest rows are first. */
  readonly columns: readonly ColumnHead[];
  readonly row: FunctionComponent<{ readonly of: Entry }>;
  /** The rows in all, also those that are not loaded. */
  readonly count?: number;
  /** Below the rows. */
  readonly children: ComponentChildren;
}

export function LongList<Entry extends Numbered>(props: LongListProps<Entry>) {
  const { label, style, columns, row: Row, count, children } = props;
  const { box, rows, waiting, renew, check, onMove, onLeave } = useStill(props);
  return (
    <div
      class="table-box"
      ref={box}
      onPointerMove={onMove}
      onPointerLeave={onLeave}
      onPointerDown={check}
      onPointerUp={check}
      onFocusIn={check}
      onFocusOut={check}
    >
      {waiting > 0 && (
        <button type="button" class="primary held" onClick={renew}>
          {waiting > MOST_DRAWN ? `${formatCount(MOST_DRAWN)}+` : formatCount(waiting)} new
        </button>
      )}
      <section
        class="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        aria-label={label}
        aria-keyshortcuts="ArrowDown ArrowUp"
        onScroll={check}
        onKeyDown={walk}
      >
        <table class={style} aria-rowcount={count === undefined ? undefined : count + 1}>
          <TableHead columns={columns} sort="descending" />
          <tbody class="rows">
            {rows.map((row) => (
              <Row key={row.id} of={row} />
            ))}
          </tbody>
        </table>
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
      class="quiet pause"
      aria-pressed={isPaused.value}
      title="While the list is paused, new rows wait"
      onClick={setting(isPaused, !isPaused.value)}
    >
      {isPaused.value ? "Resume" : "Pause"}
    </button>
  );
}

/** In a search: Enter opens the first hit, and ↓ goes to it. The hits may still be loading. */
export function goToHits(event: KeyboardEvent): void {
  if (event.key !== "Enter" && event.key !== "ArrowDown") return;
  event.preventDefault();
  const stop = effect(() => {
    if (view.value === "transactions" && !isListCurrent.value) return;
    nextFrame(() => {
      stop();
      const first = document.querySelector<HTMLElement>("[data-row]");
      first?.focus();
      if (event.key === "Enter") first?.click();
    });
  });
}

/** Only one row can have the focus, and the arrow keys move it, so that Tab does not go through a thousand rows. */
function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  if (event.key === "Escape") document.querySelector<HTMLElement>(".view [type=search]")?.focus();
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
function returnFocus(row: string): void {
  const stop = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"]`);
  (stop ?? document.querySelector<HTMLElement>(".scroll"))?.focus();
}

interface Numbered {
  readonly id: number;
}

interface Still<Entry> {
  /** Newest first. */
  readonly all: readonly Entry[];
  /** If it changes, the list has other rows. */
  readonly selection: string;
}

/** More rows are not drawn: filters reach the others. */
export const MOST_DRAWN = 1000;
/** At the top, where each new row moves the others, more than a screen: a thousand took the browser a third to a half longer. */
const DRAWN_AT_TOP = 60;

/**
 * The list stands still under the mouse or a finger, while a row has the focus, while it is scrolled down, and while it is paused.
 * Its rows still change in place.
 */
function useStill<Entry extends Numbered>({ all, selection }: Still<Entry>) {
  const box = useRef<HTMLDivElement>(null);
  const hasMoved = useRef(false);
  const isScrolled = useSignal(false);
  /** The rows that stand still; null while the list goes on. */
  const held = useSignal<Pick<Still<Entry>, "all" | "selection"> | null>(null);
  const isHeld = held.value?.selection === selection && all.length > 0;
  const shown = isHeld ? withNewest(held.value?.all ?? [], all) : all;
  const rows = shown.slice(0, isScrolled.value ? MOST_DRAWN : DRAWN_AT_TOP);

  const isStopped = isPaused.value;
  function check(): void {
    isScrolled.value = (box.current?.querySelector(".scroll")?.scrollTop ?? 0) > 0;
    const stands = isStopped || isScrolled.value || isInUse(box.current, hasMoved.current);
    if (!stands || rows.length === 0) held.value = null;
    else if (held.value?.selection !== selection) held.value = { all: rows, selection };
  }
  useLayoutEffect(check);

  return {
    box,
    rows,
    /** The rows that have arrived since. They wait, so that nothing moves. */
    waiting: rows[0] ? placeOf(all, rows[0].id) : 0,
    renew() {
      box.current?.querySelector(".scroll")?.scrollTo({ top: 0 });
      held.value = null;
    },
    onMove() {
      hasMoved.current = true;
      check();
    },
    onLeave() {
      hasMoved.current = false;
      check();
    },
    /** Perhaps somebody begins to use the list, or nobody uses it any more. */
    check,
  };
}

/** Rows as they are now, and all older ones. */
function withNewest<Entry extends Numbered>(rows: readonly Entry[], all: readonly Entry[]): Entry[] {
  const newest = rows.map((row) => {
    const found = all[placeOf(all, row.id)];
    return found?.id === row.id ? found : row;
  });
  const lastId = rows.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  return [...newest, ...all.slice(placeOf(all, lastId - 1))];
}

/**
 * The document knows it, also when an event was missed.
 * @param hasMoved a mouse that came over the list without a move, because a dialog was closed, does not stop the list
 */
function isInUse(box: HTMLElement | null, hasMoved: boolean): boolean {
  return (
    box !== null &&
    (box.matches(hasMoved ? ":hover, :active" : ":active") ||
      box.contains(document.activeElement?.closest("tbody") ?? null))
  );
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
