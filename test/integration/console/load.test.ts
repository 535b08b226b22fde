import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { loadHistory } from "../../../bench/support/loader.ts";
import { describeInBrowser } from "../../support/browser.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { serveMomo } from "../../support/momo.ts";
import { startFlood } from "./flood-client.ts";
import { measure, readMeasures } from "./measures.ts";

/** What the console costs, and how it bears a crowd. Times are printed and not judged: the machine may be busy. */

const MOST_BYTES = 60_000;
const PAYMENTS = 10_000;
const EVENTS_PER_SECOND = 500;
const TICKS_PER_SECOND = 50;
const SECONDS = 2;

afterAll(cleanUp);

describeInBrowser("the console bears a crowd", (scene) => {
  test("it is at most 60 KB over the wire, compressed where the browser takes it", async () => {
    const url = `${scene.sandbox.controlUrl}/`;
    const zipped = await fetch(url, { headers: { "Accept-Encoding": "gzip" }, decompress: false });
    const bytes = (await zipped.arrayBuffer()).byteLength;
    expect(zipped.headers.get("Content-Encoding")).toBe("gzip");
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);

    const page = await scene.open();
    await page.getByText("Live", { exact: true }).waitFor();
    const paint = Number(await page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime`));
    expect(paint).toBeGreaterThan(0);
    process.stderr.write(`  ${bytes} bytes over the wire, first paint after ${Math.round(paint)} ms\n`);
  });

  test("with 10,000 transactions and 500 events a second it draws what is in view and says what it leaves out", async () => {
    const data = join(newFolder(), "data");
    await (await serveMomo(["--data", data])).stop();
    loadHistory(join(data, "momo.db"), PAYMENTS, Date.now());
    const { ready, post } = await serveMomo(["--data", data]);
    const page = await scene.open({ url: ready.console_url });
    await page.locator(".tiles").getByText("of 10,000 payments").waitFor();
    const payment = { payment_account_id: ready.payment_account_id, amount: 1 };

    // As many as the chart is made of, before anything is compared.
    await page.locator(".chart").getByText("newest 1,000").waitFor({ state: "attached" });

    // What arrives while somebody reads further down waits above, so that nothing moves under the eye.
    await page.evaluate("document.querySelector('.scroll').scrollTop = 4000");
    await page.locator("tbody[aria-hidden]").first().waitFor({ state: "attached" });
    const before = await page.locator("tbody.rows tr").allInnerTexts();
    await post("/stkpush.php", { ...payment, phone: "0712345678" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await page.locator("tbody.rows tr").allInnerTexts()).toEqual(before);
    await page.getByRole("button", { name: "1 new" }).click();
    await page.locator("tbody.rows tr", { hasText: "0712 345 678" }).first().waitFor();

    await measure(page);
    // Each payment is two events: it starts, and its request is answered.
    const perTick = EVENTS_PER_SECOND / 2 / TICKS_PER_SECOND;
    for (let tick = 0; tick < SECONDS * TICKS_PER_SECOND; tick += 1) {
      const phones = Array.from(
        { length: perTick },
        (_, index) => `07${10_000_000 + ((tick * perTick + index) % 300)}`,
      );
      await Promise.all([
        Bun.sleep(1000 / TICKS_PER_SECOND),
        ...phones.map((phone) => post("/stkpush.php", { ...payment, phone })),
      ]);
    }
    const { frames, median, p95 } = await readMeasures(page);
    process.stderr.write(`  ${frames} frames: median ${median} ms, 95 % within ${p95} ms\n`);

    expect(await page.locator("tbody.rows tr").count()).toBeLessThan(100);
    await page.locator(".tiles").getByText("of 10,501 payments").waitFor();
    await page.evaluate(`location.hash = "requests"`);
    await page
      .getByText("The last 1,000 requests of the merchant API")
      .or(page.getByText("requests a second"))
      .waitFor();
    expect(await page.locator("tbody.rows tr").count()).toBeLessThan(100);
  });

  test("nothing but the rows of the lists moves, from the first payment on, while a client pays and polls", async () => {
    const { ready, post } = await serveMomo(["--ephemeral", "--after", "500ms"]);
    const page = await scene.open({ url: ready.console_url, viewport: { width: 1440, height: 900 } });
    await page.getByText("No payments yet").waitFor();
    await measure(page);
    const flood = startFlood({ post, paymentAccountId: ready.payment_account_id, perSecond: 50, pollMs: 400 });
    // Until payments end, and notes show how.
    await page.locator(".tile[data-status=completed] b", { hasText: /^[0-9]{2,}$/ }).waitFor();
    await flood.stop();
    const { shift, worstShifts } = await readMeasures(page);
    expect(shift, JSON.stringify(worstShifts)).toBeLessThanOrEqual(0.02);
  });
});
