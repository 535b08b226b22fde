import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { BUCKETS } from "../../../sandbox/console/browser/logic/chart.ts";
import { askStatus, describeInBrowser, rowsOf, startPayment, storyOf } from "../../support/browser.ts";

const WIDE = { width: 1700, height: 900 };
const JSON_CONTENT = { "Content-Type": "application/json" };

const textsOf = (page: Page, column: string) => rowsOf(page).locator(column).allInnerTexts();

describeInBrowser("the list while payments start and end", (scene) => {
  /** A test payment, as a program starts it. */
  async function startByControl(order: object): Promise<string> {
    const body = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100, kind: "api", ...order });
    const init = { method: "POST", headers: JSON_CONTENT, body };
    const answer = await fetch(`${scene.sandbox.controlUrl}/payments`, init);
    return ((await answer.json()) as { checkout_request_id: string }).checkout_request_id;
  }

  test("a payment that no longer fits the filters leaves, and one that does not fit a search does not come", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const page = await scene.open({ view: "transactions?status=pending" });
    await rowsOf(page).first().waitFor();
    await scene.sandbox.answer(id, { pin: "1234" });
    await rowsOf(page).first().waitFor({ state: "detached" });
    await page.getByText("KES received", { exact: true }).waitFor();

    await page.getByLabel("Status").selectOption("");
    await page.getByLabel("Search").fill("apple");
    await rowsOf(page).first().waitFor();
    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await startPayment(scene.sandbox, { reference: "APPLE-3" });
    await rowsOf(page).nth(1).waitFor();
    expect(await textsOf(page, ".c-ref")).toEqual(["APPLE-3", "APPLE-1"]);
    await page.getByText("KES received, of these", { exact: true }).waitFor();
    await page.getByText("of 2 payments", { exact: true }).waitFor();
  });

  test("what the API refused of a filter is no longer there after a right one", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open({ view: "transactions?id=x", viewport: WIDE, expected: /400 \(Bad Request\)/ });
    const problem = page.locator(".filter-problem .problem");
    await problem.waitFor();
    await page.getByRole("textbox", { name: "Id", exact: true }).fill("");
    await problem.waitFor({ state: "detached" });
    expect(await page.getByRole("textbox", { name: "Id", exact: true }).getAttribute("aria-invalid")).toBeNull();
  });

  test("Back leaves a typed search in one step", async () => {
    const page = await scene.open({ view: "steering" });
    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByLabel("Search").pressSequentially("tea");
    await page.waitForURL(/#transactions\?search=tea$/);
    await page.goBack();
    await page.waitForURL(/#steering$/);
    // The link of a view brings back its filters, and that of the open view removes them.
    await page.getByRole("link", { name: "Payments" }).click();
    await page.waitForURL(/#transactions\?search=tea$/);
    await page.getByRole("link", { name: "Payments" }).click();
    await page.waitForURL(/#transactions$/);
    expect(await page.getByLabel("Search").inputValue()).toBe("");
  });

  test("a row has its day if that is not today, its kind if it is not the API's, and its receipt", async () => {
    const old = await startPayment(scene.sandbox, { reference: "OLD" }, "completed; after=1s");
    await scene.sandbox.clock.advance("24h");
    await startByControl({ reference: "NEW", kind: "web", outcome: "manual" });
    const page = await scene.open({ viewport: WIDE });
    await rowsOf(page).nth(1).waitFor();
    expect(await textsOf(page, ".c-ref")).toEqual(["web NEW", "OLD"]);
    const { created_at, momo_receipt_number } = await scene.sandbox.wait({ checkoutRequestId: old });
    expect(await textsOf(page, ".c-receipt")).toEqual(["", String(momo_receipt_number)]);
    const [today, before] = await textsOf(page, ".c-time");
    expect(today).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(before).toBe(created_at.slice(5));
  });

  test("a bar is picked with the mouse, and its payments are saved as CSV; another click shows all again", async () => {
    await startPayment(scene.sandbox, { amount: 11 });
    await scene.sandbox.clock.advance("10s");
    await startPayment(scene.sandbox, { amount: 22 });
    const page = await scene.open();
    await rowsOf(page).nth(1).waitFor();
    const { x = 0, y = 0, width = 0 } = (await page.locator(".bars").boundingBox()) ?? {};
    const point = (bar: number): [number, number] => [x + (width * (bar + 0.5)) / BUCKETS, y + 10];
    await page.mouse.move(...point(BUCKETS - 2));
    await page.locator(".reading", { hasText: "no payment" }).waitFor();
    await page.mouse.click(...point(BUCKETS - 2));
    await page.mouse.move(...point(BUCKETS - 1));
    await page.locator(".reading", { hasText: "1 pending" }).waitFor();
    await page.mouse.click(...point(BUCKETS - 1));
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    expect(await textsOf(page, ".c-amount")).toEqual(["22.00"]);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(lines.map((line) => line.split(",")[4])).toEqual(["amount", "22"]);
    await page.mouse.click(...point(BUCKETS - 1));
    await rowsOf(page).nth(1).waitFor();
  });

  test("an open story shows a poll when it is answered, and says what started the payment", async () => {
    const id = await startPayment(scene.sandbox);
    const page = await scene.open({ view: `transactions/${id}`, viewport: WIDE });
    const story = storyOf(page);
    await story.getByRole("img", { name: /^0 polls in/ }).waitFor();
    await story.getByText("The client has not asked for the status yet.").waitFor();
    await askStatus(scene.sandbox, id);
    await story.getByRole("img", { name: /^1 poll in .+, 1 sooner than 3 s after the request before$/ }).waitFor();
    await story.getByRole("button", { name: "Wait for it" }).waitFor();
    await scene.sandbox.answer(id, { pin: "1234" });
    await story.getByText("What to do").waitFor();
    await story.getByRole("button", { name: "Wait for it" }).waitFor({ state: "detached" });

    for (const [order, words] of [
      [{}, "A test payment: a program started it by POST /_momo/payments."],
      [{ kind: "web" }, "A test payment: a program started it by POST /_momo/payments."],
    ] as const) {
      const started = await startByControl({ outcome: "manual", ...order });
      await page.evaluate(`location.hash = "transactions/${started}"`);
      await story.getByText(words).waitFor();
      expect(await story.locator("dt:has-text('Description') + dd").allInnerTexts()).toEqual(["none"]);
    }
    await story.getByRole("button", { name: "Send again" }).click();
    await story.getByText("a person started it here").waitFor();
    expect((await textsOf(page, ".c-ref")).slice(0, 3)).toEqual(["web –", "web –", "–"]);
  });
});

describeInBrowser("the form of a test payment", (scene) => {
  test("has other kinds, goes to the payments, keeps its values, and counts the reference up in its width", async () => {
    const page = await scene.open({ view: "requests" });
    const dialog = page.getByRole("dialog", { name: "Test payment" });
    await page.getByRole("button", { name: "Test payment", exact: true }).click();
    await dialog.getByRole("button", { name: "More" }).click();
    await dialog.getByLabel("Kind").selectOption("web");
    await dialog.getByLabel("Amount, KES").fill("250");
    await dialog.getByLabel("Reference").fill("ORDER-009");
    await dialog.getByLabel("What the customer does").selectOption("cancelled");
    await dialog.getByText("The same by command").click();
    await dialog
      .getByText("pay 0712345678 250 --account 1 --reference ORDER-009 --kind web --outcome cancelled")
      .waitFor();
    await dialog.getByRole("button", { name: "Send the prompt" }).click();
    await rowsOf(page).filter({ hasText: "ORDER-009" }).getByText("web", { exact: true }).waitFor();
    await scene.sandbox.clock.advance("3s");
    await rowsOf(page).first().getByText("cancelled").waitFor();
    await page.getByRole("button", { name: "Test payment", exact: true }).click();
    expect(await dialog.getByLabel("Reference").inputValue()).toBe("ORDER-010");
    expect(await dialog.getByLabel("Amount, KES").inputValue()).toBe("250");
    expect(await dialog.getByLabel("What the customer does").inputValue()).toBe("cancelled");
  });

  test("on a narrow screen leads to the phone, which rings", async () => {
    const page = await scene.open({ viewport: { width: 390, height: 780 } });
    await page.getByText("No payments yet").waitFor();
    await page.keyboard.press("p");
    await page.getByRole("dialog").getByRole("button", { name: "Send the prompt" }).click();
    await page.getByLabel("Enter PIN").waitFor();
    expect(page.url()).toEndWith("#phone");
  });
});
