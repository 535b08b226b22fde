import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { loadHistory } from "../../../bench/support/loader.ts";
import { changeAnswers, describeInBrowser, rowsOf } from "../../support/browser.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { serveMomo } from "../../support/momo.ts";
import { startFlood } from "./flood-client.ts";

const MOST_BYTES = 60_000;

afterAll(cleanUp);

interface Shift {
  readonly value: number;
  readonly what: string;
}

/** Records layout shifts, except those of the rows of lists, which must move. */
const watchShifts = (page: Page) =>
  page.evaluate(`
    globalThis.shifts = [];
    const elementOf = ({ node }) => (node?.nodeType === 1 ? node : node?.parentElement);
    const isRow = (source) => elementOf(source)?.closest("tbody, .thread") != null;
    const nameOf = (source) => elementOf(source)?.tagName + "." + elementOf(source)?.className;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const others = entry.sources.filter((source) => source.node && !isRow(source));
        if (others.length > 0) shifts.push({ value: entry.value, what: others.map(nameOf).join("; ") });
      }
    }).observe({ type: "layout-shift" });
  `);

describeInBrowser("the console with many payments", (scene) => {
  test("the page is at most 60 KB over the wire", async () => {
    const url = `${scene.sandbox.controlUrl}/`;
    const zipped = await fetch(url, { headers: { "Accept-Encoding": "gzip" }, decompress: false });
    expect(zipped.headers.get("Content-Encoding")).toBe("gzip");
    expect((await zipped.arrayBuffer()).byteLength).toBeLessThanOrEqual(MOST_BYTES);
  });

  test("with 10,000 payments and 100 new ones at most 1,000 rows are drawn, and new rows move nothing", async () => {
    const data = join(newFolder(), "data");
    await (await serveMomo(["--data", data])).stop();
    loadHistory(join(data, "momo.db"), 10_000);
    const { ready, post } = await serveMomo(["--data", data]);
    const page = await scene.open({ url: ready.console_url });
    await page.locator(".tiles").getByText("of 10,000 payments").waitFor();
    const pay = (order: object) =>
      post("/stkpush.php", { payment_account_id: ready.payment_account_id, amount: 1, ...order });

    // The rows of the chart arrive before the rows are compared.
    await page.locator(".chart").getByText("newest 1,000").waitFor({ state: "attached" });

    // If the list is scrolled down, new rows wait above.
    await page.evaluate("document.querySelector('.scroll').scrollTop = 4000");
    await rowsOf(page).nth(999).waitFor({ state: "attached" });
    const before = await rowsOf(page).allInnerTexts();
    await pay({ phone: "0712345678", reference: "ONLY-1" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await rowsOf(page).allInnerTexts()).toEqual(before);
    await page.getByRole("button", { name: "1 new" }).click();
    await rowsOf(page).filter({ hasText: "ONLY-1" }).first().waitFor();

    await Promise.all(Array.from({ length: 100 }, (_, index) => pay({ phone: `07${10_000_000 + index}` })));
    await page.locator(".tiles").getByText("of 10,101 payments").waitFor();
    expect(await rowsOf(page).count()).toBeLessThanOrEqual(60);
    await page.getByText("The newest 1,000 of 10,101 are here.").waitFor();
    // The CSV has the rows that are not loaded, too, and what the filters select.
    const save = async () => {
      const saved = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV" }).click();
      const text = readFileSync(await (await saved).path(), "utf8");
      return text.split("\r\n").map((line) => line.split(",", 1)[0]);
    };
    expect(new Set(await save()).size).toBe(10_103); // with the names of the columns, and the end
    await page.getByLabel("Search").fill("only");
    await page.locator(".tiles").getByText("of 1 payment").waitFor();
    expect(await save()).toEqual(["\uFEFFid", "10001", ""]);
    await page.evaluate(`location.hash = "requests"`);
    const words = page.getByText("The last 1,000 requests to the merchant API");
    await words.or(page.getByText("requests a second")).waitFor();
    expect(await rowsOf(page).count()).toBeLessThanOrEqual(60);
  });

  test("counts of many digits fit their cards, and the prompts that the server does not list are counted", async () => {
    const page = await scene.open({ url: "about:blank" });
    const many = { pending_count: 10_050, completed_count: 1_234_567, total_completed_amount: 12_345_678.5 };
    await changeAnswers(page, "/transactions?*", ({ every_status }) => ({
      every_status: { ...every_status, ...many },
    }));
    await changeAnswers(page, "/prompts", () => ({ total: 10_050 }));
    await page.goto(`${scene.sandbox.controlUrl}/#transactions`);
    await page.getByText("0 of 10,050 prompts open").waitFor();
    for (const width of [1280, 700, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await page.locator(".tile b", { hasText: "10,050" }).waitFor();
      const room = await page.locator(".tile").evaluateAll((tiles) =>
        tiles.map((tile) => {
          const [card, figure] = [tile, ...tile.querySelectorAll("b")].map((one) => one.getBoundingClientRect().right);
          return Number(card) - Number(figure);
        }),
      );
      expect(Math.min(...room)).toBeGreaterThanOrEqual(5);
    }
  });

  test("while a client pays and polls, only the rows of the lists move", async () => {
    const served = await serveMomo(["--ephemeral", "--after", "500ms"]);
    const page = await scene.open({ url: served.ready.console_url, viewport: { width: 1440, height: 900 } });
    await page.getByText("No payments yet").waitFor();
    // The parts of the page that come last.
    await page.locator(".top-bar").getByText("Live", { exact: true }).waitFor();
    await page.locator(".top-bar .address").waitFor();
    await page.locator(".tiles").getByText("of 0 payments").waitFor();
    await watchShifts(page);
    const stop = startFlood(served, { perSecond: 50, pollMs: 400 });
    // Until some payments have ended, and the phones show it.
    await page.locator(".tile[data-tone=completed] b", { hasText: /^[0-9]{2,}$/ }).waitFor();
    await stop();
    const shifts = (await page.evaluate("shifts")) as Shift[];
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(0.002);
  });
});
