import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { serveMomo } from "../../support/momo.ts";
import { until } from "../../support/waiting.ts";
import { startFlood } from "./flood-client.ts";

afterAll(cleanUp);

const TOP_BAR = [300, 20] as const;

/** Clicks into the list with the mouse while rows arrive, and returns the row under it at first, and the one that opens. */
async function clickInto(page: Page, downPx: number): Promise<[began: string, opened: string]> {
  await page.mouse.move(...TOP_BAR);
  // The list goes on until the mouse comes back.
  const newest = await rowsOf(page).locator("[data-row]").first().getAttribute("data-row");
  await rowsOf(page).first().locator(`[data-row="${newest}"]`).waitFor({ state: "detached" });
  const { x = 0, y = 0 } = (await page.locator(".scroll").boundingBox()) ?? {};
  // The cell of the reference or of the path: it is the same as long as the row is there.
  const across = x + 110;
  await page.mouse.move(across, y + downPx);
  await page.mouse.down();
  const under = `document.elementFromPoint(${across}, ${y + downPx}).closest("tr").querySelector("[data-row]").dataset.row`;
  const began = (await page.evaluate(under)) as string;
  // Under the button of the mouse, too, new rows wait.
  const waiting = () => textOf(page.locator(".held"));
  const before = await waiting();
  await until(waiting, (now) => now !== before);
  await page.mouse.up();
  await page.locator(".story").waitFor();
  const opened = decodeURIComponent(new URL(page.url()).hash.split("/")[1] ?? "");
  await page.keyboard.press("Escape");
  await page.locator(".story").waitFor({ state: "detached" });
  // The focus is in the row again, which may be further down by now.
  await page.evaluate("document.activeElement.blur(), document.querySelector('.scroll').scrollTo(0, 0)");
  return [began, opened];
}

describeInBrowser("a list stands still under the hand", (scene) => {
  test("with 20 payments a second, each click opens the row on which it began", async () => {
    const served = await serveMomo(["--ephemeral"]);
    const page = await scene.open({ url: served.ready.console_url });
    later(startFlood(served, { perSecond: 20 }));
    for (const view of ["transactions", "requests"]) {
      await page.evaluate(`location.hash = "${view}"`);
      await rowsOf(page).nth(14).waitFor();
      for (const downPx of [60, 170, 320]) {
        const [began, opened] = await clickInto(page, downPx);
        expect(opened).toBe(began);
      }
    }
  });

  test("no row is shown before the list is loaded, which would move it", async () => {
    const page = await scene.open({ url: "about:blank" });
    const held = Promise.withResolvers<void>();
    await page.route("**/_momo/transactions?*", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${scene.sandbox.controlUrl}/#transactions`);
    await page.waitForRequest("**/_momo/transactions?*");
    await startPayment(scene.sandbox, { amount: 11 });
    await page.getByLabel("Enter PIN").waitFor();
    expect(await rowsOf(page).count()).toBe(0);
    held.resolve();
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor();
  });

  test("under the mouse, with the focus in a row, and while it is paused; rows change in place", async () => {
    const id = await startPayment(scene.sandbox, { amount: 11 });
    const page = await scene.open();
    await rowsOf(page).first().waitFor();
    const waits = async (count: number, shown: number) => {
      await page.getByRole("button", { name: `${count} new`, exact: true }).waitFor();
      expect(await rowsOf(page).count()).toBe(shown);
    };
    await rowsOf(page).first().hover();
    await startPayment(scene.sandbox, { amount: 22 });
    await waits(1, 1);
    await scene.sandbox.answer(id, { pin: "1234" });
    await rowsOf(page).first().getByText("completed").waitFor();

    await page.locator(".scroll").focus();
    await page.keyboard.press("ArrowDown");
    await page.mouse.move(...TOP_BAR);
    await startPayment(scene.sandbox, { amount: 33 });
    await waits(2, 1);

    await page.getByRole("button", { name: "Pause" }).click();
    await rowsOf(page).nth(2).waitFor();
    await startPayment(scene.sandbox, { amount: 44 });
    await waits(1, 3);
    // The new rows can be shown without an end of the pause.
    await page.getByRole("button", { name: "1 new" }).click();
    await rowsOf(page).nth(3).waitFor();
    await startPayment(scene.sandbox, { amount: 55 });
    await waits(1, 4);
    // Other rows are asked for: none of the ones before stays.
    await page.evaluate(`location.hash = "transactions?status=completed"`);
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    await rowsOf(page).getByText("completed").waitFor();
    await page.evaluate(`location.hash = "transactions"`);
    await rowsOf(page).nth(4).waitFor();
    await startPayment(scene.sandbox, { amount: 66 });
    await waits(1, 5);
    await page.getByRole("button", { name: "Resume" }).click();
    await rowsOf(page).nth(5).waitFor();
  });
});
