import { expect, test } from "bun:test";
import { startSandbox } from "stkpush-sandbox/testing";
import { describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { personAt } from "./person.ts";

describeInBrowser("accounts and keys", (scene) => {
  test("a new key is copied as lines of a .env file, if the browser allows it, and works", async () => {
    const page = await scene.open({ view: "keys" });
    const keys = page.getByRole("region", { name: "API keys" });
    await keys.getByLabel("Label").fill("staging");
    await keys.getByRole("button", { name: "Make key" }).click();
    const lines = await textOf(keys.locator("pre"));
    const secret = /MOMO_API_SECRET="(.+)"/.exec(lines)?.[1] ?? "";
    const row = keys.locator("tr", { hasText: "staging" });
    const key = await textOf(row.locator("code"));
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
    await keys.getByRole("button", { name: "Copy the key as" }).click();
    expect(await textOf(keys.getByText(/^(Copied|Select it and copy by hand)$/))).toBe("Select it and copy by hand");
    await page.evaluate("delete navigator.clipboard.writeText");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await keys.getByRole("button", { name: "Copy the key as" }).click();
    await keys.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `MOMO_BASE_URL="${scene.sandbox.baseUrl}"\nMOMO_API_KEY="${key}"\nMOMO_API_SECRET="${secret}"\n` +
        `MOMO_PAYMENT_ACCOUNT_ID="${scene.sandbox.paymentAccountId}"\n`,
    );
    await page.context().clearPermissions();
    await keys.getByRole("button", { name: "I have it" }).click();
    expect(await page.content()).not.toContain(secret);
    const headers = { "X-API-Key": key, "X-API-Secret": secret };
    expect((await fetch(`${scene.sandbox.baseUrl}/transactions.php`, { headers })).status).toBe(200);
  });

  test("a merchant stays chosen in other views, and its list has no payments of others", async () => {
    // Another sandbox, because a reset keeps merchants and accounts.
    const sandbox = await startSandbox();
    const { control } = createClient(sandbox);
    await control("POST", "/merchants", { name: "Corner Shop" });
    const page = await scene.open({ url: `${sandbox.controlUrl}/`, view: "keys", expected: /400 \(Bad Request\)/ });
    const go = (view: string) => page.getByRole("link", { name: view }).click();
    const merchants = page.getByRole("region", { name: "Merchants" });
    await page.getByText("Payment accounts 1").waitFor();
    await page.getByLabel("Label").fill("mine");
    await page.getByRole("button", { name: "Make key" }).click();
    await page.getByText("Copy the secret now").waitFor();
    await merchants.getByLabel("Corner Shop").check();
    await page.getByText("Payment accounts 0").waitFor();
    // A key that was made before goes with the account of its own merchant.
    await page.evaluate("navigator.clipboard.writeText = async (text) => { copied = text; }");
    await page.getByRole("button", { name: "Copy the key as" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("copied")).toEndWith(`\nMOMO_PAYMENT_ACCOUNT_ID="${sandbox.paymentAccountId}"\n`);
    // Also in a view that was open with another merchant before.
    for (const [merchant, address] of [
      ["Corner Shop", /#requests\?merchant=2$/],
      ["Demo Shop", /#requests(\?merchant=1)?$/],
    ] as const) {
      await go("Accounts & keys");
      await merchants.getByLabel(merchant).check();
      await go("Requests");
      await page.waitForURL(address);
    }
    await startPayment(sandbox);
    await go("Payments");
    await rowsOf(page).first().waitFor();
    await go("Accounts & keys");
    await merchants.getByLabel("Corner Shop").check();
    await go("Payments");
    await page.getByText("No payments yet").waitFor();
    await page.waitForURL(/#transactions\?merchant=2$/);
    // A payment of another merchant that has just started: the log of requests has it, and the list has not.
    await startPayment(sandbox, { reference: "THEIRS" });
    await go("Requests");
    await page.getByText("THEIRS").first().waitFor();
    await go("Payments");
    await page.getByText("No payments yet").waitFor();
    expect(await rowsOf(page).count()).toBe(0);
    // The lines to paste have a key that is not revoked.
    const makeKey = async () => String((await control("POST", "/keys", { merchant_id: 2, label: "theirs" })).api_key);
    const [revoked, kept] = [await makeKey(), await makeKey()];
    await control("DELETE", `/keys/${revoked}`);
    await page.evaluate(`location.hash = "start?merchant=2"`);
    await page.locator(".view pre", { hasText: kept }).first().waitFor();
    await page.goto("about:blank");
    await sandbox.stop();
  });
});

describeInBrowser("accounts", (scene) => {
  test("an account has its tariff; a key is refused from the answer to a question on; a new merchant has none of both", async () => {
    const sandbox = await startSandbox();
    const { control, list } = createClient(sandbox);
    const person = personAt(await scene.open({ url: `${sandbox.controlUrl}/`, view: "keys", expected: /40[01] \(/ }));
    const accounts = person.at("Payment accounts");
    await accounts.fill({ Name: "Desk", Tariff: "a lot" });
    await accounts.click("Add account");
    await accounts.reads('Tariff: a tariff, such as 1% or 1.5%+10; it is "a lot"');
    await accounts.fill({ Tariff: "2%+10" });
    await accounts.click("Add account");
    await accounts.reads("Payment accounts 2", "Desk 2%+10");
    const keys = person.at("API keys");
    await keys.click("Revoke …");
    await person.page.locator("dialog[open] .danger:enabled").click();
    await keys.reads("revoked");
    expect(await keys.place.getByRole("button", { name: "Revoke …" }).count()).toBe(0);
    expect(await list().catch(() => [])).toEqual([]);
    expect((await control("GET", "/keys")).keys).toMatchObject([{ revoked: true }]);
    await person.at("Merchants").fill({ Name: "<b>Corner</b> Shop" });
    await person.at("Merchants").click("Add merchant");
    await person.at("Merchants").click("<b>Corner</b> Shop");
    await person.reads("Payment accounts 0", "API keys 0");
    await accounts.fill({ Name: "Till" });
    await accounts.click("Add account");
    await accounts.reads("Till 1%");
    // A test payment goes to an account of the merchant that is chosen; a reset removes the payments of all.
    await person.press("p");
    await person.at("Test payment").click("Send the prompt");
    await person.at("Prompt from <b>Corner</b> Shop").reads("KES 1,200.00");
    await person.open("steering?merchant=2");
    await person.at("Reset").click("Reset …");
    await person.at("Reset the sandbox?").reads("1 payment", "and the payments of the other merchants");
    await person.page.goto("about:blank");
    await sandbox.stop();
  });
});

describeInBrowser("the first payment", (scene) => {
  test("the page begins with it, says what has arrived, and is the list of payments from then on", async () => {
    const page = await scene.open({ view: "" });
    const person = personAt(page);
    await person.reads("Waiting for the first payment", "curl -s ");
    for (const [language, text] of [
      ["TypeScript", "await fetch("],
      ["PHP", "<?php"],
      ["Python", "import http.client"],
    ] as const) {
      await person.click(language);
      await person.reads(text);
    }
    await createClient(scene.sandbox).post("/stkpush.php", { amount: 0 });
    await person.reads("A request has arrived, but no payment yet: POST /v2/stkpush.php, HTTP 400.");
    await startPayment(scene.sandbox, { amount: 250 }, "cancelled");
    await person.reads("A payment has arrived: KES 250.00 from 0712 345 678");
    await person.click("Its story");
    await person.at("Story of a payment").reads("KES 250.00");
    // It does not follow the filters of the list.
    await person.open("transactions?search=nobody");
    await person.reads("No payment fits these filters.");
    await person.click("Get started");
    await person.reads("A payment has arrived: KES 250.00");
    await page.goto("about:blank");
    await page.goto(`${scene.sandbox.controlUrl}/`);
    await rowsOf(page).filter({ hasText: "250.00" }).waitFor();
  });
});
