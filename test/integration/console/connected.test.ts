import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { askStatus, describeInBrowser, startPayment, textOf } from "../../support/browser.ts";

describeInBrowser("everything leads to everything", (scene) => {
  test("the address holds view, filters and selection; reload and Back keep them", async () => {
    const first = await startPayment(scene.sandbox, { reference: "APPLE-1" }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { reference: "PEAR-2", phone: "0722000002" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ viewport: { width: 1700, height: 900 } });
    const rows = page.locator("tbody.rows tr");
    await rows.nth(1).waitFor();
    await page.getByLabel("Search").fill("apple");
    await page.getByLabel("Status").selectOption("cancelled");
    await rows.nth(1).waitFor({ state: "detached" });
    await rows.first().click();
    const story = page.getByRole("region", { name: "Story of a payment" });
    await story.getByText("APPLE-1").first().waitFor();
    expect(page.url()).toEndWith(`#transactions/${first}?status=cancelled&search=apple`);

    await page.reload();
    await story.getByText("APPLE-1").first().waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("apple");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await page.goBack();
    await story.waitFor({ state: "detached" });
    expect(await page.getByLabel("Status").inputValue()).toBe("cancelled");

    // Another view and back: the filters are still there.
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByLabel("Path").waitFor();
    await page.getByRole("link", { name: "Payments" }).click();
    expect(await page.getByLabel("Search").inputValue()).toBe("apple");
    expect(await rows.count()).toBe(1);
  });

  test("a request leads to its payment, a payment to its requests; a poll says whose it is", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await askStatus(scene.sandbox, id);
    const page = await scene.open({ view: "requests" });
    const rows = page.locator("tbody.rows tr");
    await rows.first().getByText("pending · APPLE-1").waitFor();
    expect(await textOf(rows.first().locator("time"))).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
    await rows.first().click();
    await page.getByRole("link", { name: "Payment APPLE-1" }).click();
    const story = page.getByRole("region", { name: "Story of a payment" });
    await story.getByRole("link", { name: "All its requests" }).click();
    await rows.nth(2).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(2);

    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Path").selectOption("stkpush.php");
    await rows.nth(2).waitFor({ state: "detached" });
    await page.getByLabel("Search").fill("pear-2");
    await rows.nth(1).waitFor({ state: "detached" });
    expect(page.url()).toContain("search=pear-2&path=stkpush.php");
    await page.getByLabel("Method").selectOption("GET");
    await page.getByText("No request fits these filters").waitFor();
  });

  test("what is in force and unusual is said in the top bar, and leads to where it is changed", async () => {
    const page = await scene.open();
    await scene.sandbox.rules.add({ outcome: "cancelled", times: 2 }, { outcome: "expired" });
    await scene.sandbox.faults.set([{ kind: "delay", delay: "1s" }]);
    await page.getByRole("link", { name: "2 rules · 1 fault · clock frozen" }).click();
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: cancelled, 2 times").waitFor();
  });

  test("the audit: findings by kind with advice, calls and payments; noted ones fold away; the report of CI", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" }, "insufficient_funds; after=1s");
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    await scene.sandbox.clock.advance("1s");
    for (let poll = 0; poll < 3; poll += 1) await askStatus(scene.sandbox, id);
    const page = await scene.open({ view: "audit", viewport: { width: 1700, height: 900 } });
    const twice = page.getByRole("region", { name: "charges twice" });
    await twice.getByText("Wait until the first payment is final before you charge again.").waitFor();
    await twice.getByRole("link", { name: "payment APPLE-1" }).waitFor();
    expect(await twice.getByRole("link", { name: /^[0-9]+$/ }).count()).toBe(2);
    await page.getByRole("button", { name: "Show the report" }).click();
    const { controlUrl } = scene.sandbox;
    const report = await (await fetch(`${controlUrl}/audit?format=text`)).text();
    expect(await textOf(page.getByRole("region", { name: "Report" }).locator("pre"))).toBe(report);

    await twice.getByRole("button", { name: "Mark as known" }).click();
    await twice.waitFor({ state: "detached" });
    await page.getByText(/1 marked as known: charges twice/).waitFor();
    await page.reload();
    await page.getByText(/1 marked as known: charges twice/).waitFor();
    await page.getByRole("region", { name: "ignores final" }).getByRole("link", { name: "payment APPLE-1" }).click();
    await page.getByRole("region", { name: "Story of a payment" }).getByText("APPLE-1").first().waitFor();
    // A sign in the list says which payments have findings.
    await page.locator("tbody.rows tr", { hasText: "ignores final" }).waitFor();
    await page.evaluate("localStorage.clear()");
  });

  test("the filtered list is saved as CSV, also what is not in view", async () => {
    for (let payment = 0; payment < 120; payment += 1) {
      await startPayment(scene.sandbox, { reference: payment % 2 === 0 ? `=EVEN-${payment}` : `ODD-${payment}` });
    }
    const page = await scene.open();
    await page.getByText("of 120 payments").waitFor();
    await page.getByLabel("Search").fill("odd");
    await page.getByText("of 60 payments").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(lines).toHaveLength(61);
    expect(lines[1]).toContain(",ODD-119,");
    await page.getByText("Saved 60").waitFor();
  });
});
