import { expect, test } from "bun:test";
import { startSandbox } from "../../cli/testing.ts";
import { describeInBrowser } from "../support/browser.ts";

/** What the console costs, and how it bears a crowd. Times are printed and not judged: the machine may be busy. */

const MOST_BYTES = 150_000;
const PAYMENTS = 10_000;
const EVENTS_PER_SECOND = 500;
const SECONDS = 2;

describeInBrowser("the console bears a crowd", (scene) => {
  test("it is below 150 KB over the wire, compressed where the browser takes it", async () => {
    const url = `${scene.sandbox.controlUrl}/`;
    const zipped = await fetch(url, { headers: { "Accept-Encoding": "gzip" }, decompress: false });
    const plain = await fetch(url, { headers: { "Accept-Encoding": "identity" } });
    const bytes = (await zipped.arrayBuffer()).byteLength;
    expect(zipped.headers.get("Content-Encoding")).toBe("gzip");
    expect(bytes).toBeLessThan(MOST_BYTES);
    expect(plain.headers.get("Content-Encoding")).toBeNull();
    process.stderr.write(`  ${bytes} bytes over the wire, ${(await plain.arrayBuffer()).byteLength} unpacked\n`);

    const page = await scene.open();
    await page.getByText("Live").waitFor();
    const paint = await page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`);
    expect(Number(paint)).toBeGreaterThan(0);
    process.stderr.write(`  first paint after ${Math.round(Number(paint))} ms\n`);
  });

  test("with 10,000 transactions and 500 events a second it draws what is in view and says what it leaves out", async () => {
    const crowded = await startSandbox({ frozen: true, outcome: "completed; after=1s" });
    const { baseUrl, headers, paymentAccountId: payment_account_id } = crowded;
    const pay = (number: number) =>
      fetch(`${baseUrl}/stkpush.php`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ payment_account_id, phone: `07${10_000_000 + (number % 300)}`, amount: 1 }),
      });
    for (let done = 0; done < PAYMENTS; done += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => pay(done + index)));
    }
    await crowded.clock.advance("1s");

    const page = await scene.open({ url: `${crowded.controlUrl}/` });
    await page.locator(".summary").getByText("10,000").first().waitFor();
    // From one frame to the next, for as long as the events come.
    await page.evaluate(`
      globalThis.frames = [];
      let last = performance.now();
      requestAnimationFrame(function frame(now) {
        frames.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      });
    `);
    // Each payment is two events: it starts, and its request is answered.
    const perTick = EVENTS_PER_SECOND / 2 / 50;
    for (let tick = 0; tick < SECONDS * 50; tick += 1) {
      await Promise.all([Bun.sleep(20), ...Array.from({ length: perTick }, (_, index) => pay(tick * perTick + index))]);
    }
    const frames = ((await page.evaluate("frames")) as number[]).sort((a, b) => a - b);
    const at = (share: number) => Math.round(frames[Math.floor(frames.length * share)] ?? 0);
    process.stderr.write(`  ${frames.length} frames: median ${at(0.5)} ms, 95 % within ${at(0.95)} ms\n`);

    expect(await page.locator("tbody.rows tr").count()).toBeLessThan(100);
    await page.locator(".summary").getByText("10,500").first().waitFor();
    await page.evaluate(`location.hash = "requests"`);
    await page.getByText("The last 1,000 calls of the merchant API").or(page.getByText("calls a second")).waitFor();
    expect(await page.locator("tbody.rows tr").count()).toBeLessThan(100);
    await page.close();
    await crowded.stop();
  });
});
