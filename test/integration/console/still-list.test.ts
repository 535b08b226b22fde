import { expect, test } from "bun:test";
import { describeInBrowser, rowsOf, startPayment } from "../../support/browser.ts";

describeInBrowser("a list stands still under the hand", (scene) => {
  test("under the mouse, with the focus in a row, and while it is paused; rows change in place", async () => {
    const id = await startPayment(scene.sandbox, { amount: 11 });
    const page = await scene.open();
    const rows = rowsOf(page);
    await rows.first().waitFor();
    const away = () => page.mouse.move(300, 20);
    const waits = async (count: number, shown: number) => {
      await page.getByRole("button", { name: `${count} new`, exact: true }).waitFor();
      expect(await rows.count()).toBe(shown);
    };
    await rows.first().hover();
    await startPayment(scene.sandbox, { amount: 22 });
    await waits(1, 1);
    await scene.sandbox.answer(id, { pin: "1234" });
    await rows.first().getByText("completed").waitFor();

    await page.locator(".scroll").focus();
    await page.keyboard.press("ArrowDown");
    await away();
    await startPayment(scene.sandbox, { amount: 33 });
    await waits(2, 1);

    await page.getByRole("button", { name: "Pause" }).click();
    await rows.nth(2).waitFor();
    await startPayment(scene.sandbox, { amount: 44 });
    await waits(1, 3);
    // The new rows can be shown without an end of the pause.
    await page.getByRole("button", { name: "1 new" }).click();
    await rows.nth(3).waitFor();
    await startPayment(scene.sandbox, { amount: 55 });
    await waits(1, 4);
    // Other rows are asked for: none of the ones before stays.
    await page.evaluate(`location.hash = "transactions?status=completed"`);
    await rows.nth(1).waitFor({ state: "detached" });
    await rows.getByText("completed").waitFor();
    await page.evaluate(`location.hash = "transactions"`);
    await rows.nth(4).waitFor();
    await startPayment(scene.sandbox, { amount: 66 });
    await waits(1, 5);
    await page.getByRole("button", { name: "Resume" }).click();
    await rows.nth(5).waitFor();
    // The log, too.
    await page.evaluate(`location.hash = "requests"`);
    await rows.nth(5).hover();
    await startPayment(scene.sandbox, { amount: 77 });
    await waits(1, 6);
    await away();
    await rows.nth(6).waitFor();
  });
});
