import { expect, test } from "bun:test";
import { askStatus, describeInBrowser, startPayment, textOf } from "../support/browser.ts";

describeInBrowser("the phone", (scene) => {
  test("a payment made by the API rings, and is paid by keyboard alone; the receipt arrives", async () => {
    const page = await scene.open();
    await page.getByText("Live").waitFor();
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

  test("several numbers ring on several phones, as many as there is room for", async () => {
    const page = await scene.open({ viewport: { width: 1500, height: 900 } });
    await page.getByText("Live").waitFor();
    for (const phone of ["0711000001", "0711000002", "0711000003"]) await startPayment(scene.sandbox, { phone });
    await page.getByRole("article", { name: "Phone 0711 000 001" }).getByLabel("Enter PIN").waitFor();
    await page.getByRole("article", { name: "Phone 0711 000 002" }).getByLabel("Enter PIN").waitFor();
    await page.getByRole("button", { name: "0711 000 003" }).click();
    const third = page.getByRole("article", { name: "Phone 0711 000 003" });
    await third.getByLabel("Enter PIN").fill("1234");
    await third.getByLabel("Enter PIN").press("Enter");
    // What it shows next is still in sight, although another one waits for a place.
    await third.getByText("KES 100.00 went to Demo Shop.").waitFor();
    await page.getByRole("button", { name: "0711 000 00" }).waitFor();
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
    await page.getByRole("region", { name: "Story of a payment" }).getByText(reference, { exact: true }).waitFor();
    expect(await page.locator("img, #console script").count()).toBe(0);
    expect(await page.title()).toBe("momo");
  });
});
