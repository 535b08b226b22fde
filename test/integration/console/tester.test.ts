import { expect, test } from "bun:test";
import { changeAnswers, describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { until } from "../../support/waiting.ts";

/** What a tester does, step by step. */

const LONG = "دفعة/注文/".repeat(10).slice(0, 95);

describeInBrowser("a tester", (scene) => {
  test("finds a payment by what he knows of it, and reads how to go on if there is none", async () => {
    await startPayment(scene.sandbox, { phone: "0764672239", reference: "INV/2026/0042" });
    await startPayment(scene.sandbox, { phone: "0711000002", reference: "0043-A" });
    await startPayment(scene.sandbox, { phone: "0711000003", reference: `${LONG}/0044` });
    const page = await scene.open();
    const search = page.getByLabel("Search");
    const finds = async (text: string, reference: string) => {
      await search.fill(text);
      await until(
        () => rowsOf(page).locator(".c-ref").allInnerTexts(),
        (found) => found.length === 1 && found[0]?.trim() === reference,
      );
    };
    await rowsOf(page).nth(2).waitFor();
    await finds("0764 672 239", "INV/2026/0042");
    await finds("0042", "INV/2026/0042");
    await finds("0043", "0043-A");
    await finds("0044", `${LONG}/0044`);
    await finds("دفعة", `${LONG}/0044`);
    await page.getByRole("button", { name: /^Failed/ }).click();
    await page.getByText("A search finds what begins with “دفعة”").waitFor();
    await page.getByRole("button", { name: "Search all payments" }).click();
    await rowsOf(page).first().waitFor();
    await search.fill("nobody");
    await page.getByRole("link", { name: "Search the requests" }).click();
    await page.getByText("No request fits these filters").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("nobody");
  });

  test("chooses a day from a calendar; a day that is none is refused at its field, once", async () => {
    await startPayment(scene.sandbox, { reference: "TODAY" });
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    await page.getByRole("button", { name: "More" }).click();
    const today = String((await createClient(scene.sandbox).control("GET", "/clock")).now).slice(0, 10);
    const from = page.getByRole("search").getByLabel("From");
    expect(await from.getAttribute("type")).toBe("date");
    await from.fill("2030-01-01");
    await page.getByText("No payment fits these filters.").waitFor();
    await from.fill(today);
    await rowsOf(page).filter({ hasText: "TODAY" }).waitFor();
    await page.evaluate(`location.hash = "transactions?date_from=28/11/2026"`);
    const refusal = 'must be a day of the calendar, written YYYY-MM-DD; it is "28/11/2026"';
    await page.locator(".field", { hasText: /^From/ }).getByText(refusal).waitFor();
    expect(await page.getByText("28/11/2026").count()).toBe(1);
    // A filter in force is shown, and its field stays when it is emptied, until the person wants fewer.
    await page.reload();
    for (const day of [today, ""]) await from.fill(day);
    await rowsOf(page).filter({ hasText: "TODAY" }).waitFor();
    expect(await from.isVisible()).toBe(true);
    await from.fill(today);
    await page.getByRole("button", { name: "Fewer" }).click();
    await from.waitFor({ state: "hidden" });
  });

  test("sees the date, and by how much the clock is ahead; sets it as he says it, and back", async () => {
    await scene.sandbox.clock.resume();
    await scene.sandbox.reset();
    const page = await scene.open({ expected: /400 \(Bad Request\)/ });
    await page.getByText("Live", { exact: true }).waitFor();
    const chip = page.locator(".top-bar").getByRole("button", { name: /Nairobi/ });
    expect(await textOf(chip)).toMatch(/^[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]+\s+\d\d:\d\d:\d\d\s+Nairobi$/);
    await chip.click();
    const dialog = page.getByRole("dialog", { name: "Clock" });
    await dialog.getByLabel("Duration").fill("1 day");
    await page.keyboard.press("Enter");
    await chip.getByText("+1 day", { exact: true }).waitFor();
    await dialog.getByLabel("Set to").fill("tomorrow 00:30");
    await dialog.getByRole("button", { name: "Set", exact: true }).click();
    await dialog.getByText(/^00:30:\d\d$/).waitFor();
    await dialog.getByLabel("Set to").fill("2020-01-01 00:00");
    await dialog.getByRole("button", { name: "Set", exact: true }).click();
    await dialog
      .locator(".field", { hasText: "Set to" })
      .getByText(/must not have passed/)
      .waitFor();
    // What nobody understands is refused where it was typed.
    for (const [label, typed, name] of [
      ["Set to", "noon", "Set"],
      ["Duration", "-5m", "Advance"],
    ] as const) {
      await dialog.getByLabel(label).fill(typed);
      await dialog.getByRole("button", { name, exact: true }).click();
      await dialog.locator(".field", { hasText: label }).getByText(`"${typed}"`).waitFor();
      expect(await dialog.locator(".problem").count()).toBe(1);
    }
    await dialog.getByRole("button", { name: "Back …" }).click();
    await page.locator("dialog[open] .danger:enabled").click();
    await chip.getByText(/^\+/).waitFor({ state: "detached" });
  });

  test("reads of how many payments the money is, and the first steps whatever the filters hide", async () => {
    await startPayment(scene.sandbox, { amount: 250 }, "completed; after=1s");
    await startPayment(scene.sandbox, { amount: 70, reference: "LAST" }, "cancelled; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ view: "transactions?status=completed" });
    const received = page.locator(".received");
    await received.getByText("1 of 1 payment paid").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await received.getByText("1 of 2 payments paid").waitFor();
    await page.getByRole("button", { name: /^Cancelled/ }).click();
    await received.getByText("0 of 1 payment paid").waitFor();
    expect(await textOf(received)).toStartWith("KES received, of these\n0.00");
    await page.evaluate(`location.hash = "transactions?search=nobody"`);
    await page.getByText("No payment fits these filters.").waitFor();
    await page.getByRole("link", { name: "Get started" }).click();
    await page.getByText("A payment has arrived: KES 70.00").waitFor();
  });

  test("opens any phone, and saves a snapshot under words", async () => {
    for (let phone = 10; phone < 20; phone += 1) await startPayment(scene.sandbox, { phone: `07110000${phone}` });
    const page = await scene.open({ view: "steering" });
    await page.getByPlaceholder("5 more phones: choose or type").waitFor();
    await page.getByLabel("Open a phone").fill("0711 000 017");
    await page.getByRole("article", { name: "Phone 0711 000 017" }).getByLabel("Enter PIN").waitFor();
    await page.getByLabel("Open a phone").fill("0799000001");
    await page.getByRole("article", { name: "Phone 0799 000 001" }).waitFor();
    const snapshots = page.getByRole("region", { name: "Snapshots" });
    await snapshots.getByLabel("Name").fill("before the sale");
    await snapshots.getByRole("button", { name: "Save" }).click();
    await snapshots.getByText("“before-the-sale” is saved.").waitFor();
    await snapshots.getByRole("button", { name: "Restore before-the-sale …" }).click();
    await page
      .getByText(/^You lose what is here now: 10 payments, .* You get “before-the-sale”: 10 payments/)
      .waitFor();
  });

  test("at 860 pixels a row shows the whole reference and the whole phone; at 320 nothing is wider than the screen", async () => {
    await startPayment(scene.sandbox, { phone: "0764672239", reference: "INV/2026/0042" });
    const page = await scene.open({ viewport: { width: 860, height: 900 } });
    await rowsOf(page).first().waitFor();
    const cut = `[...document.querySelectorAll(".rows td, .top-bar :not(.unseen)")].filter(
      (one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible").map((one) => one.innerText)`;
    expect(await page.evaluate(cut)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    for (const view of ["transactions", "requests", "audit", "steering", "keys", "start", "phone"]) {
      await page.evaluate(`location.hash = "${view}"`);
      await page.locator(`[data-view="${view}"]`).first().waitFor();
      const isWide = `document.documentElement.scrollWidth > innerWidth ||
        document.querySelector(".top-bar > .primary").getBoundingClientRect().right > innerWidth`;
      expect([view, await page.evaluate(isWide)]).toEqual([view, false]);
    }
  });

  test("reads three findings of a kind, and how many there are", async () => {
    await startPayment(scene.sandbox, { amount: "100" }).catch(() => {});
    const page = await scene.open({ view: "about" });
    const example = { request_ids: [], checkout_request_id: "ws_CO_1", reference: "ORDER" };
    const one = { kind: "number_as_text", severity: "warning", message: "", advice: "", section: "4.1", ...example };
    const findings = Array.from({ length: 23 }, (_, index) => ({
      ...one,
      ...{ message: `number ${index}`, first_at: "2026-11-20 10:00:00", count: 7, examples: Array(5).fill(example) },
    }));
    await changeAnswers(page, "/audit", () => ({ findings }));
    await page.reload();
    await page.evaluate(`location.hash = "audit"`);
    const group = page.getByRole("region", { name: "number as text" });
    await group.getByText("And 20 more, which the report below has.").waitFor();
    expect(await group.locator("li").count()).toBe(3);
    expect(await textOf(group.locator("li").first())).toMatch(/^number 0\s+7 times(\s*payment ORDER){3}\s*first at/);
  });
});
