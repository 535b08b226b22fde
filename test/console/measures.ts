import type { Page } from "playwright-core";

/** What a page is measured by while much happens. */
export interface Measures {
  readonly frames: number;
  /** Milliseconds from one frame to the next. */
  readonly median: number;
  readonly p95: number;
  readonly longTasks: number;
  /** The layout shift of everything but the rows of the lists, which are there to move. */
  readonly shift: number;
  readonly worstShifts: readonly { readonly value: number; readonly what: string }[];
}

/** Begins to count frames, long tasks and layout shifts. */
export async function measure(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.measured = { frames: [], longTasks: 0, shifts: [] };
    let last = performance.now();
    requestAnimationFrame(function frame(now) {
      measured.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    });
    new PerformanceObserver((list) => { measured.longTasks += list.getEntries().length; }).observe({ type: "longtask" });
    const isRow = ({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.closest("tbody, .thread") != null;
    const nameOf = ({ node, previousRect, currentRect }) => {
      const element = node?.nodeType === 1 ? node : node?.parentElement;
      const box = (rect) => [rect.x, rect.y, rect.width, rect.height].map(Math.round).join(" ");
      return (element?.tagName ?? "gone") + "." + (element?.className ?? "") + " " + box(previousRect) + " > " + box(currentRect);
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const others = entry.sources.filter((source) => source.node && !isRow(source));
        if (others.length > 0) measured.shifts.push({ value: entry.value, what: others.map(nameOf).join("; ") });
      }
    }).observe({ type: "layout-shift" });
  `);
}

export async function readMeasures(page: Page): Promise<Measures> {
  const { frames, longTasks, shifts } = (await page.evaluate("measured")) as {
    frames: number[];
    longTasks: number;
    shifts: { value: number; what: string }[];
  };
  frames.sort((a, b) => a - b);
  const at = (share: number) => Math.round((frames[Math.floor(frames.length * share)] ?? 0) * 10) / 10;
  return {
    frames: frames.length,
    median: at(0.5),
    p95: at(0.95),
    longTasks,
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
    worstShifts: shifts.toSorted((a, b) => b.value - a.value).slice(0, 5),
  };
}

/** What the page holds once all that it no longer needs is gone. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}
