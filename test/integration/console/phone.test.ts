import { expect, test } from "bun:test";
import { askStatus, describeInBrowser, startPayment, storyOf, textOf } from "../../support/browser.ts";
import { until } from "../../support/waiting.ts";

const JSON_CONTENT = { "Content-Type": "application/json" };

describeInBrowser("the phone", (scene) => {
  test("shows the prompt of the API; a PIN from the keyboard pays, and the receipt arrives", async () => {
    const page = await scene.open();
    await page.getByText("Live", { exact: true }).waitFor();
    const id = await startPayment(scene.sandbox, { amount: 1200, reference: "ORDER-7", description: "Two coffees" });
    const prompt = page.getByRole("form", { name: "Prompt from Demo Shop" });
    expect(await textOf(prompt)).toMatch(/1,200\.00[\s\S]*ORDER-7[\s\S]*Two coffees/);

    await page.keyboard.type("1234");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Paid", exact: true }).waitFor();
    const thread = page.getByRole("region", { name: "Messages" });
    expect(await textOf(thread)).toMatch(/Confirmed\. Ksh1,200\.00 sent to Demo Shop for account ORDER-7/);
    expect(await askStatus(scene.sandbox, id)).toBe("completed");
    await page.locator("tr", { hasText: "1,200.00" }).getByText("completed").waitFor();
    await page.getByRole("button", { name: "OK", exact: true }).click();
    await page.getByRole("heading", { name: "Paid", exact: true }).waitFor({ state: "detached" });

    // The page loads the texts of all phones, and then those of this phone: each is shown once.
    const [loaded] = await Promise.all([page.waitForResponse(/\/messages\?phone=/), page.reload()]);
    await loaded.finished();
    await scene.sandbox.clock.advance("60s");
    await startPayment(scene.sandbox, { amount: 55 }, "completed; after=0s");
    await thread.getByText("Ksh55.00").waitFor();
    const [newest, older, ...others] = await thread.getByRole("listitem").allInnerTexts();
    expect(newest).toMatch(/^momo\s+\d\d:\d\d\s[\s\S]*Ksh55\.00/);
    expect(older).toContain("Ksh1,200.00");
    expect(others).toEqual([]);
    await scene.sandbox.reset();
    await thread.getByRole("listitem").first().waitFor({ state: "detached" });
  });

  test("a PIN that is too short is refused beside the field; a wrong one from the keypad fails the payment", async () => {
    const id = await startPayment(scene.sandbox);
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    const pin = page.getByLabel("Enter PIN");
    await pin.fill("12");
    await page.keyboard.press("Enter");
    await page.getByText("pin must be a string of 4 to 6 digits").waitFor();
    expect(await pin.getAttribute("aria-invalid")).toBe("true");
    // What is typed next replaces it.
    await page.keyboard.type("98");
    expect(await pin.inputValue()).toBe("98");
    for (let digit = 0; digit < 2; digit += 1) await page.getByRole("button", { name: "Delete a digit" }).click();
    for (const digit of ["0", "0", "0", "0"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("The PIN was wrong.").waitFor();
    expect(await askStatus(scene.sandbox, id)).toBe("failed");
  });

  test("two prompts of one phone are shown one after the other; Escape and Cancel cancel them", async () => {
    const ids = [
      await startPayment(scene.sandbox, { amount: 11 }),
      await startPayment(scene.sandbox, { amount: 22 }),
    ] as const;
    const page = await scene.open();
    await page.getByText("1 more waiting").waitFor();
    expect(await textOf(page.getByRole("form"))).toContain("11.00");
    await page.getByLabel("Enter PIN").focus();
    await page.keyboard.press("Escape");
    await page.getByRole("form").getByText("22.00").waitFor();
    expect(await askStatus(scene.sandbox, ids[0])).toBe("cancelled");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("heading", { name: "Cancelled", exact: true }).waitFor();
    expect(await askStatus(scene.sandbox, ids[1])).toBe("cancelled");
  });

  test("the countdown follows the sandbox's clock until the end", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open();
    await page.getByRole("timer", { name: "Expires in 1:00; the clock is frozen" }).waitFor();
    await scene.sandbox.clock.advance("48s");
    await page.getByRole("timer", { name: "Expires in 0:12" }).waitFor();
    await scene.sandbox.clock.advance("12s");
    await page.getByRole("heading", { name: "Too late", exact: true }).waitFor();
  });

  test("of several phones with a prompt one is on the handset and the others are chips; nothing moves", async () => {
    const page = await scene.open({ viewport: { width: 1500, height: 900 } });
    await page.getByText("Live", { exact: true }).waitFor();
    const first = await startPayment(scene.sandbox, { phone: "0711000001" });
    for (const phone of ["0711000002", "0711000003"]) await startPayment(scene.sandbox, { phone });
    const phoneOf = (number: string) => page.getByRole("article", { name: `Phone ${number}` });
    await phoneOf("0711 000 001").getByLabel("Enter PIN").waitFor();
    await page.getByRole("button", { name: "0711 000 002 rings: KES 100.00" }).waitFor();
    const places = async () => [
      await page.locator(".handset").boundingBox(),
      await page.locator(".dashboard").boundingBox(),
    ];
    const before = await places();
    // The end of a prompt stays visible for a moment, although other phones have one.
    await scene.sandbox.answer(first, { pin: "1234" });
    await phoneOf("0711 000 001").getByText("KES 100.00 went to Demo Shop.").waitFor();
    await page.getByRole("button", { name: "0711 000 003 rings" }).click();
    await phoneOf("0711 000 003").getByLabel("Enter PIN").fill("1234");
    await phoneOf("0711 000 003").getByLabel("Enter PIN").press("Enter");
    await phoneOf("0711 000 003").getByText("KES 100.00 went to Demo Shop.").waitFor();
    await page.getByRole("button", { name: "0711 000 002 rings" }).waitFor();
    expect(await places()).toEqual(before);
  });

  test("shows the end of a prompt, although a list without it came before the event of its end", async () => {
    const page = await scene.open();
    await page.getByText("Live", { exact: true }).waitFor();
    const first = await startPayment(scene.sandbox, { phone: "0711000001" });
    const phone = page.getByRole("article", { name: "Phone 0711 000 001" });
    await phone.getByLabel("Enter PIN").waitFor();
    const list = "**/_momo/prompts";
    await page.route(list, (route) => route.fulfill({ json: { success: true, message: "", prompts: [] } }));
    const listed = page.waitForResponse(list);
    await startPayment(scene.sandbox, { phone: "0711000002" });
    await (await listed).finished();
    await page.unroute(list);
    await scene.sandbox.answer(first, { pin: "1234" });
    await phone.getByText("KES 100.00 went to Demo Shop.").waitFor();
  });

  test("says what decides the prompt, and which ends a person can choose", async () => {
    await scene.sandbox.rules.add({ outcome: "unreachable", after: "9s" });
    await startPayment(scene.sandbox, {}, null);
    const page = await scene.open();
    const phone = page.getByRole("article", { name: "Phone 0712 345 678" });
    await phone.getByText("Rule 1 decides: unreachable in 9 s.").waitFor();
    await phone.getByText("Any PIN pays; 0000 is the wrong PIN.").waitFor();
    const ends = await phone.getByLabel("How the prompt ends").locator("option").allInnerTexts();
    expect(ends.map((text) => text.split(" ")[0])).toEqual(
      expect.arrayContaining(["insufficient_funds", "wrong_pin", "pin_locked", "unreachable", "cancelled", "expired"]),
    );
    expect(ends.join()).not.toMatch(/silent|manual|refused/);
  });

  test.each([
    ["0712345678", 100, "manual", "Its request decides: manual, so it waits for you."],
    ["0700000001", 100, null, "This test phone decides: insufficient_funds in 3 s."],
    ["0712345678", 999_999, null, "The network's limit decides: over_limit in 3 s."],
  ])("a prompt on %s of KES %d with the header %p: %s", async (phone, amount, header, words) => {
    await startPayment(scene.sandbox, { phone, amount }, header);
    const page = await scene.open();
    await page.getByText(words).waitFor();
  });

  test("a switch lets the next prompts wait for the person, and brings back the default of before", async () => {
    const body = JSON.stringify({ outcome: "cancelled", after: "7s" });
    await fetch(`${scene.sandbox.controlUrl}/default`, { method: "PUT", headers: JSON_CONTENT, body });
    const page = await scene.open();
    const says = (words: string) => page.locator(".by-hand").getByText(words, { exact: true }).waitFor();
    await says("The default decides: cancelled after 7s.");
    await page.getByText("I answer the next prompts").click();
    await says("The default decides: they wait for you.");
    await startPayment(scene.sandbox, {}, null);
    await page.getByText("The default decides: manual, so it waits for you.").waitFor();
    await page.getByText("I answer the next prompts").click();
    await says("The default decides: cancelled after 7s.");
    await scene.sandbox.rules.add({ match: { phone: "0711000001" }, outcome: "expired" });
    await says("If no rule fits, the default decides: cancelled after 7s.");
    await scene.sandbox.rules.add({ outcome: "wrong_pin", times: 3 }, { outcome: "unreachable", after: "9s" });
    await says("Rule 3 decides: unreachable after 9s.");
  });

  test("beside the handset are four phones with what they show, and the number of the others", async () => {
    const page = await scene.open();
    await page.getByText("Live", { exact: true }).waitFor();
    const phones = page.getByRole("region", { name: "Phones" });
    const start = (phone: number) => startPayment(scene.sandbox, { phone: `071100000${phone}` });
    const ids = await Promise.all([1, 2, 3, 4, 5].map(start));
    await phones.getByText("5 prompts open").waitFor();
    const shown = await page.locator(".handset").getAttribute("data-phone");
    const other = [1, 2, 3, 4, 5].find((phone) => `25471100000${phone}` !== shown) ?? 0;
    await scene.sandbox.answer(ids[other - 1] ?? "", { outcome: "cancelled" });
    await phones.getByRole("button", { name: `0711 000 00${other} Cancelled` }).waitFor();
    expect(await phones.getByText(/^and/).count()).toBe(0);
    await start(6);
    await phones.getByRole("button", { name: "0711 000 006 rings: KES 100.00" }).waitFor();
    await phones.getByText("and 1 more", { exact: true }).waitFor();
    await scene.sandbox.reset();
    await page.locator(".other-phones button").first().waitFor({ state: "detached" });
  });

  test("the title of the tab counts the prompts, after the name of the sandbox; the phone can be hidden", async () => {
    const page = await scene.open();
    const host = new URL(scene.sandbox.baseUrl).host;
    const hasTitle = (title: string) =>
      until(
        () => page.title(),
        (found) => found === title,
      );
    await hasTitle(`${host} · momo`);
    await startPayment(scene.sandbox);
    await hasTitle(`1 prompt · ${host} · momo`);
    for (let more = 0; more < 8; more += 1) await startPayment(scene.sandbox);
    await hasTitle(`9 prompts · ${host} · momo`);
    await startPayment(scene.sandbox);
    await hasTitle(`9+ prompts · ${host} · momo`);
    const phones = page.getByRole("region", { name: "Phones" });
    await phones.waitFor();
    await page.getByRole("button", { name: "Hide the phone" }).click();
    await phones.waitFor({ state: "hidden" });
    await page.reload();
    await page.getByRole("button", { name: "Show the phone: 10 prompts open" }).click();
    await phones.getByLabel("Enter PIN").waitFor();
  });

  test("a hidden tab gets one notification for each prompt that begins to ring, if the browser allows it", async () => {
    const page = await scene.open();
    await page.getByText("No payments yet").waitFor();
    await page.evaluate(`told = [];
      Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
      Notification = class {
        static get permission() { return granted; }
        constructor(title, { body, tag }) { told.push([title, body, tag]); }
      };`);
    const cases = [
      ["granted", true],
      ["granted", true],
      ["granted", false],
      ["denied", true],
    ] as const;
    for (const [count, [permission, isHidden]] of cases.entries()) {
      await page.evaluate(`granted = "${permission}"; isHidden = ${isHidden};`);
      await startPayment(scene.sandbox, { phone: `071100000${count + 1}`, amount: 1200 });
      await until(
        () => page.title(),
        (title) => title.startsWith(`${count + 1} prompt`),
      );
    }
    expect(await page.evaluate("told")).toEqual([
      ["0711 000 001 rings", "Demo Shop asks for KES 1,200.00", "momo"],
      ["0711 000 002 rings, and 1 more", "Demo Shop asks for KES 1,200.00", "momo"],
    ]);
  });

  test("shows hostile text as text", async () => {
    const reference = '<img src=x onerror="document.title=1">';
    const description = "<script>document.title = 2</script> \u202e\u200b&amp; {{1}}";
    const id = await startPayment(scene.sandbox, { reference, description });
    const page = await scene.open({ view: `transactions/${id}` });
    await page.getByRole("form").getByText(reference).waitFor();
    await storyOf(page).getByText(reference, { exact: true }).first().waitFor();
    expect(await page.locator("img, #console script").count()).toBe(0);
    expect(await page.title()).toEndWith(" · momo");
  });
});
