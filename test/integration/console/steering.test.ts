import { expect, test } from "bun:test";
import { describeInBrowser, startPayment, textOf } from "../../support/browser.ts";

describeInBrowser("steering", (scene) => {
  test("moves and freezes the clock and sets the default outcome, with the commands that do the same", async () => {
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
  });

  test("adds and removes rules, faults and a webhook", async () => {
    const page = await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ });
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
    await webhook.getByLabel("Times").fill("2");
    await webhook.getByRole("button", { name: "Set" }).click();
    await webhook.getByText("http://127.0.0.1:9/hook: payment.updated, 2 times each").waitFor();
    await webhook.getByRole("button", { name: "Remove webhook 1" }).click();
    await webhook.getByText("None, as in the specification.").waitFor();
    await webhook.getByRole("button", { name: "Undo" }).click();
    await webhook.getByText("2 times each").waitFor();
  });

  test("a space within a typed text stays, in a rule and in a search", async () => {
    const page = await scene.open({ view: "steering" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Reference").pressSequentially("ORDER 12");
    await rules.getByRole("button", { name: "Add rule" }).click();
    await rules.getByText("for ORDER 12: insufficient_funds").waitFor();

    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByLabel("Search").pressSequentially("ORDER 12");
    expect(await page.getByLabel("Search").inputValue()).toBe("ORDER 12");
  });

  test("presets are appended and can be undone; a rule that is never reached has a warning", async () => {
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "steering" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByText("every payment: unreachable").waitFor();
    await rules.getByRole("button", { name: "Fails twice, then succeeds" }).click();
    await rules.getByText("3 rules appended").waitFor();
    await rules.getByText("never reached: rule 1 matches all its payments").nth(2).waitFor();
    await rules.getByRole("button", { name: "Undo" }).click();
    await rules.getByText("never reached").first().waitFor({ state: "detached" });
    await rules.getByRole("button", { name: "Remove rule 1" }).click();
    await rules.getByText("Rule 1 removed.").waitFor();
    await rules.getByRole("button", { name: "Undo" }).click();
    await rules.getByText("every payment: unreachable").waitFor();
  });

  test("the top bar shows at once what another client has set, and links to it", async () => {
    const page = await scene.open();
    await page.getByText("No payments yet").waitFor();
    await scene.sandbox.rules.add({ outcome: "cancelled", times: 2 }, { outcome: "expired" });
    await scene.sandbox.faults.set([{ kind: "delay", delay: "1s" }]);
    await page.getByRole("link", { name: "2 rules · 1 fault · clock frozen" }).click();
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: cancelled, 2 times").waitFor();
  });

  test("a double click on Reset does not reset; the question names what will be lost", async () => {
    await startPayment(scene.sandbox);
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "steering" });
    const reset = page.getByRole("region", { name: "Reset" });
    await reset.getByText("momo reset").waitFor();
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: unreachable").waitFor();
    await reset.getByRole("button", { name: "Reset …" }).dblclick();
    const question = page.getByRole("dialog", { name: "Forget it all?" });
    await question.getByText("Lost for good: 1 payment, 1 rule, 1 logged request.").waitFor();
    await question
      .locator(".danger")
      .dblclick({ force: true, timeout: 500 })
      .catch(() => {});
    await question.getByRole("button", { name: "Keep everything" }).click();
    expect(await scene.sandbox.requests()).toHaveLength(1);
  });

  test("the colours are light, dark or those of the system, and are remembered", async () => {
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
