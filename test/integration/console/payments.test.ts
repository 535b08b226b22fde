import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { askStatus, describeInBrowser, rowsOf, startPayment, storyOf, textOf } from "../../support/browser.ts";

const WIDE = { width: 1700, height: 900 };

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
  test("payments appear when they start and change when they end; the tiles count and select them", async () => {
    const page = await scene.open();
    await page.getByText("No payments yet").waitFor();
    for (const phone of ["254700000000", "254700000001", "254700000032", "254700000019"]) {
      await startPayment(scene.sandbox, { phone }, null);
    }
    await rowsOf(page).nth(3).waitFor();
    const started = (await rowsOf(page).allInnerTexts()).map(
      (text) => /0700 000 0(\d\d)\s+100.00\s+pending/.exec(text)?.[1],
    );
    expect(started).toEqual(["19", "32", "01", "00"]);
    await scene.sandbox.clock.advance("60s");
    await startPayment(scene.sandbox, { phone: "0711000001" });
    await page.getByText("of 5 payments").waitFor();
    await page.getByRole("slider", { name: "1 pending, 1 completed, 1 failed, 1 cancelled, 1 expired" }).waitFor();
    await page.locator(".tile.received", { hasText: "100.00" }).waitFor();
    const tiles = page.locator("button.tile");
    for (const name of ["Failed", "Cancelled", "Expired", "Pending", "Completed"]) {
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
      await rowsOf(page).nth(1).waitFor({ state: "detached" });
      await rowsOf(page).first().getByText(name.toLowerCase(), { exact: true }).waitFor();
      // The other tiles keep their counts.
      expect(await tiles.locator("b").allInnerTexts()).toEqual(["1", "1", "1", "1", "1"]);
    }
    await page.getByRole("button", { name: /^Completed/ }).click();
    await rowsOf(page).nth(4).waitFor();
  });

  test("a bar of the chart shows its numbers, and selects its payments", async () => {
    await startPayment(scene.sandbox, { amount: 11 }, "completed; after=1s");
    await scene.sandbox.clock.advance("10s");
    await startPayment(scene.sandbox, { amount: 22 }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { amount: 33 }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open();
    const chart = page.getByRole("slider", { name: "2 completed, 1 cancelled" });
    await chart.focus();
    for (let step = 0; step < 49 && !(await chart.getAttribute("aria-valuetext"))?.includes("1 cancelled"); step += 1) {
      await page.keyboard.press("ArrowLeft");
    }
    await page.locator(".reading", { hasText: "1 completed, 1 cancelled" }).waitFor();
    await page.keyboard.press("Enter");
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor({ state: "detached" });
    expect(await rowsOf(page).count()).toBe(2);
    await page.getByText("of 2 payments").waitFor();
    await page.getByRole("button", { name: "Show all times" }).click();
    await rowsOf(page).filter({ hasText: "11.00" }).waitFor();
  });

  test("the address has the view, the filters and the open payment; reload and Back keep them", async () => {
    const first = await startPayment(scene.sandbox, { reference: "APPLE-1" }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { reference: "PEAR-2", phone: "0722000002" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ viewport: WIDE });
    await rowsOf(page).nth(1).waitFor();
    await page.getByLabel("Search").fill("apple");
    await page.getByLabel("Status").selectOption("cancelled");
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    await rowsOf(page).first().click();
    await storyOf(page).getByText("APPLE-1", { exact: true }).first().waitFor();
    expect(page.url()).toEndWith(`#transactions/${first}?search=apple&status=cancelled`);

    await page.reload();
    await storyOf(page).getByText("APPLE-1", { exact: true }).first().waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("apple");
    await rowsOf(page).first().waitFor();
    expect(await rowsOf(page).count()).toBe(1);
    await page.goBack();
    await storyOf(page).waitFor({ state: "detached" });
    expect(await page.getByLabel("Status").inputValue()).toBe("cancelled");

    // The filters are also kept when another view was open.
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByLabel("Path").waitFor();
    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByLabel("Status").waitFor();
    await rowsOf(page).first().waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("apple");
    expect(await rowsOf(page).count()).toBe(1);
  });

  test("a filter that the API refuses has the message beside it", async () => {
    await startPayment(scene.sandbox, {}, "completed");
    const page = await scene.open({ viewport: WIDE, expected: /40[04] \(/ });
    const from = page.getByRole("textbox", { name: "From" });
    await from.fill("2026-02-30");
    await page.getByText("date_from must be a day of the calendar, written YYYY-MM-DD").waitFor();
    expect(await from.getAttribute("aria-invalid")).toBe("true");
    await page.getByRole("button", { name: "Clear" }).click();
    await rowsOf(page).first().waitFor();
    await page.getByRole("textbox", { name: "Id", exact: true }).fill("77");
    await page.locator(".filter-problem .problem").waitFor();
    await rowsOf(page).first().waitFor({ state: "detached" });
  });

  test("the filtered list is saved as CSV, also the rows that are not loaded", async () => {
    for (let payment = 0; payment < 210; payment += 1) {
      await startPayment(scene.sandbox, { reference: payment % 2 === 0 ? `EVEN-${payment}` : `ODD-${payment}` });
    }
    const page = await scene.open();
    await page.getByText("of 210 payments").waitFor();
    await page.getByLabel("Search").fill("odd");
    await page.getByText("of 105 payments").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const text = readFileSync(await (await saved).path(), "utf8");
    const lines = text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(106);
    expect(lines[1]).toContain(",ODD-209,");
    await page.getByText("Saved 105").waitFor();
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
    await page.unroute(/_momo\/transactions\?/);
  });

  test("finished payments alone; a phone as people write it; references count up", async () => {
    await startPayment(scene.sandbox, { reference: "APPLE-1" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open();
    for (const reference of ["ORDER-9", "ORDER-10"]) {
      await page.getByRole("button", { name: "Test payment", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Test payment" });
      if (reference === "ORDER-9") {
        await dialog.getByLabel("Phone").fill("+254 (722) 104-455");
        await dialog.getByLabel("Reference").fill(reference);
      }
      await dialog.getByRole("button", { name: "Send the prompt" }).click();
      await rowsOf(page).filter({ hasText: reference }).getByText("0722 104 455").waitFor();
    }
    await page.getByRole("button", { name: "Finished only" }).click();
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    expect(await textOf(rowsOf(page))).toContain("APPLE-1");
    await page.getByRole("button", { name: "Finished only" }).click();
    await rowsOf(page).nth(2).waitFor();
    await page.getByRole("button", { name: "Finished only" }).click();
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Clear" }).click();
    await rowsOf(page).nth(2).waitFor();
  });

  test("a list that comes late does not replace that of a newer search", async () => {
    for (const reference of ["APPLE-1", "PEAR-2"]) await startPayment(scene.sandbox, { reference });
    const page = await scene.open();
    await rowsOf(page).nth(1).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/search=APPLE/, (route) => held.promise.then(() => route.continue()));
    const asked = page.waitForRequest(/search=APPLE/);
    await page.getByLabel("Search").fill("APPLE");
    await asked;
    await page.getByLabel("Search").fill("PEAR");
    await rowsOf(page).nth(1).waitFor({ state: "detached" });
    const late = page.waitForResponse(/search=APPLE/);
    held.resolve();
    await (await late).finished();
    await page.unroute(/search=APPLE/);
    await scene.sandbox.clock.advance("1s");
    expect(await textOf(rowsOf(page))).toContain("PEAR-2");
  });

  test("what the API refuses of a test payment is beside its field", async () => {
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    await page.getByRole("button", { name: "Test payment", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Test payment" });
    await dialog.getByLabel("Amount, KES").fill("0.001");
    await dialog.getByLabel("Phone").fill("12");
    await dialog.getByText("The same by command").click();
    await dialog.getByText("pay 12 0.001").waitFor();
    await dialog.getByRole("button", { name: "Send the prompt" }).click();
    for (const [label, message] of [
      ["Amount, KES", /^amount must be/],
      ["Phone", /^phone must be/],
    ] as const) {
      const field = dialog.locator(".field", { has: page.getByLabel(label) });
      expect(await textOf(field.locator(".problem"))).toMatch(message);
    }
    expect(await dialog.getByLabel("Amount, KES").getAttribute("aria-invalid")).toBe("true");
  });
});

describeInBrowser("the story of a payment", (scene) => {
  test("begins with its outcome, meaning, who decided it, and advice; then come its request, prompt and polls", async () => {
    await scene.sandbox.rules.add({ outcome: "wrong_pin", times: 1 }, { outcome: "insufficient_funds", after: "9s" });
    await startPayment(scene.sandbox, { reference: "FIRST" }, null);
    const id = await startPayment(scene.sandbox, { reference: "SECOND" }, null);
    await askStatus(scene.sandbox, id);
    await scene.sandbox.clock.advance("2s");
    await askStatus(scene.sandbox, id);
    await scene.sandbox.clock.advance("7s");
    // The second poll may race with the answer to the first.
    for (let poll = 0; poll < 3; poll += 1) await askStatus(scene.sandbox, id);

    const page = await scene.open();
    await rowsOf(page).first().click();
    await storyOf(page).locator("pre", { hasText: '"reference":"SECOND"' }).waitFor();
    const text = await textOf(storyOf(page));
    expect(text).toContain("+2 s");
    expect(text).toContain("Asked again after the answer was “failed”");
    const ending = [
      "insufficient funds \\(1\\)",
      "The network says\\s+The balance is insufficient for the transaction.",
      "It means\\s+The customer's balance is too low",
      "Who decided\\s+Rule 1 decided: insufficient_funds, 9s after the start.",
      "What to do\\s+Say so",
    ];
    expect(text).toMatch(new RegExp([...ending, "Start", "Prompt", "Polls"].join("[\\s\\S]*")));
    await page.keyboard.press("Escape");
    await storyOf(page).waitFor({ state: "detached" });
    // The list has the reason of a failure in the words of momo list, and none for other payments.
    const reasons = ["insufficient funds (1)", "wrong PIN (2001)"];
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const reason of reasons) expect(await rowsOf(page).getByText(reason).isVisible()).toBe(true);
      expect(await rowsOf(page).locator(".c-result").allInnerTexts()).toEqual(reasons);
    }
  });

  test.each(["1440 × 900", "390 × 780"])("at %s pixels the advice is on the first screen", async (size) => {
    const [width = 0, height = 0] = size.split(" × ").map(Number);
    const id = await startPayment(scene.sandbox, { amount: 999_999_999.99 }, "unreachable; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ view: `transactions/${id}`, viewport: { width, height } });
    const advice = page.getByText("Ask the customer to look at the phone, and then try again.");
    await advice.waitFor();
    const { y, height: tall } = (await advice.boundingBox()) ?? { y: Number.NaN, height: 0 };
    expect(y + tall).toBeLessThan(height - 52);
  });

  test("can wait for the end, and start the payment again, with its description", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1", description: "2 kg of tea" });
    const page = await scene.open({ view: `transactions/${id}`, viewport: WIDE });
    const story = storyOf(page);
    await story.getByRole("button", { name: "Wait for it" }).click();
    await story.getByText("Waiting …").waitFor();
    await scene.sandbox.answer(id, { pin: "1234" });
    await story.getByText("It is completed.").waitFor();
    await story.getByRole("img", { name: /0 polls in .*, completed after/ }).waitFor();
    const description = page.locator(".prompt .description", { hasText: "2 kg of tea" });
    await description.waitFor({ state: "detached" });

    await story.getByRole("button", { name: "Send again" }).click();
    await story.getByText("A test payment: a person started it here, in the console.").waitFor();
    const again = rowsOf(page).filter({ hasText: "pending" });
    expect(await textOf(again)).toContain("APPLE-1");
    await description.waitFor();
  });

  test("is empty after a reset", async () => {
    const id = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    const page = await scene.open({ view: `transactions/${id}`, expected: /404/ });
    await storyOf(page).getByText("APPLE-1", { exact: true }).first().waitFor();
    await scene.sandbox.reset();
    await storyOf(page).getByText("there is no payment with this checkout request id").waitFor();
    expect(await storyOf(page).getByText("APPLE-1").count()).toBe(0);
  });
});
