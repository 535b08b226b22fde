import { expect, test } from "bun:test";
import { startSandbox } from "momo-sandbox/testing";
import { askStatus, describeInBrowser, rowsOf, startPayment, storyOf, textOf } from "../../support/browser.ts";

const WIDE = { width: 1700, height: 900 };

describeInBrowser("the log of requests", (scene) => {
  test("shows each request when it is answered, with the findings of the audit", async () => {
    const page = await scene.open({ view: "requests" });
    await page.getByText("No requests yet").waitFor();
    const id = await startPayment(scene.sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
    await startPayment(scene.sandbox, { reference: "ORDER-1" });
    await scene.sandbox.clock.advance("1s");
    // The second poll may race with the answer to the first.
    for (let poll = 0; poll < 3; poll += 1) await askStatus(scene.sandbox, id);
    await rowsOf(page).nth(0).getByText("ignores final").waitFor();
    for (const push of [3, 4]) await rowsOf(page).nth(push).getByText("charges twice").waitFor();

    await rowsOf(page).first().click();
    const request = page.getByRole("region", { name: "One request" });
    expect(await textOf(request)).toContain("the client treats it like “pending”. Stop at the first of");
    expect(await textOf(request)).toMatch(/Sent[\s\S]*checkout_request_id[\s\S]*Answer[\s\S]*"status": "failed"/);
    await request.getByRole("button", { name: "Copy as curl" }).waitFor();

    // The strict form refuses this request, but the lenient one accepts it.
    await page.keyboard.press("Escape");
    await startPayment(scene.sandbox, { payment_account_id: "1" });
    await page.getByRole("button", { name: "1 new" }).click();
    await rowsOf(page).first().getByText("400").click();
    await request.getByText("momo serve --accept lenient").waitFor();
  });

  test("a request links to its payment, and a payment to its requests; filters select requests", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await askStatus(scene.sandbox, id);
    const page = await scene.open({ view: "requests", viewport: WIDE });
    await rowsOf(page).first().getByText("pending · APPLE-1").waitFor();
    expect(await textOf(rowsOf(page).first().locator("time"))).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
    await rowsOf(page).first().click();
    await page.getByRole("link", { name: "Payment APPLE-1" }).click();
    await storyOf(page).getByRole("link", { name: "All its requests" }).click();
    await rowsOf(page).nth(2).waitFor({ state: "detached" });
    expect(await rowsOf(page).count()).toBe(2);

    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Path").selectOption("stkpush.php");
    await rowsOf(page).nth(2).waitFor({ state: "detached" });
    await page.getByLabel("Search").fill("pear-2");
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    expect(page.url()).toContain("path=stkpush.php&search=pear-2");
    await page.getByLabel("Method").selectOption("GET");
    await page.getByText("No request fits these filters").waitFor();
  });

  test("what is inside a request: its fault, a lost answer, no body, what the log does not keep", async () => {
    const { baseUrl, headers } = scene.sandbox;
    await scene.sandbox.faults.set([
      { path: "/status.php", kind: "error", status: 503, times: 1 },
      { path: "/stkpush.php", kind: "disconnect", times: 1 },
    ]);
    await askStatus(scene.sandbox, "ws_CO_1");
    await startPayment(scene.sandbox, { reference: "LOST-1" }).catch(() => {});
    await fetch(`${baseUrl}/transactions.php`, { headers });
    await startPayment(scene.sandbox, { description: "x".repeat(9000) });
    const page = await scene.open({ view: "requests", viewport: WIDE });
    await rowsOf(page).nth(3).waitFor();
    expect(await rowsOf(page).locator(".c-answer").allInnerTexts()).toEqual([
      ...["400", "200", expect.stringMatching(/^lost\s*disconnect$/), expect.stringMatching(/^503\s*error$/)],
    ]);
    const request = page.getByRole("region", { name: "One request" });
    for (const [row, words] of [
      ["400", /bytes more, which the log does not keep/],
      ["200", "no body"],
      ["lost", "The connection was closed without an answer."],
      ["503", "fault: error"],
    ] as const) {
      await rowsOf(page).getByText(row, { exact: true }).click();
      await request.getByText(words).waitFor();
      const isCut = row === "400";
      expect(await request.getByRole("button", { name: "Send again" }).isDisabled()).toBe(isCut);
      expect(await request.getByRole("button", { name: "Copy as curl" }).count()).toBe(isCut ? 0 : 1);
    }
    await request.getByText("Headers").click();
    await request.locator("dt:has-text('x-api-key') + dd", { hasText: scene.sandbox.apiKey }).waitFor();
    await request.getByRole("link", { name: "Its requests" }).click();
    await page.waitForURL(/#requests\?payment=ws_CO_1$/);
  });

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

  test("the log has also the requests before the last 200, and a filter by answer and by finding", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    for (let poll = 0; poll < 205; poll += 1) await askStatus(scene.sandbox, "ws_CO_1");
    const page = await scene.open({ view: "requests", viewport: WIDE });
    await page.getByLabel("Search").fill("apple-1");
    await rowsOf(page).getByText("KES 100.00 for APPLE-1 from 0712 345 678").waitFor();
    expect(await rowsOf(page).count()).toBe(1);
    await page.locator("#call-answer").selectOption("4xx");
    await page.getByText("No request fits these filters").waitFor();
    await page.locator("#call-answer").selectOption("2xx");
    await rowsOf(page).first().waitFor();
    await page.locator("#call-finding").selectOption("any");
    await page.getByText("No request fits these filters").waitFor();
  });

  test("a request is sent again with the sandbox's key", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const [first] = await scene.sandbox.requests();
    const page = await scene.open({ view: `requests/${first?.id}`, viewport: WIDE });
    // The name of its payment comes after the request.
    await page.getByRole("link", { name: "Payment APPLE-1" }).waitFor();
    await page.getByRole("region", { name: "One request" }).getByRole("button", { name: "Send again" }).click();
    await rowsOf(page).nth(1).waitFor();
    await rowsOf(page).first().click();
    await page.getByText("sent again from the console, as").waitFor();
    await page.getByRole("link", { name: `request ${first?.id}` }).click();
    expect(page.url()).toEndWith(`#requests/${first?.id}`);
  });
});

