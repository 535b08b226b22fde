import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { startFlood } from "../test/integration/console/flood-client.ts";
import { cleanUp } from "../test/support/cleanup.ts";
import { serveMomo } from "../test/support/momo.ts";
import { launchBrowser } from "../test/support/needs.ts";

/**
 * What many payments cost the console in Chromium, on a quiet machine:
 *
 *     node_modules/.bin/bun bench/console.ts --rate 200 --seconds 120
 */

const { values } = parseArgs({
  options: { rate: { type: "string", default: "50" }, seconds: { type: "string", default: "60" } },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);

interface Measured {
  /** Milliseconds from one frame to the next. */
  readonly frames: number[];
  readonly longTasks: number;
  /** The layout shift of everything but the rows of the lists, which must move. */
  readonly shift: number;
}

const startMeasuring = (page: Page) =>
  page.evaluate(`
    globalThis.measured = { frames: [], longTasks: 0, shift: 0 };
    let last = performance.now();
    requestAnimationFrame(function frame(now) {
      measured.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    });
    new PerformanceObserver((list) => { measured.longTasks += list.getEntries().length; }).observe({ type: "longtask" });
    const isRow = ({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.closest("tbody, .thread") != null;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.sources.some((source) => source.node && !isRow(source))) measured.shift += entry.value;
      }
    }).observe({ type: "layout-shift" });
  `);

/** The size of the page's heap after a garbage collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

const served = await serveMomo(["--ephemeral"]);
const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
page.on("pageerror", (error) => process.stdout.write(`  error in the page: ${error.message}\n`));
await page.goto(`${served.ready.console_url}#transactions`);
await page.getByText("Live", { exact: true }).waitFor();

process.stdout.write(`${rate} payments a second for ${seconds} s, each polled until it is final\n`);
const endFlood = startFlood(served, { perSecond: rate });
// A story is open, as when somebody looks for the cause of a failure.
await page.locator("tbody.rows tr").nth(2).click();
await page.locator(".story .ending").waitFor();
await page.mouse.move(700, 20);
await startMeasuring(page);
await Bun.sleep(seconds * 1000);
const { frames, longTasks, shift } = (await page.evaluate("measured")) as Measured;
const heapMb = (await heapBytes(page)) / 1e6;
await endFlood();

frames.sort((a, b) => a - b);
const at = (share: number) => (frames[Math.floor(frames.length * share)] ?? 0).toFixed(1);
process.stdout.write(`  frames: median ${at(0.5)} ms, 95 % within ${at(0.95)} ms; long tasks: ${longTasks}\n`);
process.stdout.write(`  layout shift outside the rows: ${shift.toFixed(4)}; heap ${heapMb.toFixed(1)} MB\n`);
await browser.close();
await cleanUp();
process.exit(0);
