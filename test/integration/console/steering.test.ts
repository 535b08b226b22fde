import { expect, test } from "bun:test";
import { describeInBrowser, rowsOf, startPayment, storyOf, textOf } from "../../support/browser.ts";

describeInBrowser("steering", (scene) => {
  test("moves and freezes the clock and sets the default outcome, with the commands that do the same", async () => {
    const page = await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ });
    const clock = page.getByRole("region", { name: "Clock" });
    const before = await textOf(clock.locator("time"));
    await clock.getByRole("button", { name: "+1 min" }).click();
    await clock.getByText("The same by command").click();
    await clock.getByText("clock advance 1m --data").waitFor();
    await clock.locator("time").filter({ hasNotText: before }).waitFor();
    await clock.getByLabel("Duration").fill("soon");
    await clock.getByRole("button", { name: "Advance" }).click();
    await clock.getByText("advance is not a duration up to 24h").waitFor();
    const time = await textOf(clock.locator("time"));
    await clock.getByText("frozen", { exact: true }).waitFor();
    await clock.getByLabel("Duration").fill("1h");
    await clock.getByLabel("Duration").press("Enter");
    await clock.locator("time").filter({ hasNotText: time }).waitFor();
    const { now } = (await (await fetch(`${scene.sandbox.controlUrl}/clock`)).json()) as { now: string };
    expect(await textOf(clock.locator(".big-clock"))).toStartWith(now.slice(11));
    expect(await textOf(clock.locator(".big-clock"))).toMatch(/\s[A-Z][a-z]+day \d+ [A-Z][a-z]+, Nairobi/);
    await clock.getByRole("button", { name: "Resume" }).click();
    await clock.getByRole("button", { name: "Freeze" }).click();
    await clock.getByRole("button", { name: "Resume" }).waitFor();

    const fallback = page.getByRole("region", { name: "Default outcome" });
    await fallback.getByLabel("Outcome").selectOption("cancelled");
    await fallback.getByLabel("After").fill("9s");
    await fallback.getByText("The same by command").click();
    await fallback.getByText(`{"outcome":"cancelled","after":"9s"}`).waitFor();
    await fallback.getByRole("button", { name: "Set" }).click();
    await fallback.locator(".hint", { hasText: "cancelled after 9s." }).waitFor();
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
    await rules.getByLabel("Amount").fill("5");
    await rules.getByLabel("Account").fill("1");
    await rules.getByLabel("After").fill("9s");
    await rules.getByRole("button", { name: "Add rule" }).click();
    await rules.getByText("KES 5.00 from 0712 345 678 to account 1: insufficient_funds after 9s, 2 times").waitFor();
    await rules.locator(".problem").waitFor({ state: "detached" });
    expect(await rules.getByLabel("Phone").inputValue()).toBe("");
    await rules.getByText("The same by command").first().click();
    await rules.getByText("-X DELETE").first().waitFor();

    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByRole("button", { name: "Add fault" }).click();
    await faults.getByText("/status.php: HTTP 503").waitFor();
    await faults.getByLabel("Operation").selectOption("any");
    await faults.getByLabel("What happens").selectOption("a delay");
    expect(await faults.getByLabel("HTTP status").count()).toBe(0);
    await faults.getByLabel("Delay").fill("2s");
    await faults.getByLabel("Probability").fill("0.5");
    await faults.getByLabel("Times").fill("3");
    await faults.getByLabel("Seed").fill("77");
    await faults.getByRole("button", { name: "Add fault" }).click();
    await faults.getByText("every operation: 2s late, 50 % of requests, 3 times").waitFor();
    await faults.getByText("Seed 77", { exact: true }).waitFor();
    await faults.getByRole("button", { name: "Remove fault 1" }).click();
    await faults.getByText("/status.php: HTTP 503").waitFor({ state: "detached" });
    await faults.getByText("Seed 77", { exact: true }).waitFor();
    await faults.getByRole("button", { name: "Undo" }).click();
    await faults.getByText("/status.php: HTTP 503").waitFor();
    await faults.getByRole("button", { name: "Remove all 2" }).click();
    await faults.getByText("2 faults removed.").waitFor();
    await faults.getByText("No faults.").waitFor();

    const webhook = page.getByRole("region", { name: "Webhook" });
    await webhook.getByLabel("Address").fill("no address");
    await webhook.getByRole("button", { name: "Set" }).click();
    await webhook.locator(".field .problem").waitFor();
    await webhook.getByLabel("Address").fill("http://127.0.0.1:9/hook");
    await webhook.getByLabel("Times").fill("2");
    await webhook.getByLabel("Delay").fill("3s");
    await webhook.getByLabel("Before the start's answer").selectOption("yes");
    await webhook.getByRole("button", { name: "Set" }).click();
    await webhook.getByText("is sent to http://127.0.0.1:9/hook.").waitFor();
    await webhook.getByRole("button", { name: "Remove webhook" }).click();
    await webhook.getByText("None, as in the specification.").waitFor();
    await webhook.getByRole("button", { name: "Undo" }).click();
    await webhook.getByRole("button", { name: "Change" }).waitFor();
    const fields = ["Times", "Delay", "Before the start's answer", "Form"];
    const values = fields.map((label) => webhook.getByLabel(label, { exact: true }).inputValue());
    expect(await Promise.all(values)).toEqual(["2", "3s", "yes", "payment.updated"]);
  });

  test("a webhook is changed in place, tried, and its deliveries are listed and sent again", async () => {
    const received: string[] = [];
    const receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        received.push(await request.text());
        return new Response("busy", { status: received.length === 1 ? 200 : 503 });
      },
    });
    await scene.sandbox.webhook.set({ url: `http://127.0.0.1:${receiver.port}/hook`, times: 1 });
    const page = await scene.open({ view: "steering" });
    const webhook = page.getByRole("region", { name: "Webhook" });
    await webhook.getByRole("button", { name: "Send a test event" }).click();
    await webhook.getByText(/HTTP 200 after/).waitFor();
    await webhook.getByLabel("Form").selectOption("flat");
    await webhook.getByRole("button", { name: "Change" }).click();

    await startPayment(scene.sandbox, { reference: "APPLE-1" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    await webhook.getByText(/waiting until \d\d:\d\d:\d\d, 1 attempt: .*503/).waitFor();
    expect(JSON.parse(received[1] ?? "")).toMatchObject({ success: true, status: "completed" });
    await webhook.locator(".delivery summary").click();
    await webhook.getByText(/HTTP 503 after/).waitFor();
    await webhook.getByRole("button", { name: /^Send delivery/ }).click();
    await webhook.getByText("sent again after").waitFor();
    // The newest is the first, also when the page is loaded.
    const states = () => webhook.locator(".delivery summary").allInnerTexts();
    expect(await states()).toEqual([expect.stringMatching(/after [0-9]+$/), expect.stringMatching(/delivered$/)]);
    await page.reload();
    await webhook.getByText("sent again after").waitFor();
    expect(await states()).toEqual([expect.stringMatching(/after [0-9]+$/), expect.stringMatching(/delivered$/)]);
    await webhook.getByRole("link", { name: "APPLE-1" }).first().click();
    // The open story shows an attempt when it is made.
    await storyOf(page).getByText("APPLE-1", { exact: true }).first().waitFor();
    await scene.sandbox.clock.advance("20s");
    await storyOf(page)
      .getByText(/3 attempts: .*503/)
      .first()
      .waitFor();
    await receiver.stop(true);
  });

  test("a snapshot is saved, restored after a question that names the loss, and removed", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const page = await scene.open({ view: "steering" });
    const snapshots = page.getByRole("region", { name: "Snapshots" });
    expect(await snapshots.getByText("The same by command").count()).toBe(0);
    await snapshots.getByLabel("Name").fill("prepared");
    await snapshots.getByText("The same by command").click();
    await snapshots.getByText("snapshot save prepared").waitFor();
    await snapshots.getByRole("button", { name: "Save" }).click();
    await snapshots.getByText(/: 1 payment, at \d\d:\d\d:\d\d, frozen$/).waitFor();

    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await snapshots.getByRole("button", { name: "Restore prepared" }).click();
    const question = page.getByRole("dialog", { name: "Restore “prepared”?" });
    await question.getByText("Lost for good: 2 payments").waitFor();
    await question.getByText(/Back come 1 payment, and the time \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.$/).waitFor();
    await question.getByRole("button", { name: "Restore it" }).click();
    await question.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByText("of 1 payment", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Steering" }).click();
    await snapshots.getByRole("button", { name: "Remove prepared" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
    await snapshots.getByText("prepared", { exact: true }).waitFor({ state: "detached" });
  });

  test("a space within a typed text stays, in a rule and in a search", async () => {
    const page = await scene.open({ view: "steering" });
    const rules = page.getByRole("region", { name: "Rules" });
    // Those around it are not sent.
    await rules.getByLabel("Reference").pressSequentially(" ORDER 12 ");
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
    // Long before the offer ends by itself.
    await rules.getByText("3 rules appended").waitFor({ state: "detached", timeout: 10_000 });
    await rules.getByRole("button", { name: "Remove rule 1" }).click();
    await rules.getByText("Rule 1 removed.").waitFor();
    await rules.getByRole("button", { name: "Undo" }).click();
    await rules.getByText("every payment: unreachable").waitFor();
    await rules.getByRole("button", { name: "Busy, then reached" }).click();
    await rules.getByRole("button", { name: "Remove rule 2" }).waitFor();
    const commands = await rules.locator(".commands").count();
    await rules.getByRole("button", { name: "Remove rule 2" }).click();
    await rules.getByText("Rule 2 removed.").waitFor();
    expect(await rules.locator(".commands").count()).toBe(commands);
  });

  test("the top bar shows at once what another client has set, and links to it", async () => {
    const page = await scene.open();
    await page.getByText("No payments yet").waitFor();
    await scene.sandbox.rules.add({ outcome: "cancelled", times: 2 }, { outcome: "expired" });
    await scene.sandbox.faults.set([{ kind: "delay", delay: "1s" }]);
    await scene.sandbox.webhook.set({ url: "http://127.0.0.1:9/hook" });
    const inForce = page.getByRole("link", { name: "2 rules · 1 fault · clock frozen · webhook" });
    await inForce.waitFor();
    // No word of the bar is broken, although they have no room beside each other.
    const lines = await page
      .locator(".brand, .clock-chip time")
      .evaluateAll((all) => all.map((one) => one.clientHeight));
    expect(Math.max(...lines)).toBeLessThan(40);
    await inForce.click();
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: cancelled, 2 times").waitFor();
  });

  test("a double click on Reset does not reset; the question names what will be lost", async () => {
    await startPayment(scene.sandbox);
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "transactions?status=pending" });
    await rowsOf(page).first().waitFor();
    await page.getByRole("link", { name: "Steering" }).click();
    const reset = page.getByRole("region", { name: "Reset" });
    await reset.getByText("The same by command").waitFor();
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: unreachable").waitFor();
    await reset.getByRole("button", { name: "Reset …" }).dblclick();
    const question = page.getByRole("dialog", { name: "Forget it all?" });
    await question
      .getByText("Lost for good: 1 payment, 1 rule, 1 logged request, and the payments that the filters hide.")
      .waitFor();
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
