import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { loadHistory } from "../../../bench/support/loader.ts";
import { describeInBrowser, rowsOf } from "../../support/browser.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { serveMomo } from "../../support/momo.ts";

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

  test("of 10,000 payments the newest 50 are loaded, and more at each click, up to 500, although payments arrive", async () => {
    const data = join(newFolder(), "data");
    await (await serveMomo(["--data", data])).stop();
    loadHistory(join(data, "momo.db"), 10_000);
    const served = await serveMomo(["--data", data]);
    const { ready, post } = served;
    const page = await scene.open({ url: ready.console_url });
    await page.locator(".tiles").getByText("paid of 10,000").waitFor();
    expect(await rowsOf(page).count()).toBe(50);
    await page.locator(".chart").getByText("the newest 50 payments").waitFor();
    const pay = (order: object) =>
      post("/stkpush.php", { payment_account_id: ready.payment_account_id, amount: 1, ...order });

    // If the list is scrolled down, new rows wait above.
    await page.evaluate("document.querySelector('.scroll').scrollTop = 4000");
    const before = await rowsOf(page).allInnerTexts();
    await pay({ phone: "0712345678", reference: "ONLY-1" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await rowsOf(page).allInnerTexts()).toEqual(before);
    // What arrives pushes the next rows to other pages of the server: none is missed, and none comes twice.
    const idsOf = () =>
      rowsOf(page)
        .locator("[data-row]")
        .evaluateAll((all) => all.map((row) => row.dataset.row));
    await Promise.all(Array.from({ length: 99 }, (_, index) => pay({ phone: `07${10_000_000 + index}` })));
    await page.getByRole("button", { name: "50+ new" }).waitFor();
    for (let count = 100; count <= 500; count += 50) {
      await page.getByRole("button", { name: "Show 50 more" }).click();
      await rowsOf(page)
        .nth(count - 10)
        .waitFor({ state: "attached" });
    }
    await page.getByText("These are 500, as many as the page shows.").waitFor();
    const { transactions } = (await (
      await fetch(`${served.ready.console_url}transactions?limit=100&page=2`)
    ).json()) as {
      transactions: { checkout_request_id: string }[];
    };
    expect((await idsOf()).slice(0, 100)).toEqual(transactions.map(({ checkout_request_id }) => checkout_request_id));
    expect(new Set(await idsOf()).size).toBe(500);
    await page.getByRole("button", { name: "50+ new" }).click();
    await page.locator(".tiles").getByText("paid of 10,100").waitFor();

    // The CSV has the rows that are not loaded, too, and what the filters select.
    const save = async () => {
      const saved = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV" }).click();
      const text = readFileSync(await (await saved).path(), "utf8");
      return text.split("\r\n").map((line) => line.split(",", 1)[0]);
    };
    expect(new Set(await save()).size).toBe(10_102); // with the names of the columns, and the end
    await page.getByLabel("Search").fill("only");
    await page.locator(".tiles").getByText("paid, 1 found").waitFor();
    expect(await save()).toEqual(["\uFEFFid", "10001", ""]);
  });

  test("while a client pays and polls, only the rows of the lists move", async () => {
    const served = await serveMomo(["--ephemeral", "--after", "500ms"]);
    const page = await scene.open({ url: served.ready.console_url, viewport: { width: 1440, height: 900 } });
    await page.getByText("No payments yet").waitFor();
    // The parts of the page that come last.
    await page.locator(".top-bar").getByText("Live", { exact: true }).waitFor();
    await page.locator(".top-bar .address").waitFor();
    await page.locator(".tiles").getByText("paid of 0").waitFor();
    await watchShifts(page);
    let isOver = false;
    const clients = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        const id = await served.pay();
        await Bun.sleep(400);
        await served.statusOf(id);
      }
    });
    try {
      // Until some payments have ended, and the phones show it.
      await page.locator(".tile[data-tone=completed] b", { hasText: /^[0-9]{2,}$/ }).waitFor();
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    const shifts = (await page.evaluate("shifts")) as Shift[];
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(0.002);
  });
});
