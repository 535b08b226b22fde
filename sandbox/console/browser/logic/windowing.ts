/** Which rows of a long list are drawn: those in view and some around them. Every row has the same height. */
export interface Range {
  /** The first, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Rows beyond each edge, so that a flick of the wheel shows no gap. */
const OVERSCAN = 12;

export function visibleRange(scrollTop: number, viewportHeight: number, rowHeight: number, count: number): Range {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const inView = Math.ceil(viewportHeight / rowHeight);
  const from = Math.max(0, Math.min(first, count - inView) - OVERSCAN);
  return { from, to: Math.min(count, Math.max(first, 0) + inView + OVERSCAN) };
}
