import { expect, test } from "bun:test";
import { describeInBrowser, rowsOf, startPayment, storyOf, textOf } from "../../support/browser.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { until } from "../../support/waiting.ts";

describeInBrowser("steering", (scene) => {
  test("a webhook is changed in place, tried, and its deliveries are listed and sent again", async () => {
    const receiver = startReceiver((nth) => new Response("busy", { status: nth === 1 ? 200 : 503 }));
    await scene.sandbox.webhook.set({ url: receiver.url, times: 1 });
    const page = await scene.open({ view: "steering" });
    const webhook = page.getByRole("region", { name: "Webhook" });
    await webhook.getByRole("button", { name: "Send a test event" }).click();
    await webhook.getByText(/HTTP 200 after/).waitFor();
    await webhook.getByLabel("Form").selectOption("flat");
    await webhook.getByRole("button", { name: "Change" }).click();

    await scene.sandbox.clock.freeze();
    await startPayment(scene.sandbox, { reference: "APPLE-1" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    await webhook.getByText(/waiting until \d\d:\d\d:\d\d, 1 attempt: .*503/).waitFor();
    expect(receiver.received[1]?.body).toMatchObject({ success: true, status: "completed" });
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
    await receiver.stop();
  });

  test("a double click on Reset does not reset; the question names what will be lost", async () => {
    await startPayment(scene.sandbox);
    await scene.sandbox.rules.add({ outcome: "unreachable" });
    const page = await scene.open({ view: "transactions?status=pending" });
    await rowsOf(page).first().waitFor();
    await page.getByRole("link", { name: "Steering" }).click();
    const reset = page.getByRole("region", { name: "Reset" });
    await page.getByRole("region", { name: "Rules" }).getByText("every payment: unreachable").waitFor();
    const question = page.getByRole("dialog", { name: "Forget it all?" });
    // The second question takes as long as the first one until it can be answered.
    await reset.getByRole("button", { name: "Reset …" }).click();
    await question.locator(".danger:enabled").waitFor();
    await question.getByRole("button", { name: "Keep everything" }).click();
    await reset.getByRole("button", { name: "Reset …" }).dblclick();
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

  test("a form whose call fails says so and can be sent again; a second click while a call is under way does not repeat it", async () => {
    const page = await scene.open({ view: "steering", expected: /net::ERR_/ });
    await page.getByText("Live", { exact: true }).waitFor();
    const add = page.getByRole("button", { name: "Add rule" });
    await page.route("**/_momo/rules", (route) => route.abort(), { times: 1 });
    await add.click();
    await page.getByRole("alert").getByText("the server does not answer", { exact: true }).waitFor();
    const held = Promise.withResolvers<void>();
    const asked: string[] = [];
    await page.route("**/_momo/rules", async (route) => {
      asked.push(route.request().method());
      await held.promise;
      await route.continue();
    });
    for (let click = 0; click < 2; click += 1) await add.click();
    held.resolve();
    await page.getByRole("heading", { name: /^Rules [12]$/ }).waitFor();
    await page.unroute("**/_momo/rules");
    expect(asked.filter((method) => method === "POST")).toHaveLength(1);
  });

  test("the clock of the page goes on", async () => {
    await scene.sandbox.clock.resume();
    const page = await scene.open({ view: "steering" });
    const clock = page.locator(".big-clock time", { hasText: ":" });
    const before = await textOf(clock);
    await until(async () => (await textOf(clock)) !== before);
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
    // What is no longer readable there is left out.
    await page.evaluate(`localStorage.setItem("momo.theme", "{")`);
    await page.reload();
    await page.getByRole("button", { name: "Switch to light" }).waitFor();
    await page.evaluate("localStorage.clear()");
  });
});
