import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { placeOf } from "../logic/merge.ts";
import { visibleRange } from "../logic/windowing.ts";

/** A long list of which only the visible rows are drawn. */
export interface Windowed<T> {
  readonly box: RefObject<HTMLElement | null>;
  readonly rows: readonly T[];
  /** Heights of the rows that are not drawn, in pixels. */
  readonly above: number;
  readonly below: number;
  /** Rows that arrived while the list was scrolled down. They wait, so that nothing moves. */
  readonly held: number;
  toTop(): void;
}

interface Numbered {
  readonly id: number;
}

/**
 * The height of a row is `--row` of the style sheet, in rem. Narrow and wide lists have different heights.
 * @param all newest first
 * @param onNearEnd called when the last rows are visible
 */
export function useWindowed<T extends Numbered>(all: readonly T[], onNearEnd = () => {}): Windowed<T> {
  const box = useRef<HTMLElement>(null);
  const view = useSignal({ top: 0, height: 600, row: 44 });
  const topId = useRef<number | null>(null);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let row = view.peek().row;
    const measure = () => {
      const { scrollTop, clientHeight } = element;
      const { top, height, row: before } = view.peek();
      if (scrollTop !== top || clientHeight !== height || row !== before) {
        view.value = { top: scrollTop, height: clientHeight, row };
      }
    };
    const resize = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      row = rem * (Number(getComputedStyle(element).getPropertyValue("--row")) || 2.75);
      measure();
    };
    resize();
    element.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, []);

  const { top, height, row: rowHeight } = view.value;
  if (top <= 0) topId.current = null;
  else topId.current ??= all[0]?.id ?? null;
  const limit = topId.current;
  const firstShown = limit === null ? 0 : placeOf(all, limit);
  const held = Math.max(0, firstShown);
  const shown = all.length - held;
  const { from, to } = visibleRange(top, height, rowHeight, shown);
  useEffect(() => {
    if (to >= shown - 20) onNearEnd();
  }, [to, shown]);

  return {
    box,
    rows: all.slice(held + from, held + to),
    above: from * rowHeight,
    below: (shown - to) * rowHeight,
    held,
    toTop: () => box.current?.scrollTo({ top: 0 }),
  };
}
