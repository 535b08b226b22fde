/**
 * What a flood of payments costs the console, by hand, on a quiet machine:
 *
 *     node_modules/.bin/bun test/integration/console/flood.ts --rate 50 --seconds 60
 *     node_modules/.bin/bun test/integration/console/flood.ts --rate 200 --seconds 120 --view requests --width 1920
 *     node_modules/.bin/bun test/integration/console/flood.ts --rate 200 --seconds 30 --profile
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { launchBrowser } from "../../support/chromium.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { serveMomo } from "../../support/momo.ts";
import { startFlood } from "./flood-client.ts";
import { heapBytes, measure, readMeasures, startProfile, startWork } from "./measures.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "60" },
    view: { type: "string", default: "transactions" },
    width: { type: "string", default: "1440" },
    profile: { type: "boolean", default: false },
  },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);

const { ready, post } = await serveMomo(["--ephemeral"]);
const browser = await launchBrowser(["--enable-precise-memory-info", "--js-flags=--expose-gc"]);
const page = await browser.newPage({ viewport: { width: Number(values.width), height: 900 } });
page.on("pageerror", (error) => print(`  error in the page: ${error.message}`));
await page.goto(`${ready.console_url}#${values.view}`);
await page.getByText("Live", { exact: true }).waitFor();
await measure(page);
const work = await startWork(page);
const profile = values.profile ? await startProfile(page) : null;

print(
  `${rate} payments a second for ${seconds} s, each polled until it is final; load average ${loadavg()[0]?.toFixed(1)}`,
);
const flood = startFlood({ post, paymentAccountId: ready.payment_account_id, perSecond: rate });
for (let second = 10; second <= seconds; second += 10) {
  await Bun.sleep(10_000);
  const heapMb = (await heapBytes(page)) / 1e6;
  print(`  after ${second} s: ${flood.started()} payments, heap ${heapMb.toFixed(1)} MB`);
}
const { all, script, style, layout } = await work();
const costly = (await profile?.()) ?? [];
await flood.stop();
const { frames, median, p95, longTasks, shift, worstShifts } = await readMeasures(page);
print(
  `frames: ${frames}, median ${median} ms, p95 ${p95} ms; long tasks: ${longTasks}; load average ${loadavg()[0]?.toFixed(1)}`,
);
print(`main thread: ${all} ms of processor time a second (script ${script}, style ${style}, layout ${layout})`);
print(`layout shift outside the lists' own rows: ${shift.toFixed(4)}`);
for (const { value, what } of worstShifts) print(`  ${value.toFixed(4)} ${what}`);
for (const line of costly) print(`  ${line}`);
await browser.close();
await cleanUp();
process.exit(0);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
