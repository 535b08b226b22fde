import { expect, test } from "bun:test";
import { askStatus, describeInBrowser, startPayment, textOf } from "../../support/browser.ts";

describeInBrowser("the dashboard", (scene) => {
  test("transactions appear as they start and change as they end, newest first, with the API's summary", async () => {
    const page = await scene.open();
    await page.getByText("No payments yet").waitFor();
    await startPayment(scene.sandbox, { amount: 10 }, "completed; after=1s");
    await startPayment(scene.sandbox, { amount: 20 }, "insufficient_funds; after=1s");
    const rows = page.locator("tbody.rows tr");
    await rows.nth(1).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/20\.00\s+pending/),
      expect.stringMatching(/10\.00\s+pending/),
    ]);
    await scene.sandbox.clock.advance("1s");
    await rows.nth(0).getByText("failed").waitFor();
    await rows.nth(1).getByText("completed").waitFor();
    await page.locator(".tiles").getByText("10.00").waitFor();
    await page.getByRole("slider", { name: "Outcomes over time: 1 completed, 1 failed" }).waitFor();
  });

  test("tiles add up to all payments, and each shows its own when it is clicked", async () => {
    const phones = {
      completed: "254700000000",
      failed: "254700000001",
      cancelled: "254700000032",
      expired: "254700000019",
    };
    for (const phone of Object.values(phones)) await startPayment(scene.sandbox, { phone }, null);
    await scene.sandbox.clock.advance("60s");
    await startPayment(scene.sandbox, { phone: "0711000001" });
    const page = await scene.open();
    await page.getByText("of 5 payments").waitFor();
    const tiles = page.locator("button.tile");
    expect(await tiles.locator("b").allInnerTexts()).toEqual(["1", "1", "1", "1", "1"]);
    for (const name of ["Failed", "Cancelled", "Expired", "Pending", "Completed"]) {
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
      const rows = page.locator("tbody.rows tr");
      await rows.nth(1).waitFor({ state: "detached" });
      await rows.first().getByText(name.toLowerCase(), { exact: true }).waitFor();
      // The others still say how many there are.
      expect(await tiles.locator("b").allInnerTexts()).toEqual(["1", "1", "1", "1", "1"]);
    }
    await page.getByRole("button", { name: /^Completed/ }).click();
    await page.locator("tbody.rows tr").nth(4).waitFor();
  });

  test("a bar of the chart tells its numbers, and shows its payments alone", async () => {
    await startPayment(scene.sandbox, { amount: 11 }, "completed; after=1s");
    await scene.sandbox.clock.advance("10s");
    await startPayment(scene.sandbox, { amount: 22 }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { amount: 33 }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open();
    const chart = page.getByRole("slider");
    await page.getByRole("slider", { name: "2 completed, 1 cancelled" }).waitFor();
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    for (let step = 0; step < 48 && !(await chart.getAttribute("aria-valuetext"))?.includes("1 cancelled"); step += 1) {
      await page.keyboard.press("ArrowLeft");
    }
    await page.locator(".reading", { hasText: "1 completed, 1 cancelled" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("tbody.rows tr", { hasText: "11.00" }).waitFor({ state: "detached" });
    expect(await page.locator("tbody.rows tr").count()).toBe(2);
    await page.getByText("of 2 payments").waitFor();
    await page.getByRole("button", { name: "Show all times" }).click();
    await page.locator("tbody.rows tr", { hasText: "11.00" }).waitFor();
  });

  test("the API's filters and search; what it refuses stands next to them", async () => {
    await startPayment(scene.sandbox, { phone: "0711000001", reference: "APPLE-1" }, "completed; after=1s");
    await startPayment(scene.sandbox, { phone: "0722000002", reference: "PEAR-2" }, "cancelled; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ viewport: { width: 1700, height: 900 }, expected: /40[04] \(/ });
    const rows = page.locator("tbody.rows tr");
    await rows.nth(1).waitFor();
    await page.getByLabel("Search").fill("pear");
    await page.getByText("0711 000 001").nth(1).waitFor({ state: "detached" });
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining("0722 000 002")]);
    await page.getByLabel("Status").selectOption("completed");
    await page.getByText("No payment fits these filters.").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await rows.nth(1).waitFor();
    await page.getByLabel("From").fill("2026-02-30");
    await page.getByText("date_from must be a day of the calendar, written YYYY-MM-DD").waitFor();
    expect(await page.getByLabel("From").getAttribute("aria-invalid")).toBe("true");
    await page.getByRole("button", { name: "Clear" }).click();
    await rows.nth(1).waitFor();
    await page.getByLabel("Id").fill("77");
    await page.locator(".filter-problem .problem").waitFor();
    expect(await rows.count()).toBe(0);
  });

  test("a row opens its whole story: request, prompt, decision, polls, answer, meaning and advice", async () => {
    await scene.sandbox.rules.add({ outcome: "wrong_pin", times: 1 }, { outcome: "insufficient_funds", after: "9s" });
    await startPayment(scene.sandbox, { reference: "FIRST" }, null);
    const id = await startPayment(scene.sandbox, { reference: "SECOND" }, null);
    await askStatus(scene.sandbox, id);
    await scene.sandbox.clock.advance("2s");
    await askStatus(scene.sandbox, id);
    await scene.sandbox.clock.advance("7s");
    // The second may race with the answer to the first.
    for (let poll = 0; poll < 3; poll += 1) await askStatus(scene.sandbox, id);

    const page = await scene.open();
    await page.locator("tbody.rows tr").first().click();
    const story = page.getByRole("region", { name: "Story of a payment" });
    await story.locator("pre", { hasText: '"reference":"SECOND"' }).waitFor();
    const text = await textOf(story);
    expect(text).toMatch(/Rule 1\s+insufficient_funds/);
    expect(text).toContain("+2 s");
    expect(text).toContain("Asked again after the answer was “failed”");
    expect(text).toContain("The balance is insufficient for the transaction.");
    expect(text).toMatch(/Start[\s\S]*Prompt[\s\S]*Decision[\s\S]*Polls[\s\S]*Outcome/);
    expect(text).toMatch(/It means\s+\S+[\s\S]*What to do\s+\S+/);
    await page.keyboard.press("Escape");
    await story.waitFor({ state: "detached" });
  });

  test("requests show as they are answered, with a client's mistakes in plain words", async () => {
    const page = await scene.open({ view: "requests" });
    await page.getByText("No requests yet").waitFor();
    const id = await startPayment(scene.sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
    await startPayment(scene.sandbox, { reference: "ORDER-1" });
    await scene.sandbox.clock.advance("1s");
    // The second may race with the answer to the first.
    for (let poll = 0; poll < 3; poll += 1) await askStatus(scene.sandbox, id);
    const rows = page.locator("tbody.rows tr");
    await rows.nth(0).getByText("ignores final").waitFor();
    for (const push of [3, 4]) await rows.nth(push).getByText("charges twice").waitFor();

    await rows.first().click();
    const call = page.getByRole("region", { name: "One request" });
    expect(await textOf(call)).toContain("the client treats it like “pending”. Stop at the first of");
    expect(await textOf(call)).toMatch(/Sent[\s\S]*checkout_request_id[\s\S]*Answer[\s\S]*"status": "failed"/);
    await call.getByRole("button", { name: "Copy as curl" }).waitFor();
  });

  test("a call that the strict form alone refuses names --accept lenient", async () => {
    const page = await scene.open({ view: "requests" });
    const { baseUrl, headers } = scene.sandbox;
    const body = JSON.stringify({ payment_account_id: "1", phone: "0712345678", amount: 100 });
    const sent = { "Content-Type": "application/json", ...headers };
    expect((await fetch(`${baseUrl}/stkpush.php`, { method: "POST", headers: sent, body })).status).toBe(400);
    await page.locator("tbody.rows tr").first().click();
    await page.getByRole("region", { name: "One request" }).getByText("momo serve --accept lenient").waitFor();
  });

  test("a test payment is made from the page; what the API refuses stands next to its field", async () => {
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    await page.getByRole("button", { name: "Test payment" }).click();
    const dialog = page.getByRole("dialog", { name: "Test payment" });
    await dialog.getByLabel("Amount, KES").fill("0.001");
    await dialog.getByLabel("Phone").fill("12");
    await dialog.getByRole("button", { name: "Send the prompt" }).click();
    const problem = (label: string) =>
      textOf(dialog.locator(".field", { has: page.getByLabel(label) }).locator(".problem"));
    await dialog.getByText(/^amount must be/).waitFor();
    expect(await problem("Phone")).toMatch(/^phone must be/);
    expect(await problem("Amount, KES")).toMatch(/^amount must be/);
    expect(await dialog.getByLabel("Amount, KES").getAttribute("aria-invalid")).toBe("true");

    await dialog.getByLabel("Amount, KES").fill("350");
    await dialog.getByLabel("Phone").fill("0722000001");
    await dialog.getByText("momo pay 0722000001 350").waitFor();
    await dialog.getByRole("button", { name: "Send the prompt" }).click();
    await page.getByRole("article", { name: "Phone 0722 000 001" }).getByText("350.00").waitFor();
  });

  test("steering: clock, default, rules, faults, webhook and reset, each with the commands that do the same", async () => {
    const page = await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ });
    const clock = page.getByRole("region", { name: "Clock" });
    const before = await textOf(clock.locator("time"));
    await clock.getByRole("button", { name: "+1 min" }).click();
    await clock.getByText("momo clock advance 1m").waitFor();
    await clock.locator("time").filter({ hasNotText: before }).waitFor();
    await clock.getByLabel("Duration").fill("soon");
    await clock.getByRole("button", { name: "Advance" }).click();
    await clock.getByText("advance: it is not a duration up to 24h").waitFor();
    await clock.getByRole("button", { name: "Resume" }).click();
    await clock.getByRole("button", { name: "Freeze" }).click();
    await clock.getByRole("button", { name: "Resume" }).waitFor();

    const fallback = page.getByRole("region", { name: "Default outcome" });
    await fallback.getByLabel("Outcome").selectOption("cancelled");
    await fallback.getByText(`"outcome":"cancelled"`).waitFor();
    await fallback.getByRole("button", { name: "Set" }).click();
    await fallback.locator(".hint", { hasText: "cancelled" }).waitFor();

    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Phone").fill("0712345678");
    await rules.getByLabel("Times").fill("none");
    await rules.getByRole("button", { name: "Add rule" }).click();
    await rules
      .locator(".field", { has: page.getByLabel("Times") })
      .locator(".problem")
      .waitFor();
    await rules.getByLabel("Times").fill("2");
    await rules.getByRole("button", { name: "Add rule" }).click();
    await rules.getByText("from 0712 345 678: insufficient_funds, 2 times").waitFor();
    await rules.getByRole("button", { name: "Remove rule 1" }).hover();
    await rules.getByText("-X DELETE").waitFor();

    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByRole("button", { name: "Add fault" }).click();
    await faults.getByText("/status.php: HTTP 503").waitFor();
    await faults.getByRole("button", { name: "Remove fault 1" }).click();
    await faults.getByText("No faults.").waitFor();

    const webhook = page.getByRole("region", { name: "Webhook" });
    await webhook.getByLabel("Address").fill("no address");
    await webhook.getByRole("button", { name: "Set" }).click();
    await webhook.locator(".field .problem").waitFor();
    await webhook.getByLabel("Address").fill("http://127.0.0.1:9/hook");
    await webhook.getByLabel("Share lost").fill("0.5");
    await webhook.getByRole("button", { name: "Set" }).click();
    await webhook.getByText("http://127.0.0.1:9/hook: payment.updated, 50 % lost").waitFor();
    await page.getByRole("link", { name: /webhook/ }).waitFor();
    await webhook.getByRole("button", { name: "Remove webhook 1" }).click();
    await webhook.getByText("None, as in the specification.").waitFor();
    await webhook.getByRole("button", { name: "Undo" }).click();
    await webhook.getByText("50 % lost").waitFor();

    const reset = page.getByRole("region", { name: "Reset" });
    await reset.getByText("momo reset").waitFor();
  });

  test("rules that somebody else sets are seen at once", async () => {
    const page = await scene.open({ view: "steering" });
    await page.getByText("None. A rule says").waitFor();
    await scene.sandbox.rules.add({ outcome: "unreachable", times: 1 });
    await page.getByText("every payment: unreachable, once").waitFor();
  });

  test("light, dark, or as the system has it; remembered", async () => {
    const page = await scene.open();
    const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: "Switch to light" }).click();
    await page.getByRole("button", { name: "Switch to dark" }).click();
    await page.getByRole("button", { name: "Switch to the system's" }).waitFor();
    expect(await ground()).not.toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Switch to the system's" }).click();
    await page.getByRole("button", { name: "Switch to light" }).waitFor();
    expect(await ground()).toBe(light);
  });
});
