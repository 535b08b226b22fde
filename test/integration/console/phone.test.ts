import { expect, test } from "bun:test";
import { describeInBrowser, startPayment, storyOf } from "../../support/browser.ts";
import { until } from "../../support/waiting.ts";

describeInBrowser("the phone", (scene) => {
  test("one of the phones with a prompt is on the handset, beside it are four with what they show; nothing moves", async () => {
    const page = await scene.open({ viewport: { width: 1500, height: 900 } });
    await page.getByText("Live", { exact: true }).waitFor();
    const phones = page.getByRole("region", { name: "Phones" });
    const start = (phone: number) => startPayment(scene.sandbox, { phone: `071100000${phone}` });
    const phoneOf = (number: string) => page.getByRole("article", { name: `Phone ${number}` });
    const first = await start(1);
    await phoneOf("0711 000 001").getByLabel("Enter PIN").waitFor();
    for (const phone of [2, 3, 4, 5]) await start(phone);
    await phones.getByText("5 prompts open").waitFor();
    await phones.getByRole("button", { name: "0711 000 002 rings: KES 100.00" }).waitFor();
    await phones.getByPlaceholder("Open a phone: type its number").waitFor();
    const places = async () => [
      await page.locator(".handset").boundingBox(),
      await page.locator(".dashboard").boundingBox(),
    ];
    const before = await places();
    // The end of a prompt stays visible for a moment, although other phones have one.
    await scene.sandbox.answer(first, { pin: "1234" });
    await phoneOf("0711 000 001").getByText("KES 100.00 went to Demo Shop.").waitFor();
    await phones.getByRole("button", { name: "0711 000 003 rings" }).click();
    await phoneOf("0711 000 003").getByLabel("Enter PIN").fill("1234");
    await phoneOf("0711 000 003").getByLabel("Enter PIN").press("Enter");
    await phoneOf("0711 000 003").getByText("KES 100.00 went to Demo Shop.").waitFor();
    await start(6);
    await phones.getByRole("button", { name: "0711 000 006 rings: KES 100.00" }).waitFor();
    await phones.getByPlaceholder("1 more phone: choose or type").waitFor();
    expect(await places()).toEqual(before);
  });

  test("a phone has its receipts although the newest of all phones are those of others", async () => {
    await startPayment(scene.sandbox, { phone: "0711000001", amount: 11 }, "completed; after=0s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ view: "about" });
    const all = "**/_momo/messages"; // without the name of a phone
    await page.route(all, (route) => route.fulfill({ json: { success: true, message: "", messages: [] } }));
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    const id = await startPayment(scene.sandbox, { phone: "0711000001" });
    await page.getByRole("article", { name: "Phone 0711 000 001" }).getByLabel("Enter PIN").waitFor();
    await scene.sandbox.answer(id, { outcome: "cancelled" });
    await page.getByText(/Ksh11\.00 sent to/).waitFor();
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
    for (let more = 0; more < 9; more += 1) await startPayment(scene.sandbox);
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
        constructor(title, { body, tag }) {
          if (isAndroid) throw new TypeError("Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.");
          told.push([title, body, tag]);
        }
      };`);
    const cases = [
      ["granted", true],
      ["granted", false],
      ["granted", true],
      ["denied", true],
      ["granted", true, true],
    ] as const;
    for (const [count, [permission, isHidden, isAndroid = false]] of cases.entries()) {
      await page.evaluate(`granted = "${permission}"; isHidden = ${isHidden}; isAndroid = ${isAndroid};`);
      await startPayment(scene.sandbox, { phone: `071100000${count + 1}`, amount: 1200 });
      await until(async () => (await page.title()).startsWith(`${count + 1} prompt`));
    }
    expect(await page.evaluate("told")).toEqual([
      ["0711 000 001 rings", "Demo Shop asks for KES 1,200.00", "momo"],
      ["0711 000 003 rings, and 2 more", "Demo Shop asks for KES 1,200.00", "momo"],
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

  test("in dark mode the prompt is dark, too, with bright text", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByLabel("Enter PIN").waitFor();
    const brightness = (property: string) =>
      page.evaluate(`(() => {
        const context = new OffscreenCanvas(1, 1).getContext("2d");
        context.fillStyle = getComputedStyle(document.querySelector(".prompt")).${property};
        context.fillRect(0, 0, 1, 1);
        return Math.max(...context.getImageData(0, 0, 1, 1).data.slice(0, 3));
      })()`);
    expect(await brightness("backgroundColor")).toBeLessThan(64);
    expect(await brightness("color")).toBeGreaterThan(192);
  });
});
