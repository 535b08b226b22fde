import { expect, test } from "bun:test";
import { BUCKETS } from "../../../sandbox/console/browser/logic/chart.ts";
import {
  askStatus,
  changeAnswers,
  describeInBrowser,
  rowsOf,
  startPayment,
  storyOf,
  textOf,
} from "../../support/browser.ts";

/** The amounts that are wider than a box around them, or than the window. */
const CUT_AMOUNTS = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const cut = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const range = document.createRange();
    range.selectNodeContents(text);
    const { left, right, width } = range.getBoundingClientRect();
    if (width === 0 || !/[0-9]\\.[0-9]{2}$/.test(text.data) || right < 0) continue;
    for (let box = text.parentElement; box; box = box.parentElement) {
      const around = box.getBoundingClientRect();
      const clips = box === document.body || getComputedStyle(box).overflowX !== "visible";
      if (clips && (right > around.right + 1 || left < around.left - 1)) cut.push(box.className + ": " + text.data);
    }
  }
  return cut;
})()`;

describeInBrowser("the list of payments", (scene) => {
  test("a bar of the chart shows its numbers, and selects its payments, by key and with the mouse", async () => {
    await startPayment(scene.sandbox, { amount: 11 }, "completed; after=1s");
    await scene.sandbox.clock.advance("10s");
    await startPayment(scene.sandbox, { amount: 22 }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { amount: 33 }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open();
    const chart = page.getByRole("slider", { name: "2 completed, 1 cancelled" });
    await chart.focus();
    // Half as high as the highest; the highest has its two parts one above the other.
    expect(
      await chart
        .locator("rect[data-tone]")
        .evaluateAll((all) => all.map((bar) => ["data-tone", "y", "height"].map((name) => bar.getAttribute(name)))),
    ).toEqual([
      ["completed", "23", "21"],
      ["completed", "23", "21"],
      ["cancelled", "2", "21"],
    ]);
    for (let step = 0; step < 49 && !(await chart.getAttribute("aria-valuetext"))?.includes("1 cancelled"); step += 1) {
      await page.keyboard.press("ArrowLeft");
    }
    await page.locator(".reading", { hasText: "1 completed, 1 cancelled" }).waitFor();
    for (const key of ["ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
    expect(await chart.getAttribute("aria-valuetext")).toContain("1 completed, 1 cancelled");
    await page.keyboard.press("Enter");
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor({ state: "detached" });
    expect(await rowsOf(page).count()).toBe(2);
    expect(await page.locator(".tiles b").allInnerTexts()).toEqual(["33.00", "1", "0", "1", "0", "0"]);
    await page.getByText("of 2 payments").waitFor();
    await page.getByRole("button", { name: "Show all times" }).click();
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor();
    const { x = 0, y = 0, width = 0 } = (await page.locator(".bars").boundingBox()) ?? {};
    const point = (bar: number): [number, number] => [x + (width * (bar + 0.5)) / BUCKETS, y + 10];
    await page.mouse.click(...point(0));
    await page.locator(".reading", { hasText: "no payment" }).waitFor();
    await page.mouse.move(...point(BUCKETS - 2));
    await page.locator(".reading", { hasText: "1 completed, 1 cancelled" }).waitFor();
    await page.mouse.click(...point(BUCKETS - 2));
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor({ state: "detached" });
    expect(await rowsOf(page).locator(".c-amount").allInnerTexts()).toEqual(["33.00", "22.00"]);
    await page.mouse.click(...point(BUCKETS - 2));
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor();
  });

  test.each([1280, 1440, 360])("at %d pixels no amount is cut, up to 999,999,999,999.99", async (width) => {
    await startPayment(scene.sandbox, { amount: 999_999_999.99, phone: "0711000001" });
    await startPayment(scene.sandbox, { amount: 999_999_999.99 });
    const page = await scene.open({ view: "about", viewport: { width, height: 900 } });
    await page.route(/_momo\/transactions\?/, async (route) => {
      const answer = await (await route.fetch()).text();
      const most = answer
        .replace(/"total_completed_amount":[0-9.]+/g, '"total_completed_amount":999999999999.99')
        .replace('"amount":999999999.99', '"amount":999999999999.99');
      await route.fulfill({ body: most, contentType: "application/json" });
    });
    await page.reload();
    for (const view of ["transactions", "phone"]) {
      await page.evaluate(`location.hash = "${view}"`);
      if (view === "transactions") await page.locator("b, td", { hasText: "999,999,999,999.99" }).nth(1).waitFor();
      else await page.locator(".sum").waitFor();
      expect(await page.evaluate(CUT_AMOUNTS)).toEqual([]);
    }
  });

  test("a search that is typed while the page loads is applied when it has", async () => {
    for (const reference of ["APPLE-1", "PEAR-2"]) await startPayment(scene.sandbox, { reference });
    const page = await scene.open({ view: "about" });
    const held = Promise.withResolvers<void>();
    await page.route("**/_momo/audit", (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.reload();
    await rowsOf(page).nth(1).waitFor();
    const asked = page.waitForRequest(/search=apple/);
    await page.getByLabel("Search").fill("apple");
    held.resolve();
    await asked;
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
  });
});

describeInBrowser("the story of a payment", (scene) => {
  test.each(["1440 × 900", "390 × 780"])("at %s pixels the advice is on the first screen", async (size) => {
    const [width = 0, height = 0] = size.split(" × ").map(Number);
    const id = await startPayment(scene.sandbox, { amount: 999_999_999.99 }, "unreachable; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ view: `transactions/${id}`, viewport: { width, height } });
    const advice = page.getByText("Ask the customer to look at the phone, and then try again.");
    await advice.waitFor();
    const { y, height: tall } = (await advice.boundingBox()) ?? { y: Number.NaN, height: 0 };
    expect(y + tall).toBeLessThan(height - 52);
    // The list has the reason of a failure, too, in the words of momo list.
    await page.keyboard.press("Escape");
    await rowsOf(page).getByText("unreachable (1037)").waitFor();
  });

  test("has a link to copy, a line, and its prompt a ring, to scale", async () => {
    const id = await startPayment(scene.sandbox);
    await scene.sandbox.clock.advance("45s");
    const page = await scene.open({ view: `transactions/${id}?status=pending` });
    await page.evaluate("navigator.clipboard.writeText = async (text) => { copied = text; }");
    await storyOf(page).getByRole("button", { name: "Copy it" }).click();
    await storyOf(page).getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("copied")).toBe(`${scene.sandbox.controlUrl}/#transactions/${id}`);
    const lengthOf = (part: string, name: string) => page.locator(part).first().getAttribute(name);
    const left = ".ring .left";
    expect(await lengthOf(".timeline .life", "width")).toBe("100.00%");
    expect([await lengthOf(".band", "x"), await lengthOf(".band", "width")]).toEqual(["5.00%", "3.33%"]);
    const [all, gone] = [await lengthOf(left, "stroke-dasharray"), await lengthOf(left, "stroke-dashoffset")];
    expect(Number(gone) / Number(all)).toBeCloseTo(0.75, 1);
  });

  test("shows that a wait was refused, and no longer waits", async () => {
    const id = await startPayment(scene.sandbox);
    const page = await scene.open({ view: `transactions/${id}`, expected: /503/ });
    const refusal = { success: false, message: "the server stops" };
    await page.route("**/_momo/wait", (route) => route.fulfill({ status: 503, json: refusal }));
    await storyOf(page).getByRole("button", { name: "Wait for it" }).click();
    await storyOf(page).getByText("the server stops").waitFor();
    expect(await textOf(storyOf(page))).not.toContain("Waiting …");
  });

  test("says how many polls there were before those that it has", async () => {
    const id = await startPayment(scene.sandbox);
    await askStatus(scene.sandbox, id);
    const page = await scene.open({ view: "about" });
    await changeAnswers(page, `/transactions/${id}`, () => ({ requests_left_out: 40 }));
    await page.evaluate(`location.hash = "transactions/${id}"`);
    await storyOf(page).getByRole("heading", { name: "Polls" }).waitFor();
    expect(await textOf(storyOf(page).locator(".steps"))).toContain("Polls 41\n\nThe last 1 of them:");
  });
});
