/** The rows of a long list that are drawn: those in view and some around them. All rows have the same height. */
export interface Range {
  /** The first row, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Rows beyond each edge, so that fast scrolling shows no gap. */
const OVERSCAN = 12;

export function visibleRange(scrollTop: number, viewportHeight: number, rowHeight: number, count: number): Range {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const inView = Math.ceil(viewportHeight / rowHeight);
  const from = Math.max(0, Math.min(first, count - inView) - OVERSCAN);
  return { from, to: Math.min(count, Math.max(first, 0) + inView + OVERSCAN) };
}
