import { expect, test } from "bun:test";
import { describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { until } from "../../support/waiting.ts";
import { focused, personAt } from "./person.ts";

describeInBrowser("steering", (scene) => {
  test("rules: what is refused stands at its field; one is removed, and all are", async () => {
    const { control } = createClient(scene.sandbox);
    const inForce = async () => (await control("GET", "/rules")).rules;
    const person = personAt(await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ }));
    const rules = person.at("Rules");
    const focusIs = (name: string) =>
      until(
        () => focused(person.page),
        (found) => found === name,
      );
    await rules.fill({ Phone: "0712 345 678", Times: "none" });
    await rules.click("Add rule");
    await rules.reads("Times: a whole number, such as 3");
    await rules.place.locator("[aria-invalid]").and(rules.place.getByLabel("Times")).waitFor();
    // What is mended is wrong no more.
    await rules.fill({ Times: "2" });
    await rules.misses("a whole number");
    await rules.fill({ Amount: "5", Account: "1", Reference: " ORDER 12 ", After: "9s" });
    await rules.click("Add rule");
    await rules.reads("KES 5.00 from 0712 345 678 to account 1 for ORDER 12: insufficient_funds after 9s, 2 times");
    const match = { phone: "254712345678", amount: 5, payment_account_id: 1, reference: "ORDER 12" };
    expect(await inForce()).toMatchObject([{ match, outcome: "insufficient_funds", after: "9s", times: 2 }]);
    expect((await rules.values()).join("|")).toBe("||||insufficient_funds||");
    await control("POST", "/rules", [{ outcome: "unreachable" }, { outcome: "cancelled", match: { amount: 7 } }]);
    await rules.reads("Rules 3", "every payment: unreachable", "KES 7.00: cancelled (never reached: rule 2 decides)");
    await rules.click("Remove rule 1");
    await rules.reads("Rules 2", "The first rule that a payment matches decides how it ends.");
    await focusIs("Remove rule 2");
    expect(await inForce()).toMatchObject([{ outcome: "unreachable" }, { outcome: "cancelled" }]);
    // A changed rule stays in its place.
    await rules.click("Change rule 2");
    await focusIs("Phone");
    await rules.click("Keep rule 2");
    await rules.reads("Add rule");
    await rules.click("Change rule 2");
    await rules.fill({ Times: "3" });
    await rules.click("Save rule 2");
    await rules.reads("the next 3 payments: unreachable", "Add rule");
    await rules.misses("never reached");
    expect(await inForce()).toMatchObject([{ outcome: "unreachable", times: 3 }, { outcome: "cancelled" }]);
    // A rule that is gone leaves the form.
    await rules.click("Change rule 3");
    await rules.fill({ Times: "4" });
    await rules.click("Remove rule 3");
    await rules.reads("Rules 1", "Add rule");
    expect((await rules.values()).join("|")).toBe("||||insufficient_funds||");
    await control("POST", "/rules", { outcome: "expired" });
    await rules.click("Remove all 2");
    await rules.reads("No rules.");
    await focusIs("Phone");
    expect(await inForce()).toEqual([]);
  });

  test("faults: a new one has no operation until one is chosen; each member is sent", async () => {
    const { control } = createClient(scene.sandbox);
    const inForce = async () => (await control("GET", "/faults")).faults;
    const person = personAt(await scene.open({ view: "steering" }));
    const faults = person.at("Faults");
    await faults.click("Add fault");
    expect(await faults.place.locator("select:invalid").getAttribute("name")).toBe("path");
    await faults.fill({ Operation: "/status.php", Times: "4" });
    await faults.click("Add fault");
    await faults.reads("/status.php: HTTP 503, 4 times");
    expect((await faults.values())[0]).toBe("");
    await faults.fill({ Operation: "every", "What happens": "delay", Delay: "2s", Probability: "0.5" });
    await faults.click("Add fault");
    await faults.reads("Faults 2", "every operation: ", "50 % of requests");
    expect(await inForce()).toMatchObject([
      { path: "/status.php", kind: "error", status: 503, times: 4 },
      { kind: "delay", delay: "2s", probability: 0.5 },
    ]);
    await faults.click("Remove fault 1");
    await faults.reads("Faults 1");
    expect(await inForce()).toMatchObject([{ kind: "delay" }]);
    await faults.misses("Remove all");
    await faults.click(/^Remove fault/);
    await faults.reads("No faults.");
  });

  test("a person sees the date, and by how much the clock is ahead; sets it as he says it, freezes it, and back", async () => {
    await scene.sandbox.clock.resume();
    await scene.sandbox.reset();
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    const person = personAt(page);
    await person.reads("Live");
    const chip = page.locator(".top-bar").getByRole("button", { name: /Nairobi|frozen/ });
    expect(await textOf(chip)).toMatch(/^\d{1,2} [A-Z][a-z]+ 20\d\d\s+\d\d:\d\d:\d\d\s+Nairobi$/);
    const before = await textOf(chip);
    await until(async () => (await textOf(chip)) !== before);
    await chip.click();
    const dialog = person.at("Clock");
    await dialog.reads("There is no way back but a snapshot or a reset.");
    await dialog.click("Save a snapshot first");
    await dialog.reads(/“before-[0-9]+-[A-Z][a-z]+-20[0-9-]+” is saved\. Restore it in Steering, Snapshots\./);
    const set = async (text: string) => {
      await dialog.fill({ "Set to, or ahead by": text });
      await dialog.click("Set");
    };
    await set("1 day");
    // The next Enter does not move the clock once more.
    await until(
      () => dialog.values(),
      (values) => values.join() === "",
    );
    await chip.getByText("+1 day", { exact: true }).waitFor();
    await set("tomorrow 00:30");
    await dialog.reads(/00:30:\d\d/);
    await dialog.click("Freeze");
    await dialog.reads("frozen");
    const { control } = createClient(scene.sandbox);
    const { snapshots } = (await control("GET", "/snapshots")) as { snapshots: { name: string }[] };
    expect(snapshots).toHaveLength(1);
    await control("DELETE", `/snapshots/${snapshots[0]?.name}`);
    const nowMs = async () => Number((await control("GET", "/clock")).now_ms);
    for (const [button, ms] of [
      ["+10 s", 10_000],
      ["+1 min", 60_000],
      ["+1 day", 86_400_000],
    ] as const) {
      const fromMs = await nowMs();
      await dialog.click(button);
      await until(nowMs, (found) => found === fromMs + ms);
    }
    // What cannot be is refused at the field, once.
    for (const [typed, refusal] of [
      ["2020-01-01 00:00", "that time has passed"],
      ["noon", "not understood; type"],
      ["today 00:00", "that time has passed"],
      ["-5m", "not understood; type"],
    ] as const) {
      await set(typed);
      await dialog.reads(`Set to, or ahead by: ${refusal}`);
      expect(await dialog.place.locator(".problem").count()).toBe(1);
    }
    await dialog.click("Resume");
    await dialog.misses("frozen");
    await dialog.click("Set back …");
    await page.locator("dialog[open] .danger:enabled").click();
    await chip.getByText(/^\+/).waitFor({ state: "detached" });
  });

  test("the default is set; what differs from the start is named at the top", async () => {
    const { control } = createClient(scene.sandbox);
    const person = personAt(await scene.open({ view: "steering" }));
    const card = person.at("Default outcome");
    await card.fill({ Outcome: "cancelled", After: "9s" });
    await card.click("Set");
    await card.reads("cancelled after 9s");
    expect(await control("GET", "/default")).toMatchObject({ outcome: "cancelled", after: "9s" });
    await control("POST", "/rules", { outcome: "expired" });
    await control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1ms" }] });
    await control("PUT", "/webhook", { url: "http://127.0.0.1:9/hook" });
    await person.reads("1 rule · 1 fault · clock frozen · default cancelled after 9s · webhook");
  });

  test("a webhook is set with all its members, tried, changed, and its deliveries are sent again", async () => {
    const receiver = startReceiver((nth) => new Response("busy", { status: nth === 1 ? 200 : 503 }));
    const { control } = createClient(scene.sandbox);
    const person = personAt(await scene.open({ view: "steering", expected: /400 \(Bad Request\)/ }));
    const webhook = person.at("Webhook");
    const members = { Times: "1", Delay: "3s", "Sent before stkpush.php answers": "yes" };
    await webhook.fill({ Address: "no address", ...members });
    await webhook.click("Set");
    await webhook.reads("Address: must be");
    await webhook.fill({ Address: receiver.url });
    await webhook.click("Set");
    await webhook.reads(`Each payment that becomes final is sent to ${receiver.url}.`);
    expect(await control("GET", "/webhook")).toMatchObject({ webhook: { times: 1, delay: "3s", early: true } });
    await webhook.click("Send a test event");
    await webhook.reads(/HTTP 200 after/);
    await webhook.fill({ Form: "flat", Delay: "0s", "Sent before stkpush.php answers": "no" });
    await webhook.click("Change");
    await until(async () => ((await control("GET", "/webhook")).webhook as { form: string }).form === "flat");

    await startPayment(scene.sandbox, { reference: "APPLE-1" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    await webhook.reads(/failed 1 time \(HTTP 503\), tries again at \d\d:\d\d:\d\d/);
    expect(receiver.received[1]?.body).toMatchObject({ success: true, status: "completed" });
    await webhook.click(/failed 1 time/);
    await webhook.reads(/HTTP 503 after .*; the answer: busy/);
    await webhook.click(/^Deliver again/);
    // It stands below what it repeats, so that no button moves under the pointer.
    await webhook.reads(/repeats the delivery of \d\d:\d\d:\d\d.*APPLE-1/);
    await person.page.reload();
    await webhook.reads(/Deliveries 2 .*failed, 1 attempt.*repeats the delivery of/);
    await webhook.click("APPLE-1");
    // The open story shows an attempt when it is made.
    const story = person.at("Story of a payment");
    await story.reads("Webhook 2");
    await scene.sandbox.clock.advance("20s");
    await story.reads(/failed 3 times \(HTTP 503\)/);
    await person.open("steering");
    await webhook.click("Remove webhook");
    await webhook.reads("No webhook: clients poll, as the specification says.");
    await receiver.stop();
  });

  test("a snapshot is saved under words; the questions before a restore and a removal say what goes and what comes", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const person = personAt(await scene.open({ view: "steering" }));
    const snapshots = person.at("Snapshots");
    await snapshots.fill({ Name: " " });
    await snapshots.click("Save");
    await snapshots.reads("Name: give the snapshot a name");
    await snapshots.fill({ Name: "before the sale" });
    await snapshots.reads("It is saved as “before-the-sale”.");
    await snapshots.click("Save");
    await snapshots.reads("“before the sale” is saved as “before-the-sale”.", "before-the-sale: 1 payment, at ");
    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await scene.sandbox.rules.add({ outcome: "expired" });
    await person.at("Rules").reads("Rules 1");
    // The same name again would replace it.
    await snapshots.fill({ Name: "before the sale" });
    await snapshots.click("Replace …");
    await person.at("Replace “before-the-sale”?").reads("Lost for good: the snapshot with 1 payment");
    await person.at("Replace “before-the-sale”?").click("Cancel");
    await snapshots.click("Restore before-the-sale …");
    const question = person.at("Restore “before-the-sale”?");
    await question.reads(
      "You lose what is here now: 2 payments, 1 rule",
      "You get “before-the-sale”: 1 payment, at ",
      "Default and webhook become what they were then.",
    );
    await question.place.locator(".danger:enabled").waitFor();
    await question.click("Restore it");
    await snapshots.reads("“before-the-sale” is restored: 1 payment");
    await person.at("Rules").reads("No rules.");
    await person.click("Payments");
    await until(
      () => rowsOf(person.page).allInnerTexts(),
      (rows) => rows.length === 1 && rows.join().includes("APPLE-1"),
    );
    await person.open("steering");
    await snapshots.click("Remove before-the-sale …");
    await person.page.locator("dialog[open] .danger:enabled").click();
    await snapshots.reads("“before-the-sale” is removed.", "Snapshots 0");
  });

  test("a double click on Reset does not reset; the question names what will be lost; then all is gone", async () => {
    await startPayment(scene.sandbox);
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "transactions?status=pending" });
    const person = personAt(page);
    await rowsOf(page).first().waitFor();
    await person.click("Steering");
    const reset = person.at("Reset");
    await person.at("Rules").reads("every payment: unreachable");
    const question = person.at("Reset the sandbox?");
    // The second question takes as long as the first one until it can be answered.
    await reset.click("Reset …");
    await question.place.locator(".danger:enabled").waitFor();
    await question.click("Cancel");
    await reset.place.getByRole("button", { name: "Reset …" }).dblclick();
    await question.reads(
      "Removed: 1 payment, 1 rule, 1 logged request. Default, webhook and clock become as they are after a start. Snapshots,",
    );
    await question.place
      .locator(".danger")
      .dblclick({ force: true, timeout: 500 })
      .catch(() => {});
    await question.click("Cancel");
    expect(await scene.sandbox.requests()).toHaveLength(1);
    await person.open("transactions?search=nobody");
    await person.reads("No payment fits these filters.");
    await person.click("Steering");
    await reset.click("Reset …");
    await question.reads("Removed: 1 payment, 1 rule, 1 logged request. ");
    await question.place.locator(".danger:enabled").click();
    await reset.reads("Everything is reset. The audit keeps its findings.");
    await person.at("Rules").reads("No rules.");
    await person.at("Phones").reads("No prompt open");
    await person.click("Payments");
    await person.reads("No payment fits these filters.");
  });
});