describeInBrowser("the audit", (scene) => {
  test("marks all findings of a kind as known until one happens again; the report follows the chosen form", async () => {
    const { baseUrl, headers } = scene.sandbox;
    for (const path of ["status", "status", "stkpush"]) await fetch(`${baseUrl}/${path}.php`, { headers });
    const page = await scene.open({ view: "audit", viewport: WIDE });
    const wrong = page.getByRole("region", { name: "wrong method" });
    await wrong.getByText("2 times", { exact: true }).waitFor();
    const report = page.getByRole("region", { name: "Report" });
    await report.getByRole("button", { name: "Show the report" }).click();
    await report.locator("pre", { hasText: "error: wrong_method" }).waitFor();
    await report.getByLabel("Format").selectOption("junit");
    await report.locator("pre", { hasText: "<testsuites" }).waitFor();
    await report.getByText("The same by command").click();
    await report.getByText("audit --format junit").waitFor();

    await wrong.getByRole("button", { name: "Mark all 2 as known" }).click();
    await wrong.waitFor({ state: "detached" });
    await page.getByText("2 marked as known: wrong method").waitFor();
    await fetch(`${baseUrl}/stkpush.php`, { headers });
    await wrong.getByRole("button", { name: "Mark as known" }).waitFor();
    await page.getByText("1 marked as known: wrong method").waitFor();
    await page.evaluate("localStorage.clear()");
  });

  test("groups findings by kind, hides known ones, links to payments, and shows the report of CI", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" }, "insufficient_funds; after=1s");
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    await scene.sandbox.clock.advance("1s");
    for (let poll = 0; poll < 3; poll += 1) await askStatus(scene.sandbox, id);
    const { baseUrl, headers } = scene.sandbox;
    await fetch(`${baseUrl}/status.php?checkout_request_id=${id}`, { headers });
    const page = await scene.open({ view: "audit", viewport: WIDE });
    await page
      .getByText(
        "6 requests: 5 accepted, 1 refused (1 × 405 “this operation takes POST only”); 2 payments started, 0 paid, 0 not followed",
      )
      .waitFor();
    const wrong = page.getByRole("region", { name: "wrong method" });
    await wrong.getByText("The status was asked for with GET").waitFor();
    await wrong.getByRole("link", { name: /^[0-9]+$/ }).waitFor();
    const twice = page.getByRole("region", { name: "charges twice" });
    await twice.getByText("Wait until the first payment is final before you charge again").waitFor();
    await twice.getByRole("link", { name: "payment APPLE-1" }).waitFor();
    const requests = twice.getByRole("link", { name: /^[0-9]+$/ });
    await requests.nth(1).waitFor();
    expect(await requests.count()).toBe(2);
    await page.getByRole("button", { name: "Show the report" }).click();
    const report = await (await fetch(`${scene.sandbox.controlUrl}/audit?format=text`)).text();
    expect(await textOf(page.getByRole("region", { name: "Report" }).locator("pre"))).toBe(report);

    await twice.getByRole("button", { name: "Mark as known" }).click();
    await twice.waitFor({ state: "detached" });
    await page.reload();
    await page.getByText(/1 marked as known: charges twice/).waitFor();
    // It is no longer counted.
    const counted = page.getByRole("link", { name: "Audit" }).locator("b");
    expect(await counted.textContent()).toMatch(/^2\s+findings$/);
    await page.getByRole("region", { name: "ignores final" }).getByRole("link", { name: "payment APPLE-1" }).click();
    await storyOf(page).getByText("APPLE-1", { exact: true }).first().waitFor();
    // The list of payments shows the findings, too.
    await rowsOf(page).filter({ hasText: "ignores final" }).waitFor();
    await page.evaluate("localStorage.clear()");
  });
});
