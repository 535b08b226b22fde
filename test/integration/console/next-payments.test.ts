import { expect, test } from "bun:test";
import { describeInBrowser, rowsOf, startPayment } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { personAt } from "./person.ts";

const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 100 };

describeInBrowser("the next payments", (scene) => {
  test("the requests of the next payments fail, in the order in which they were added, before other faults; the row says how many are left", async () => {
    await scene.sandbox.faults.set([{ kind: "delay", delay: "1ms" }]);
    const { post, list } = createClient(scene.sandbox);
    const person = personAt(await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ }));
    const card = person.at("The next payments");
    expect(await person.page.getByRole("region").first().getAttribute("aria-label")).toBe("The next payments");
    await card.fill({ "How many": "0" });
    await card.click("Apply");
    await card.reads("How many: must be at least 1");
    await card.fill({ "How many": "2", "What happens": "request:error" });
    await card.click("Apply");
    await card.reads("The next 2 stkpush.php requests: HTTP 503");
    await card.misses("must be at least");
    expect((await post("/stkpush.php", ORDER)).status).toBe(503);
    await card.reads("The next stkpush.php request: HTTP 503");
    await card.fill({ "How many": "1", "What happens": "request:lost" });
    await card.click("Apply");
    await card.reads("The next stkpush.php request: HTTP 503 Then 1 stkpush.php request: the answer is lost");
    expect((await post("/stkpush.php", ORDER)).status).toBe(503);
    expect(await post("/stkpush.php", ORDER).catch(() => "lost")).toBe("lost");
    await card.reads("All used up: nothing more is set for the next payments.");
    expect((await post("/stkpush.php", ORDER)).status).toBe(200);
    expect(await list()).toHaveLength(2);
  });

  test("the next payments decide before all rules; another door changes them meanwhile; a double click counts once", async () => {
    const { control } = createClient(scene.sandbox);
    await scene.sandbox.rules.add({ outcome: "completed" });
    const person = personAt(await scene.open({ view: "steering", expected: /404 \(Not Found\)/ }));
    const card = person.at("The next payments");
    await person.at("Rules").reads("every payment: completed");
    await card.fill({ "How many": "2", "What happens": "wrong_pin" });
    const answered = person.page.waitForResponse((response) => response.request().method() === "POST");
    await card.click("Apply");
    await answered;
    // The second click of a double click, after the answer.
    await card.place.getByRole("button", { name: "Apply" }).dispatchEvent("click", { detail: 2 });
    await card.reads("The next 2 payments: wrong_pin");
    expect(await card.values()).toEqual(["2", "wrong_pin"]);
    await startPayment(scene.sandbox, {}, null);
    await card.reads("The next payment: wrong_pin");
    const { rules } = (await control("GET", "/rules")) as { rules: { id: number; outcome: string }[] };
    expect(rules.map(({ outcome }) => outcome)).toEqual(["wrong_pin", "completed"]);
    // The page does not know yet that its rule is gone, and that there is another one.
    const held = Promise.withResolvers<void>();
    await person.page.route("**/_momo/rules", (route) => held.promise.then(() => route.continue()));
    await control("DELETE", `/rules/${rules[0]?.id}`);
    await control("POST", "/rules", { outcome: "cancelled", match: { phone: "0711000001" } });
    await card.click("Remove “The next payment: wrong_pin”");
    await card.reads("there is no rule with the id");
    held.resolve();
    await card.misses("The next payment: wrong_pin");
    await person.at("Rules").reads("Rules 2", "from 0711 000 001: cancelled");
  });

  test("the dialog of a test payment says who will decide; with a rule it begins with what the sandbox decides", async () => {
    const person = personAt(await scene.open());
    const dialog = person.at("Test payment");
    await person.reads("Live");
    await person.press("p");
    await dialog.reads("This choice decides, before rules and test phones: manual.");
    await dialog.fill({ Phone: "0700 000 500" });
    await dialog.reads("This test phone decides: refused.");
    await dialog.fill({ Phone: "0712 345 678" });
    await dialog.reads("This choice decides, before rules and test phones: manual.");
    await person.press("Escape");
    const { control } = createClient(scene.sandbox);
    await control("POST", "/rules", { outcome: "unreachable", match: { phone: "0711000001" } });
    await person.page.getByTitle("In force: 1 rule").waitFor();
    await person.press("p");
    await dialog.reads("The default decides: completed after 3s.");
    await dialog.fill({ Phone: "0711 000 001" });
    await dialog.reads("Rule 1 decides: unreachable.");
    await dialog.fill({ Phone: "254700000032" });
    await dialog.reads("This test phone decides: cancelled.");
    await dialog.fill({ "Amount, KES": "300000" });
    await dialog.reads("The limit of the network decides: over_limit.");
    await dialog.fill({ "What the customer does": "completed" });
    await dialog.reads("This choice decides, before rules and test phones: completed.");
    await dialog.fill({ "What the customer does": "" });
    await control("POST", "/rules", { outcome: "wrong_pin", times: 1 });
    await control("POST", "/faults", { kind: "error", status: 503 });
    await dialog.reads("Rule 2 decides: wrong_pin. Faults strike only requests of clients, not this payment.");
    await dialog.click("Send the prompt");
    await rowsOf(person.page).filter({ hasText: "300,000.00" }).click();
    await person.at("Story of a payment").reads("Rule 2 decided: wrong_pin");
  });
});
