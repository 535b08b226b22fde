import { expect, test } from "bun:test";
import { askStatus, describeInBrowser, startPayment, textOf } from "../../support/browser.ts";

describeInBrowser("the phone", (scene) => {
  test("a payment made by the API rings, and is paid by keyboard alone; the receipt arrives", async () => {
    const page = await scene.open();
    await page.getByText("Live", { exact: true }).waitFor();
    const id = await startPayment(scene.sandbox, { amount: 1200, reference: "ORDER-7", description: "Two coffees" });
    const prompt = page.getByRole("form", { name: "Prompt from Demo Shop" });
    await prompt.waitFor();
    expect(await textOf(prompt)).toMatch(/1,200\.00[\s\S]*ORDER-7[\s\S]*Two coffees/);

    await page.keyboard.type("1234");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Paid", exact: true }).waitFor();
    const thread = page.getByRole("region", { name: "Messages" });
    expect(await textOf(thread)).toMatch(/Confirmed\. Ksh1,200\.00 sent to Demo Shop for account ORDER-7/);
    expect(await askStatus(scene.sandbox, id)).toBe("completed");
    await page.locator("tr", { hasText: "1,200.00" }).getByText("completed").waitFor();
  });

  test("a wrong PIN fails the payment, and the phone says so", async () => {
    const id = await startPayment(scene.sandbox);
    const page = await scene.open();
    for (const digit of ["0", "0", "0", "0"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("The PIN was wrong.").waitFor();
    expect(await askStatus(scene.sandbox, id)).toBe("failed");
  });

  test("a PIN that is none is refused next to the field, in the API's words", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    await page.getByLabel("Enter PIN").fill("12");
    await page.keyboard.press("Enter");
    await page.getByText("pin: must be a string of 4 to 6 digits").waitFor();
    expect(await page.getByLabel("Enter PIN").getAttribute("aria-invalid")).toBe("true");
  });

  test("Escape cancels", async () => {
    const id = await startPayment(scene.sandbox);
    const page = await scene.open();
    await page.getByLabel("Enter PIN").focus();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Cancelled", exact: true }).waitFor();
    expect(await askStatus(scene.sandbox, id)).toBe("cancelled");
  });

  test("the countdown follows the sandbox's clock, to the end", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open();
    await page.getByRole("timer", { name: "Expires in 1:00; the clock is frozen" }).waitFor();
    await scene.sandbox.clock.advance("48s");
    await page.getByRole("timer", { name: "Expires in 0:12" }).waitFor();
    await scene.sandbox.clock.advance("12s");
    await page.getByRole("heading", { name: "Too late", exact: true }).waitFor();
  });

  test("several numbers ring: one at hand, the others as chips with what they do, each in its place", async () => {
    const page = await scene.open({ viewport: { width: 1500, height: 900 } });
    await page.getByText("Live", { exact: true }).waitFor();
    for (const phone of ["0711000001", "0711000002", "0711000003"]) await startPayment(scene.sandbox, { phone });
    await page.getByRole("article", { name: "Phone 0711 000 001" }).getByLabel("Enter PIN").waitFor();
    await page.getByRole("button", { name: "0711 000 002 rings: KES 100.00" }).waitFor();
    const handset = page.locator(".handset");
    const dashboard = page.locator(".dashboard");
    const places = async () => [await handset.boundingBox(), await dashboard.boundingBox()];
    const before = await places();
    await page.getByRole("button", { name: "0711 000 003 rings" }).click();
    const third = page.getByRole("article", { name: "Phone 0711 000 003" });
    await third.getByLabel("Enter PIN").fill("1234");
    await third.getByLabel("Enter PIN").press("Enter");
    // What it shows next is still in sight, although another one waits for the handset.
    await third.getByText("KES 100.00 went to Demo Shop.").waitFor();
    await page.getByRole("button", { name: "0711 000 001 rings" }).waitFor();
    expect(await places()).toEqual(before);
  });

  test("it says what decides this prompt, and a person can make it end in any way", async () => {
    await scene.sandbox.rules.add({ outcome: "unreachable", after: "9s" });
    const id = await startPayment(scene.sandbox, {}, null);
    const page = await scene.open();
    const phone = page.getByRole("article", { name: "Phone 0712 345 678" });
    await phone.getByText("Rule 1 decides: unreachable in 9 s.").waitFor();
    await phone.getByText("Any PIN pays; 0000 is the wrong PIN.").waitFor();
    const ends = await phone.getByLabel("How the prompt ends").locator("option").allInnerTexts();
    expect(ends.map((text) => text.split(" ")[0])).toEqual(
      expect.arrayContaining(["insufficient_funds", "wrong_pin", "pin_locked", "unreachable", "cancelled", "expired"]),
    );
    expect(ends.join()).not.toMatch(/silent|manual|refused/);
    await phone.getByLabel("How the prompt ends").selectOption("pin_locked");
    await phone.getByRole("button", { name: "End prompt" }).click();
    await phone.getByText("Your PIN is locked.").waitFor();
    expect(await askStatus(scene.sandbox, id)).toBe("failed");
  });

  test("a ringing phone shows in the tab's title, beside the name of the sandbox; the column folds away", async () => {
    const page = await scene.open();
    const host = new URL(scene.sandbox.baseUrl).host;
    const titled = async (title: string) => {
      while ((await page.title()) !== title) await Bun.sleep(20);
    };
    await titled(`${host} · momo`);
    await startPayment(scene.sandbox);
    await titled(`(1) rings · ${host} · momo`);
    const phones = page.getByRole("region", { name: "Phones" });
    await phones.waitFor();
    await page.getByRole("button", { name: "Hide the phone" }).click();
    await phones.waitFor({ state: "hidden" });
    await page.reload();
    await page.getByRole("button", { name: "Show the phone" }).click();
    await phones.getByLabel("Enter PIN").waitFor();
  });

  test("two prompts of one phone are shown one after the other", async () => {
    await startPayment(scene.sandbox, { amount: 11 });
    await startPayment(scene.sandbox, { amount: 22 });
    const page = await scene.open();
    await page.getByText("1 more waiting").waitFor();
    expect(await textOf(page.getByRole("form"))).toContain("11.00");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("22.00").first().waitFor();
  });

  test("hostile text is shown as text", async () => {
    const reference = '<img src=x onerror="document.title=1">';
    const description = "<script>document.title = 2</script> \u202e\u200b&amp; {{1}}";
    const id = await startPayment(scene.sandbox, { reference, description });
    const page = await scene.open({ view: `transactions/${id}` });
    await page.getByRole("form").getByText(reference).waitFor();
    await page
      .getByRole("region", { name: "Story of a payment" })
      .getByText(reference, { exact: true })
      .first()
      .waitFor();
    expect(await page.locator("img, #console script").count()).toBe(0);
    expect(await page.title()).toEndWith(" · momo");
  });
});
