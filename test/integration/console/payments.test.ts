import { expect, test } from "bun:test";
import { dayInWords, instantOf } from "../../../sandbox/console/browser/logic/format.ts";
import { describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { until } from "../../support/waiting.ts";
import { expectAddress, type Person, personAt } from "./person.ts";

const LONG = "دفعة/注文/".repeat(10).slice(0, 94);

/** The texts of the rows, each on one line, from the top. */
const rowsAre = ({ page }: Person, ...expected: (string | RegExp)[]) =>
  until(
    async () => (await rowsOf(page).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim()),
    (rows) =>
      rows.length === expected.length &&
      rows.every((row, index) => {
        const wanted = expected[index] ?? "";
        return typeof wanted === "string" ? row.includes(wanted) : wanted.test(row);
      }),
  );

describeInBrowser("the list of payments", (scene) => {
  test("at 1280 pixels the time is whole, and a long reference keeps its end", async () => {
    await startPayment(scene.sandbox, { reference: `INV-2026-${"0".repeat(40)}000017` });
    await scene.sandbox.clock.advance("24h");
    const row = rowsOf(await scene.open({ viewport: { width: 1280, height: 800 } })).first();
    const end = await row.getByText("000017", { exact: true }).boundingBox();
    const cell = await row.locator(".c-ref").boundingBox();
    expect((end?.x ?? 0) + (end?.width ?? 0)).toBeLessThanOrEqual((cell?.x ?? 0) + (cell?.width ?? 0));
    expect(await row.locator(".c-time").evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  });

  test("payments appear when they start, and change when they end; the tiles count and select them", async () => {
    const { clock } = scene.sandbox;
    const person = personAt(await scene.open());
    const payments = person.at("Payments");
    await payments.reads("KES received 0.00 0 paid of 0", "No payments yet");
    await startPayment(scene.sandbox, { amount: 100.5, reference: "ORDER-0" }, "completed");
    await startPayment(scene.sandbox, { amount: 101.5, reference: "ORDER-1" }, "insufficient_funds");
    await startPayment(scene.sandbox, { amount: 102.5, reference: "ORDER-2" }, "cancelled");
    await rowsAre(person, "ORDER-2", "ORDER-1", "ORDER-0");
    await payments.reads("Pending 3");
    await clock.advance("61s");
    await startPayment(scene.sandbox, { amount: 1_234_567.89, phone: "0764672239", reference: "LATE" });
    await createClient(scene.sandbox).control("POST", "/payments", {
      ...{ payment_account_id: 1, phone: "0712345678", amount: 7, kind: "web", outcome: "manual" },
    });
    await rowsAre(
      person,
      /^\d\d:\d\d:\d\d web – 0712 345 678 7.00 pending/,
      /LATE 0764 672 239 1,234,567.89 pending/,
      /ORDER-2 .* 102.50 cancelled cancelled \(1032\)|ORDER-2 .* 102.50 cancelled/,
      /ORDER-1 .* failed insufficient funds \(1\)/,
      /ORDER-0 .* completed [0-9A-Z]{10}/,
    );
    await payments.reads("KES received 100.50 1 paid of 5", "Completed 1 Failed 1 Cancelled 1 Expired 0 Pending 2");
    await payments.click(/^Cancelled/);
    await rowsAre(person, "ORDER-2");
    await payments.reads("KES received 0.00 0 paid, 1 found", "Pending 2");
    await expectAddress(person, "#transactions?status=cancelled");
    await payments.click(/^Cancelled/);
    await rowsAre(person, "web", "LATE", "ORDER-2", "ORDER-1", "ORDER-0");
    await payments.click(/^Pending/);
    await rowsAre(person, "web", "LATE");
    // One that no longer fits leaves, and one that does not fit does not come.
    await startPayment(scene.sandbox, { amount: 8 }, "cancelled; after=1s");
    await rowsAre(person, "8.00", "web", "LATE");
    await clock.advance("1s");
    await rowsAre(person, "web", "LATE");
    await payments.fill({ Search: "late" });
    await rowsAre(person, "LATE");
    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await startPayment(scene.sandbox, { reference: "LATE-3" });
    await rowsAre(person, "LATE-3", "LATE");
    // Another day: a row says which.
    await clock.advance("24h");
    await payments.click("Clear");
    await rowsAre(person, ...Array(8).fill(/^\d\d? [A-Z][a-z]+ \d\d:\d\d:\d\d /));
  });

  test("a payment is found by what a person knows of it; if there is none, the page says how to go on", async () => {
    await startPayment(scene.sandbox, { phone: "0764672239", reference: "INV/2026/0042" });
    await startPayment(scene.sandbox, { phone: "0711000002", reference: "0043-A" });
    await startPayment(scene.sandbox, { phone: "0711000003", reference: `${LONG}-/0044` });
    const person = personAt(await scene.open());
    const found = {
      "0764 672 239": "INV/2026/0042",
      "0042": "INV/2026/0042",
      "0043": "0043-A",
      "0044": LONG,
      دفعة: LONG,
    };
    for (const [text, reference] of Object.entries(found)) {
      await person.fill({ Search: text });
      await rowsAre(person, reference);
    }
    await person.click(/^Failed/);
    await person.reads("begins with “دفعة”", "ends with “-دفعة”");
    await person.click("Search all payments");
    await rowsAre(person, LONG);
    // A space within a typed text stays, for the next word.
    await person.fill({ Search: "" });
    await person.page.keyboard.type("no body ");
    await person.reads("No payment fits these filters.");
    expect((await person.at("Payments").values())[0]).toBe("no body ");
    await person.click("Search the requests");
    await person.reads("No request fits these filters");
    expect((await person.at("Requests").values())[0]).toBe("no body");
  });

  test("a day is chosen from a calendar; what a filter cannot be is refused at its field, once", async () => {
    await startPayment(scene.sandbox, { reference: "TODAY" });
    const person = personAt(await scene.open({ expected: /40[04] \(/ }));
    const today = String((await createClient(scene.sandbox).control("GET", "/clock")).now).slice(0, 10);
    await person.click("Filters");
    const from = person.page.getByLabel("From", { exact: true });
    expect(await from.getAttribute("type")).toBe("date");
    await person.fill({ From: "2030-01-01" });
    await person.reads("No payment fits these filters.");
    await person.fill({ From: today });
    await rowsAre(person, "TODAY");
    // In every country the day reads the same.
    await from.and(person.page.locator(`[data-day="${dayInWords(instantOf(`${today} 00:00:00`))}"]`)).waitFor();
    await person.fill({ To: "2026-11-01" });
    // The counts of before are not those of a list that is refused.
    await person.at("Payments").reads(/KES received – (?!–)/, "From: it must not be after the day of “To”");
    await person.open("transactions?date_from=28/11/2026");
    await person.reads('From: a day, such as 2026-11-30; it is "28/11/2026"');
    expect(await person.page.getByText("28/11/2026").count()).toBe(1);
    // A filter in force is shown, and its field stays when it is emptied, until the person wants fewer.
    await person.page.reload();
    for (const day of [today, ""]) await person.fill({ From: day });
    await rowsAre(person, "TODAY");
    await person.click("Filters");
    await from.waitFor({ state: "detached" });
    await person.click("Filters");
    await person.fill({ "Number (id)": "77" });
    await person.reads("there is no transaction of yours with this id");
  });

  test("the address has the view, the filters and the open payment: reload, Back and other views keep them", async () => {
    const apple = await startPayment(scene.sandbox, { reference: "APPLE-1" }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { reference: "PEAR-2" }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const person = personAt(await scene.open({ view: "steering" }));
    await person.open("transactions");
    await person.fill({ Search: "apple", Status: "cancelled" });
    await rowsAre(person, "APPLE-1");
    await rowsOf(person.page).first().click();
    const filters = "?search=apple&status=cancelled";
    await expectAddress(person, `#transactions/${apple}${filters}`);
    await person.page.reload();
    await person.at("Story of a payment").reads("APPLE-1");
    await person.page.goBack();
    await expectAddress(person, `#transactions${filters}`);
    await person.click("Requests");
    await person.click("Payments");
    await expectAddress(person, `#transactions${filters}`);
    await rowsAre(person, "APPLE-1");
    // The link of the open view removes its filters. Back leaves a typed search in one step.
    await person.click("Payments");
    await expectAddress(person, "#transactions");
    await rowsAre(person, "PEAR-2", "APPLE-1");
    await person.click("Steering");
    await person.click("Payments");
    await person.fill({ Search: "" });
    await person.page.keyboard.type("pear");
    await rowsAre(person, "PEAR-2");
    await person.page.goBack();
    await expectAddress(person, "#steering");
  });

  test("the chart has the payments of the list by time, to scale, and a bar its numbers", async () => {
    await startPayment(scene.sandbox, { amount: 11 }, "completed; after=1s");
    await scene.sandbox.clock.advance("10s");
    await startPayment(scene.sandbox, { amount: 22 }, "cancelled; after=1s");
    await startPayment(scene.sandbox, { amount: 33 }, "completed; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open();
    const axis = page.locator("figcaption");
    expect(await textOf(axis)).toMatch(/^\d\d:\d\d(:\d\d)?\s+\d\d:\d\d(:\d\d)?$/);
    const chart = page.getByRole("img", { name: "Outcomes: 2 completed, 1 cancelled" });
    await chart.waitFor();
    const bars = await chart
      .locator("rect[data-tone]")
      .evaluateAll((all) => all.map((bar) => ["data-tone", "y", "height"].map((name) => bar.getAttribute(name))));
    expect(bars.map((bar) => bar.join(" "))).toEqual(["completed 23 21", "completed 23 21", "cancelled 2 21"]);
    expect((await chart.locator("title").allTextContents()).filter((text) => text.includes("1 cancelled"))).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d to \d\d:\d\d:\d\d: 1 completed, 1 cancelled$/),
    ]);
    // Over several days, the ends of the axis have the day.
    await scene.sandbox.clock.advance("48h");
    await until(
      () => textOf(axis),
      (text) => /^\d+ \w{3} \d{4}, \d\d:\d\d\s+\d+ \w{3} \d{4}, \d\d:\d\d$/.test(text),
    );
  });

  test("the keys lead to the search and through the rows, and Escape goes back", async () => {
    const first = await startPayment(scene.sandbox, { reference: "APPLE-1" });
    await startPayment(scene.sandbox, { reference: "PEAR-2" });
    await startPayment(scene.sandbox, { reference: "APPLE-3" });
    const person = personAt(await scene.open({ view: "steering" }));
    await person.reads("Live");
    await person.press("/");
    await person.page.keyboard.type("app");
    await rowsAre(person, "APPLE-3", "APPLE-1");
    await person.press("ArrowDown", "ArrowDown", "Enter");
    await expectAddress(person, `#transactions/${first}?search=app`);
    await person.at("Story of a payment").reads("APPLE-1");
    await person.press("Escape", "ArrowUp", "Enter");
    await person.at("Story of a payment").reads("APPLE-3");
    await person.press("Escape", "Escape", "ControlOrMeta+a");
    await person.page.keyboard.type("pear");
    await rowsAre(person, "PEAR-2");
  });
});
