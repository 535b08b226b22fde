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

/** What the page's main thread does, in milliseconds of processor time for each second that passes. */
export interface Work {
  readonly all: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
}

/** Begins to count it; other programs on the machine make no difference to it. */
export async function startWork(page: Page): Promise<() => Promise<Work>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await read();
  const startedMs = performance.now();
  return async () => {
    const now = await read();
    const seconds = (performance.now() - startedMs) / 1000;
    await session.detach();
    const each = (name: string) => Math.round((((now[name] ?? 0) - (before[name] ?? 0)) * 1000) / seconds);
    return {
      all: each("TaskDuration"),
      script: each("ScriptDuration"),
      style: each("RecalcStyleDuration"),
      layout: each("LayoutDuration"),
    };
  };
}

/** The functions that took the most time by themselves while something ran, in milliseconds. */
export async function startProfile(page: Page): Promise<() => Promise<string[]>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Profiler.enable");
  await session.send("Profiler.start");
  return async () => {
    const { profile } = await session.send("Profiler.stop");
    await session.detach();
    const names = new Map(
      profile.nodes.map(({ id, callFrame: at }) => [id, `${at.functionName}:${at.lineNumber}:${at.columnNumber}`]),
    );
    const spent = new Map<string, number>();
    profile.samples?.forEach((id, index) => {
      const name = names.get(id) ?? "";
      spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas?.[index] ?? 0) / 1000);
    });
    const costly = [...spent].sort(([, a], [, b]) => b - a).slice(0, 25);
    return costly.map(([name, ms]) => `${Math.round(ms)} ${name}`);
  };
}
