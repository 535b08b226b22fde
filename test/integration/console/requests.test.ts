import { expect, test } from "bun:test";
import { startSandbox } from "stkpush-sandbox/testing";
import { askStatus, describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";

const WIDE = { width: 1700, height: 900 };

describeInBrowser("the log of requests", (scene) => {
  test("of a lenient server: what it accepted although the strict form refuses it; a poll names a phone without a reference", async () => {
    const sandbox = await startSandbox({ accept: "lenient", outcome: "manual" });
    const id = await startPayment(sandbox, { payment_account_id: "1" }, null);
    await askStatus(sandbox, id);
    const page = await scene.open({ url: `${sandbox.controlUrl}/`, view: "requests" });
    await rowsOf(page).first().getByText("pending · 0712 345 678").waitFor();
    await rowsOf(page).nth(1).click();
    const request = page.getByRole("region", { name: "One request" });
    await request.getByText(/^Accepted leniently: payment_account_id \(.+\)\.$/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "lenient" }).click();
    await page.getByRole("region", { name: "Lenient" }).waitFor();
    await page.goto("about:blank");
    await sandbox.stop();
  });

  test("the log has also the requests before the last 200", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    for (let poll = 0; poll < 205; poll += 1) await askStatus(scene.sandbox, "ws_CO_1");
    const page = await scene.open({ view: "requests", viewport: WIDE });
    await page.getByLabel("Search").fill("apple-1");
    await rowsOf(page).getByText("KES 100.00 for APPLE-1 from 0712 345 678").waitFor();
    expect(await rowsOf(page).count()).toBe(1);
  });

  test("many requests in a second are counted, until there are fewer", async () => {
    const page = await scene.open({ view: "requests" });
    await page.getByText("Live", { exact: true }).waitFor();
    let isShown = false;
    const words = page.getByText(/^[0-9,]+ requests a second: the newest 1,000 are kept/).textContent();
    const shown = words.finally(() => {
      isShown = true;
    });
    while (!isShown) await Promise.all(Array.from({ length: 100 }, () => askStatus(scene.sandbox, "ws_CO_1")));
    expect(Number.parseInt((await shown)?.replace(",", "") ?? "", 10)).toBeGreaterThan(20);
    await page.getByText("The last 1,000 requests to the merchant API").waitFor();
  });

  test("the refusal of one request is not shown beside another one", async () => {
    for (let poll = 0; poll < 2; poll += 1) await askStatus(scene.sandbox, "ws_CO_1");
    const page = await scene.open({ view: "requests", viewport: WIDE, expected: /409/ });
    const request = page.getByRole("region", { name: "One request" });
    await page.route("**/replay", (route) => route.fulfill({ status: 409, json: { message: "not now" } }), {
      times: 1,
    });
    await rowsOf(page).nth(0).click();
    await request.getByRole("button", { name: "Send again" }).click();
    await request.getByText("not now").waitFor();
    await rowsOf(page).nth(1).click();
    await rowsOf(page).nth(1).locator("[aria-expanded=true]").waitFor();
    expect(await textOf(request)).not.toContain("not now");
  });

  test("a request whose body the log has cut says so, and cannot be sent again or copied", async () => {
    await startPayment(scene.sandbox, { padding: "x ".repeat(3000) });
    const page = await scene.open({ view: "requests", viewport: WIDE });
    await rowsOf(page).first().click();
    const request = page.getByRole("region", { name: "One request" });
    await request.getByText("Sent", { exact: true }).waitFor();
    expect(await textOf(request)).toMatch(/\n[0-9,]+ bytes more, which the log does not keep\.\n/);
    expect(await request.getByRole("button", { name: "Send again" }).isDisabled()).toBe(true);
    expect(await request.getByRole("button", { name: "Copy as curl" }).count()).toBe(0);
  });
});

describeInBrowser("the audit", (scene) => {
  test("a finding that no event tells of, such as a missing poll, appears by itself", async () => {
    const page = await scene.open({ view: "audit" });
    await page.getByText("Nothing found.").waitFor();
    const told = { kind: "end_not_learned", severity: "error", message: "Not asked for.", count: 1 };
    const finding = { ...told, request_ids: [], checkout_request_id: null, examples: [] };
    const audit = { success: true, message: "1 error", findings: [finding] };
    await page.route("**/_momo/audit", (route) => route.fulfill({ json: audit }));
    await page.getByRole("region", { name: "end not learned" }).getByText("Not asked for.").waitFor();
    // An open report is that of what is found now, also if it is not more.
    await page.route(/_momo\/audit\?.*format=json/, (route) => route.fulfill({ body: JSON.stringify(audit) }));
    await page.getByLabel("Format").selectOption("json");
    await page.getByRole("button", { name: "Show the report" }).click();
    await page.getByText('"count":1').waitFor();
    finding.count = 2;
    await page.getByText('"count":2').waitFor();
  });
});
