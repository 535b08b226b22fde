import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { placeOf } from "../logic/merge.ts";
import { isPaused } from "../state.ts";

/** More rows are not drawn: filters reach the others. */
export const MOST_DRAWN = 1000;
/** At the top, where each new row moves the others, more than a screen: a thousand took the browser a third to a half longer. */
const DRAWN_AT_TOP = 60;

/** A list that stands still while somebody uses it. */
export interface Still<T> {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly rows: readonly T[];
  readonly isScrolled: boolean;
  /** The rows that have arrived since then. They wait, so that nothing moves. */
  readonly waiting: number;
  /** Shows the waiting rows. */
  renew(): void;
  /** The mouse moves over the list, or leaves it. */
  onMove(): void;
  onLeave(): void;
  /** Perhaps nobody uses the list any more. */
  check(): void;
}

/**
 * The list stands still under the mouse or a finger, while a row has the focus, while it is scrolled down, and while it is paused.
 * Its rows still change in place.
 * @param all newest first
 * @param selection if it changes, the list has other rows
 */
export function useStill<T extends { readonly id: number }>(all: readonly T[], selection: string): Still<T> {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef({ rows: all.slice(0, 0), selection });
  const hasMoved = useRef(false);
  const draws = useSignal(0);
  const draw = () => {
    draws.value += 1;
  };
  draws.value;
  const isScrolled = (box.current?.querySelector(".scroll")?.scrollTop ?? 0) > 0;
  const [first, last] = [before.current.rows[0], before.current.rows.at(-1)];
  const isSame = all.length > 0 && before.current.selection === selection;
  let rows: T[];
  if (first && last && isSame && (isPaused.value || isScrolled || isInUse(box.current, hasMoved.current))) {
    const newest = before.current.rows.map((row) => {
      const found = all[placeOf(all, row.id)];
      return found?.id === row.id ? found : row;
    });
    rows = [...newest, ...all.slice(placeOf(all, last.id - 1))];
  } else rows = [...all];
  rows.length = Math.min(rows.length, isScrolled ? MOST_DRAWN : DRAWN_AT_TOP);
  before.current = { rows, selection };
  const shownFirst = rows[0];
  return {
    box,
    rows,
    isScrolled,
    waiting: shownFirst ? placeOf(all, shownFirst.id) : 0,
    renew() {
      before.current = { rows: [], selection };
      box.current?.querySelector(".scroll")?.scrollTo({ top: 0 });
      draw();
    },
    onMove() {
      hasMoved.current = true;
    },
    onLeave() {
      hasMoved.current = false;
      draw();
    },
    check: draw,
  };
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
