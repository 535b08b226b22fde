import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInBrowser, startPayment, storyOf } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";

/** What a person sets for the payments to come, and reads of them. */

const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 100 };

const cardOf = (page: Page) => page.getByRole("region", { name: "The next payments" });

/** Sets it in one row. */
async function apply(page: Page, count: number, choice: string | RegExp): Promise<void> {
  const happens = cardOf(page).getByLabel("What happens");
  await cardOf(page).getByLabel("How many").fill(String(count));
  const value = await happens.locator("option", { hasText: choice }).getAttribute("value");
  await happens.selectOption(value);
  await cardOf(page).getByRole("button", { name: "Apply" }).click();
}

describeInBrowser("the next payments", (scene) => {
  test("their requests fail, whatever faults were there before; the row says how many are left", async () => {
    await scene.sandbox.faults.set([{ kind: "delay", delay: "1ms" }]);
    const { post, list } = createClient(scene.sandbox);
    const page = await scene.open({ view: "steering" });
    expect(await page.getByRole("region").first().getAttribute("aria-label")).toBe("The next payments");
    await apply(page, 2, "the request gets HTTP 503");
    await cardOf(page).getByText("The next 2 requests: HTTP 503", { exact: true }).waitFor();
    expect((await post("/stkpush.php", ORDER)).status).toBe(503);
    await cardOf(page).getByText("The next request: HTTP 503", { exact: true }).waitFor();
    await apply(page, 1, "the answer is lost");
    await cardOf(page).getByText("The next request: the answer is lost", { exact: true }).waitFor();
    expect(await cardOf(page).getByRole("listitem").allInnerTexts()).toEqual([
      "The next request: the answer is lost",
      "Then 1 request: HTTP 503",
    ]);
    expect(await post("/stkpush.php", ORDER).catch(() => "lost")).toBe("lost");
    expect((await post("/stkpush.php", ORDER)).status).toBe(503);
    await cardOf(page).getByRole("list").waitFor({ state: "detached" });
    expect((await post("/stkpush.php", ORDER)).status).toBe(200);
    expect(await list()).toHaveLength(2);
  });

  test("an outcome decides before all rules; another door changes them meanwhile", async () => {
    await scene.sandbox.rules.add({ outcome: "completed" });
    const page = await scene.open({ view: "steering", expected: /404 \(Not Found\)/ });
    await page.getByText("every payment: completed").waitFor();
    await apply(page, 2, /^wrong_pin/);
    await cardOf(page).getByText("The next 2 payments: wrong_pin", { exact: true }).waitFor();
    await startPayment(scene.sandbox, {}, null);
    await cardOf(page).getByText("The next payment: wrong_pin", { exact: true }).waitFor();
    const { control } = createClient(scene.sandbox);
    const { rules } = (await control("GET", "/rules")) as { rules: { id: number; outcome: string }[] };
    expect(rules.map(({ outcome }) => outcome)).toEqual(["wrong_pin", "completed"]);

    // The page does not know yet that its rule is gone, and that there is another one.
    const held = Promise.withResolvers<void>();
    await page.route("**/_momo/rules", async (route) => {
      await held.promise;
      await route.continue();
    });
    await control("DELETE", `/rules/${rules[0]?.id}`);
    await control("POST", "/rules", { outcome: "cancelled", match: { phone: "0711000001" } });
    await cardOf(page).getByRole("button", { name: "Remove: The next payment: wrong_pin" }).click();
    await cardOf(page).getByRole("alert").getByText("there is no rule with the id").waitFor();
    held.resolve();
    await cardOf(page).getByRole("list").waitFor({ state: "detached" });
    await page.getByText("from 0711 000 001: cancelled").waitFor();
    await apply(page, 1, /^unreachable/);
    await cardOf(page).getByText("The next payment: unreachable", { exact: true }).waitFor();
    await cardOf(page).getByRole("button", { name: "Remove: The next payment: unreachable" }).click();
    await cardOf(page).getByRole("list").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Rules 2", exact: true }).waitFor();
  });

  test("a double click sets it once, and the choice stays in the row", async () => {
    const page = await scene.open({ view: "steering" });
    await apply(page, 4, /^wrong_pin/);
    await cardOf(page).getByText("The next 4 payments: wrong_pin", { exact: true }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") asked.push(request.url());
    });
    const button = cardOf(page).getByRole("button", { name: "Apply" });
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await button.click();
    await answered;
    // The second click of a double click, after the answer.
    await button.dispatchEvent("click", { detail: 2 });
    expect(await cardOf(page).getByLabel("How many").inputValue()).toBe("4");
    expect(await cardOf(page).getByLabel("What happens").inputValue()).toBe("wrong_pin");
    await apply(page, 1, /^unreachable/);
    await cardOf(page).getByText("The next payment: unreachable", { exact: true }).waitFor();
    expect(asked).toHaveLength(2);
  });

  test("a number that is none is refused at its field; a new fault has no operation until one is chosen", async () => {
    const page = await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ });
    await apply(page, 0, /^wrong_pin/);
    await cardOf(page)
      .locator(".field", { hasText: "How many" })
      .getByText(/^must be/)
      .waitFor();
    expect(await page.getByText(/^must be/).count()).toBe(1);
    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByRole("button", { name: "Add fault" }).click();
    expect(await faults.locator("select:invalid").getAttribute("name")).toBe("path");
    await faults.getByLabel("Operation").selectOption("every operation");
    await faults.getByRole("button", { name: "Add fault" }).click();
    await faults.getByText("every operation: HTTP 503").waitFor();
    expect(await faults.getByLabel("Operation").inputValue()).toBe("");
  });

  test("the dialog of a test payment says who will decide; with a rule it begins with what the sandbox decides", async () => {
    const page = await scene.open();
    await page.getByText("Live", { exact: true }).waitFor();
    const dialog = page.getByRole("dialog", { name: "Test payment" });
    const customer = dialog.getByLabel("What the customer does");
    const says = (text: string) => dialog.getByRole("status").getByText(text, { exact: true }).waitFor();
    await page.keyboard.press("p");
    await says("Your choice decides, before rules and test phones: manual.");
    await page.keyboard.press("Escape");

    const { control } = createClient(scene.sandbox);
    await control("POST", "/rules", { outcome: "unreachable", match: { phone: "0711000001" } });
    await page.getByTitle("In force: 1 rule").waitFor();
    await page.keyboard.press("p");
    expect(await customer.locator("option:checked").textContent()).toBe("as rules, test phones and the default say");
    await says("The default decides: completed after 3s.");
    await dialog.getByLabel("Phone").fill("0711 000 001");
    await says("Rule 1 decides: unreachable.");
    await dialog.getByLabel("Phone").fill("254700000032");
    await says("This test phone decides: cancelled.");
    await dialog.getByLabel("Amount").fill("300000");
    await says("The limit of the network decides: over_limit.");
    await customer.selectOption("completed");
    await says("Your choice decides, before rules and test phones: completed.");
    await customer.selectOption("");
    await control("POST", "/rules", { outcome: "wrong_pin", times: 1 });
    await says("Rule 2 decides: wrong_pin.");
    await control("POST", "/faults", { kind: "error", status: 503 });
    await says("Rule 2 decides: wrong_pin. Faults strike only requests of clients, not this payment.");
    await dialog.getByRole("button", { name: "Send the prompt" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("row").filter({ hasText: "300,000.00" }).click();
    await storyOf(page)
      .getByText(/Rule 2 decided: wrong_pin/)
      .waitFor();
  });
});
