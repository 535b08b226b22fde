import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { TestSandbox } from "stkpush-sandbox/testing";
import { describeInBrowser, rowsOf, startPayment } from "../../support/browser.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { createClient } from "../../support/client.ts";
import { startForwarder } from "../../support/connection.ts";
import { serveMomo } from "../../support/momo.ts";
import { PATIENCE_MS, until } from "../../support/waiting.ts";

afterAll(cleanUp);

/** A connection between the page and a sandbox, which a test can cut. */
async function startBetween({ baseUrl }: TestSandbox) {
  const forwarder = await startForwarder(Number(new URL(baseUrl).port));
  later(forwarder.close);
  return { forwarder, url: `http://127.0.0.1:${forwarder.port}/_momo/` };
}

/** Hides or shows a tab, as the browser does when the person changes to another one. */
const show = (tab: Page, isShown: boolean) =>
  tab.evaluate(`Object.defineProperty(document, "hidden", { value: ${!isShown}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);

/** The tab leaves the stream, a short time after it was hidden. */
async function hide(tab: Page): Promise<void> {
  const left = tab.waitForEvent("requestfailed", (request) => request.url().endsWith("/events"));
  await show(tab, false);
  await tab.clock.fastForward(3000);
  await left;
}

/** A window of its own, whose time a test can move: the page waits for nothing. */
async function openWindow(page: Page) {
  const window = await page.context().browser()?.newContext();
  if (!window) throw new Error("there is no browser");
  window.setDefaultTimeout(PATIENCE_MS);
  await window.clock.install();
  // The clock of the test does not move the browser's own.
  await window.addInitScript(`AbortSignal.timeout = (ms) => {
    const bound = new AbortController();
    setTimeout(() => bound.abort(), ms);
    return bound.signal;
  };`);
  const openTab = async (url: string) => {
    const tab = await window.newPage();
    await tab.goto(url);
    return tab;
  };
  return { window, openTab };
}

describeInBrowser("the connection", (scene) => {
  test("the page says that the connection is lost, reconnects to the next server, and misses no event", async () => {
    const data = join(newFolder(), "data");
    const first = await serveMomo(["--data", data, "--outcome", "manual", "--prompt-timeout", "1h"]);
    const page = await scene.open({ url: first.ready.console_url, expected: /net::ERR_|Failed to load resource/ });
    await page.getByText("No payments yet").waitFor();
    await first.kill();
    await page.getByText("The server does not answer.").waitFor();
    await page.evaluate(`location.hash = "steering"`);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("the server does not answer", { exact: true }).waitFor();

    const port = new URL(first.ready.base_url).port;
    const second = await serveMomo(["--data", data, "--outcome", "manual", "--prompt-timeout", "1h", "--port", port]);
    await second.post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 77 });
    await page.getByText("The server does not answer.").waitFor({ state: "detached" });
    await page.getByText("the server does not answer", { exact: true }).waitFor({ state: "detached" });
    await page.evaluate(`location.hash = "transactions"`);
    const row = rowsOf(page).filter({ hasText: "77.00" });
    await row.getByText("pending").waitFor();
    await page.getByLabel("Enter PIN").fill("1234");
    await page.keyboard.press("Enter");
    await row.getByText("completed").waitFor();
    expect(await page.getByText("Live", { exact: true }).count()).toBe(1);
    await second.stop();
  });

  test("after an interruption the page gets the events that it missed, and does not load everything again", async () => {
    const { forwarder, url } = await startBetween(scene.sandbox);
    const page = await scene.open({ url, expected: /net::ERR_|Failed to load resource/ });
    await page.getByText("No payments yet").waitFor();
    await startPayment(scene.sandbox, { amount: 11 });
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor();
    // From here on: the attempt that succeeds may begin before the connection is mended.
    const asked: string[] = [];
    page.on("request", (request) => {
      asked.push(`${new URL(request.url()).pathname} ${request.headers()["last-event-id"] ?? ""}`);
    });
    forwarder.cut();
    await page.getByText("The server does not answer.").waitFor();
    await startPayment(scene.sandbox, { amount: 22 });
    forwarder.mend();
    await rowsOf(page).filter({ hasText: "22.00" }).waitFor();
    await page.getByText("The server does not answer.").waitFor({ state: "detached" });
    expect(asked).toContainEqual(expect.stringMatching(/^\/_momo\/events \S+-[0-9]+$/));
    expect(asked.filter((path) => path.startsWith("/_momo/server"))).toEqual([]);
    // The clock of the page may have stood still meanwhile.
    await until(async () => asked.includes("/_momo/clock "));
  });

  test("ten tabs work, more than a browser has connections, because a hidden tab has no stream; when it is shown, it has all that happened, and loads nothing again", async () => {
    const { window, openTab } = await openWindow(await scene.open({ url: "about:blank" }));
    const openLive = async () => {
      const tab = await openTab(`${scene.sandbox.controlUrl}/#transactions`);
      await tab.getByText("Live", { exact: true }).waitFor();
      return tab;
    };
    const first = await openLive();
    // Before the first event.
    await hide(first);
    const asked: string[] = [];
    first.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (let others = 0; others < 9; others += 1) await hide(await openLive());
    const id = await startPayment(scene.sandbox, { amount: 33, phone: "254711000077" });
    await createClient(scene.sandbox).control("POST", `/prompts/${id}/answer`, { outcome: "cancelled" });
    await first.clock.fastForward(60_000);
    expect(await rowsOf(first).count()).toBe(0);
    // Its title still counts the prompts.
    await startPayment(scene.sandbox);
    await first.clock.fastForward(60_000);
    await until(
      () => first.title(),
      (title) => title.startsWith("1 prompt · "),
    );
    await show(first, true);
    await rowsOf(first).filter({ hasText: "33.00" }).getByText("cancelled", { exact: true }).waitFor();
    expect(asked).not.toContain("/_momo/server");
    await window.close();
  });

  test("a stream that is dead, and an attempt to connect that hangs, are ended: the page is live again soon after the way is free", async () => {
    const { forwarder, url } = await startBetween(scene.sandbox);
    const { window, openTab } = await openWindow(await scene.open({ url: "about:blank" }));
    const page = await openTab(`${url}#transactions`);
    await page.getByText("Live", { exact: true }).waitFor();
    forwarder.swallow();
    const attempt = page.waitForRequest(/[/]events$/);
    await page.clock.fastForward(25_000);
    await page.getByText("The server does not answer.").waitFor();
    await startPayment(scene.sandbox, { amount: 44 });
    await page.clock.fastForward(2000);
    // An attempt is under way, and gets no answer.
    await attempt;
    forwarder.mend();
    await page.clock.fastForward(10_000);
    await until(async () => {
      await page.clock.fastForward(2000);
      return page.getByText("Live", { exact: true }).isVisible();
    });
    await rowsOf(page).filter({ hasText: "44.00" }).waitFor();
    await window.close();
  });

  test("a call that hangs while the page loads is repeated", async () => {
    const { window, openTab } = await openWindow(await scene.open({ url: "about:blank" }));
    const asked = Promise.withResolvers<void>();
    await window.route("**/_momo/outcomes", () => asked.resolve(), { times: 1 });
    const page = await openTab(`${scene.sandbox.controlUrl}/`);
    await asked.promise;
    await page.clock.fastForward(15_000);
    await page.getByText("Live", { exact: true }).waitFor();
    await window.close();
  });

  test("what is refused while the page loads stays beside its field when it has loaded", async () => {
    const page = await scene.open({ url: "about:blank", expected: /400 \(/ });
    const held = Promise.withResolvers<void>();
    await page.route("**/_momo/outcomes", (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.goto(`${scene.sandbox.controlUrl}/#keys`);
    await page.getByLabel("Tariff").fill("a lot");
    await page.getByRole("button", { name: "Add account" }).click();
    const refusal = page.getByText(/^Tariff: a tariff/);
    await refusal.waitFor();
    held.resolve();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await refusal.isVisible()).toBe(true);
  });

  test("no translator changes the page, and it works although the browser forbids storage", async () => {
    const page = await scene.open({ url: "about:blank" });
    const storage = await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, name, { get() { throw new DOMException("The operation is insecure.", "SecurityError"); } });`);
    await page.goto(`${scene.sandbox.controlUrl}/#transactions`);
    await startPayment(scene.sandbox, { amount: 55 });
    await rowsOf(page).filter({ hasText: "55.00" }).waitFor();
    expect(await page.evaluate("document.documentElement.translate")).toBe(false);
    await storage.dispose();
  });

  test("off loopback the page asks once, in a readable form, for the control token; it is in no address", async () => {
    const { ready } = await serveMomo(["--host", "0.0.0.0", "--name", "Till 3"]);
    const { control_token = "" } = ready as { control_token?: string };
    expect(control_token).not.toBe("");
    const page = await scene.open({ url: ready.console_url, expected: /401 \(Unauthorized\)/ });
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await page.getByLabel("Control token").fill("not-the-one-that-it-is");
    expect(await page.getByText("That is not the control token of this server.").count()).toBe(0);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByText("That is not the control token of this server.").waitFor();
    expect((await page.locator("form").boundingBox())?.width).toBeGreaterThan(300);
    await page.getByLabel("Control token").fill(control_token);
    await page.keyboard.press("Enter");
    await page.getByText("No payments yet").waitFor();
    await page.locator(".instance", { hasText: "Till 3" }).waitFor();
    expect(await page.title()).toBe("Till 3 · momo");
    await page.evaluate(`location.hash = "start"`);
    await page.getByText(/MOMO_API_SECRET=\$\(sed .*credentials\.json/).waitFor();
    await page.evaluate(`location.hash = "transactions"`);
    await page.reload();
    await page.getByText("No payments yet").waitFor();
    expect(addresses.length).toBeGreaterThan(10);
    expect(addresses.filter((address) => address.includes(control_token))).toEqual([]);
    expect(await page.content()).not.toContain(control_token);

    // Under another address the browser may be on another machine, which does not have the data directory.
    await page.goto(`${ready.console_url.replace("127.0.0.1", "0.0.0.0")}#transactions`);
    await page.getByLabel("Control token").fill(control_token);
    await page.keyboard.press("Enter");
    await page.getByText("No payments yet").waitFor();
    await page.evaluate(`location.hash = "start"`);
    await page.getByText("MOMO_API_SECRET='ms_…'").waitFor();
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
});
