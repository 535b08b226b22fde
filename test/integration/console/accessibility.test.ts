import { expect, test } from "bun:test";
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import type { TestSandbox } from "stkpush-sandbox/testing";
import { askStatus, changeAnswers, describeInBrowser, rowsOf, startPayment } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { until } from "../../support/waiting.ts";
import { expectAddress, focused, personAt } from "./person.ts";

/** One of each: every status, findings, two rules, a fault, five open prompts. */
async function fill(sandbox: TestSandbox) {
  const failed = await startPayment(sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
  const completed = await startPayment(sandbox, { phone: "0722000001", reference: LONG }, "completed; after=1s");
  await startPayment(sandbox, { phone: "0722000002" }, "cancelled; after=1s");
  await askStatus(sandbox, failed);
  await sandbox.clock.advance("1s");
  await startPayment(sandbox, { phone: "0722000003", amount: 249_999.99 }, "expired");
  await sandbox.clock.advance("61s");
  await createClient(sandbox).post("/stkpush.php", { amount: "12" });
  const pending = await startPayment(sandbox, { reference: "ORDER-2", description: "Two coffees and a mandazi" });
  await startPayment(sandbox, { reference: "ORDER-2" });
  for (const phone of ["0711000001", "0711000002", "0711000003", "0711000004"]) {
    await startPayment(sandbox, { phone, reference: `ORDER-${phone.slice(-1)}` });
  }
  for (let poll = 0; poll < 2; poll += 1) await askStatus(sandbox, failed);
  await sandbox.rules.add({ outcome: "unreachable" }, { outcome: "cancelled" });
  await sandbox.faults.set([{ kind: "delay", delay: "1ms" }]);
  await sandbox.webhook.set({ url: "http://127.0.0.1:9/hook", times: 2 });
  const refused = (await sandbox.requests()).find(({ status }) => status === 400)?.id ?? 0;
  return { failed, completed, pending, refused };
}

/** The longest reference that the API accepts. */
const LONG = `INV/2026/${"0123456789".repeat(9)}-`;

type Visit = (what: string) => Promise<void>;

/** The views without payments. */
const walkEmpty = (page: Page, visit: Visit) =>
  walk(page, visit, {
    "empty start": ["start", "Waiting for the first payment"],
    "no payments": ["transactions", "No payments yet"],
    "no requests": ["requests", "No requests yet"],
    "no findings": ["audit", "Nothing found"],
    "no rules": ["steering", "No rules."],
    ...(isNarrow(page) && { "no prompt": ["phone", "No prompt is open"] }),
  });

/** All views and dialogs with payments. */
async function walkFull(page: Page, places: Awaited<ReturnType<typeof fill>>, visit: Visit): Promise<void> {
  await walk(page, visit, {
    payments: ["transactions", "paid of 10"],
    "no payment fits": ["transactions?search=nobody", "No payment fits these filters."],
    "failed story": [`transactions/${places.failed}`, "What to do"],
    "completed story": [`transactions/${places.completed}?status=completed`, "Receipt"],
    "pending story": [`transactions/${places.pending}`, "None yet"],
    requests: ["requests", "The last 1,000 requests"],
    "no request fits": ["requests?search=nobody", "No request fits these filters"],
    "refused request": [`requests/${places.refused}`, "Headers"],
    "forgotten request": ["requests/999999", "It is no longer in the log"],
    audit: ["audit", "specification"],
    steering: ["steering", "Removes payments"],
    keys: ["keys", "Make key"],
    start: ["start", "Your first payment"],
    ...(isNarrow(page) && { phone: ["phone", "Enter PIN"] }),
  });
  await page.evaluate(`location.hash = "steering"`);
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.locator(".danger:enabled").waitFor();
  await visit("reset");
  await page.locator("dialog[open]").getByRole("button", { name: "Cancel" }).click();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  await visit("help");
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  const pay = page.getByRole("dialog", { name: "Test payment" });
  await pay.getByLabel("Phone").fill("12");
  await page.keyboard.press("Enter");
  await pay.getByText('a Kenyan number, such as 0712 345 678; it is "12"').waitFor();
  await visit("refused test payment");
}

const isNarrow = (page: Page) => (page.viewportSize()?.width ?? 0) < 896;

/** @param views the address of each, and a text to wait for */
async function walk(page: Page, visit: Visit, views: Readonly<Record<string, string[]>>): Promise<void> {
  for (const [what, [view = "", text = ""]] of Object.entries(views)) {
    await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
    await page.getByText(text).first().waitFor();
    await visit(what);
  }
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The dark theme differs only in its colours. */
const RULES = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  dark: ["color-contrast"],
} as const;
type Theme = keyof typeof RULES;

/** Whether the page is too wide: the bar hides what is too wide for it, no word of it may be broken, and no link to a view cut. */
const IS_WIDE = `document.documentElement.scrollWidth > innerWidth ||
  Math.ceil(document.querySelector(".top-bar > .primary").getBoundingClientRect().right) > innerWidth ||
  [...document.querySelectorAll(".views a")].some((one) => one.getBoundingClientRect().right > innerWidth) ||
  [...document.querySelectorAll(".brand, .clock-chip time")].some(({ clientHeight }) => clientHeight > 40)`;

/** What axe finds in the page, and whether the page is too wide. */
async function problemsOf(page: Page, theme: Theme): Promise<string[]> {
  if (!(await page.evaluate(`"axe" in globalThis`))) await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES[theme])}, resultTypes: ["violations"] })`;
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Violation[];
  const isWide = await page.evaluate(IS_WIDE);
  const texts = found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
  return isWide ? [...texts, "it is wider than the screen"] : texts;
}

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

/** The texts of rows and of the bar that are cut off. */
const CUT_TEXTS = `[...document.querySelectorAll(".rows td, .top-bar :not(.unseen)")].filter(
  (one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible").map((one) => one.innerText)`;

describeInBrowser("axe finds nothing in any view, and no view is wider than the screen", (scene) => {
  // What is shown at 860 px is shown at one of the others, in the same colours.
  test.each<[width: number, height: number, themes: readonly Theme[]]>([
    [390, 780, ["light", "dark"]],
    [860, 900, ["light"]],
    [1400, 900, ["light", "dark"]],
  ])("%d × %d px: %j", async (width, height, themes) => {
    const viewport = { width, height };
    const page = await scene.open({ url: "about:blank", viewport, bypassCSP: true, expected: /400 \(Bad Request\)/ });
    await changeAnswers(page, "/server", () => ({ name: "Corner Shop, till 3" }));
    await page.goto(`${scene.sandbox.controlUrl}/`);
    const problems: string[] = [];
    const visit = async (what: string) => {
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        problems.push(...(await problemsOf(page, theme)).map((problem) => `${what}, ${theme}: ${problem}`));
      }
    };
    await walkEmpty(page, visit);
    await walkFull(page, await fill(scene.sandbox), visit);
    expect(problems).toEqual([]);
  });

  test("at 320 px no view is wider than the screen; at 860 px a row shows the whole reference and the whole phone", async () => {
    const id = await startPayment(scene.sandbox, { phone: "0764672239", reference: "INV/2026/0042" });
    const page = await scene.open({ view: `transactions/${id}`, viewport: { width: 1366, height: 768 } });
    // On a common laptop, with an open story, the filters are one line.
    const bottomOf = async (part: Locator) => {
      const { y, height } = (await part.boundingBox()) ?? { y: Number.NaN, height: 0 };
      return y + height;
    };
    const pause = page.getByRole("button", { name: "Pause" });
    await pause.waitFor();
    // The page finds its place while the story loads.
    const search = page.getByLabel("Search");
    await until(
      async () => Math.abs((await bottomOf(pause)) - (await bottomOf(search))),
      (difference) => difference < 0.5,
    );
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 860, height: 900 });
    await rowsOf(page).first().waitFor();
    expect(await page.evaluate(CUT_TEXTS)).toEqual([]);
    // The chip of a clock that is days ahead has room, too.
    await scene.sandbox.clock.advance("62h");
    await page
      .getByText(/^\+2 days 1[34] h$/)
      .first()
      .waitFor({ state: "attached" });
    await page.setViewportSize({ width: 320, height: 700 });
    for (const view of ["transactions", "requests", "audit", "steering", "keys", "start", "phone"]) {
      await page.evaluate(`location.hash = "${view}"`);
      await page.locator(`[data-view="${view}"]`).first().waitFor();
      expect([view, await page.evaluate(IS_WIDE)]).toEqual([view, false]);
    }
  });

  test("no amount is cut, up to 999,999,999,999.99, nor a count of ten thousand", async () => {
    await startPayment(scene.sandbox, { amount: 999_999_999.99, phone: "0711000001" });
    await startPayment(scene.sandbox, { amount: 999_999_999.99 });
    const page = await scene.open({ view: "about" });
    await changeAnswers(page, "/prompts", () => ({ total: 10_050 }));
    await page.route(/_momo\/transactions\?/, async (route) => {
      const answer = await (await route.fetch()).text();
      const most = answer
        .replace(/"total_completed_amount":[0-9.]+/g, '"total_completed_amount":999999999999.99')
        .replaceAll('"pending_count":2', '"pending_count":10050')
        .replace('"amount":999999999.99', '"amount":999999999999.99');
      await route.fulfill({ body: most, contentType: "application/json" });
    });
    await page.reload();
    await page.getByText("2 of 10,050 prompts open").waitFor();
    for (const width of [1400, 860, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const view of ["transactions", "phone"]) {
        await page.evaluate(`location.hash = "${view}"`);
        if (view === "transactions") await page.locator("b, td", { hasText: "999,999,999,999.99" }).nth(1).waitFor();
        else await page.locator(".sum").waitFor();
        expect(await page.evaluate(CUT_AMOUNTS)).toEqual([]);
      }
    }
  });
});

describeInBrowser("by keyboard alone", (scene) => {
  test("a person starts a payment, answers it, opens its story, sends it again and adds a rule", async () => {
    const page = await scene.open();
    const person = personAt(page);
    await person.reads("Live");
    const tabTo = (name: string) =>
      until(
        async () => {
          await page.keyboard.press("Tab");
          return focused(page);
        },
        (found) => found.startsWith(name),
      );
    for (const view of ["Payments", "Requests", "Audit", "Steering", "Accounts & keys", "Get started"])
      await tabTo(view);
    await tabTo("Help and shortcuts");
    await person.press("p");
    expect(await focused(page)).toBe("Phone");
    await person.press("Escape");
    expect(await focused(page)).toBe("Help and shortcuts");
    // Shortcuts are for the keys alone, and not while a person types.
    await person.press("Alt+p", "Control+p");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    await person.press("p", "ControlOrMeta+a");
    await page.keyboard.type("0722000001");
    await person.press("Enter");
    await person.at("Prompt from Demo Shop").reads("KES 1,200.00");
    await page.keyboard.type("0000");
    await person.press("Enter");
    await person.at("Phone 0722 000 001").reads("The PIN was wrong.");
    await tabTo("Payments, newest first");
    await person.press("ArrowDown", "Enter");
    await person.at("Story of a payment").reads("wrong PIN (2001)");
    await tabTo("New prompt like this");
    await person.press("Enter", "Enter");
    await person.at("Story of a payment").reads("pending");
    await tabTo("Steering");
    await person.press("Enter");
    await tabTo("Add rule");
    await person.press("Enter");
    await person.at("Rules").reads("every payment: insufficient_funds");
    await tabTo("How the prompt ends");
    await page.keyboard.type("u");
    await tabTo("End prompt");
    await person.press("Enter");
    await person.at("Phone 0722 000 001").reads("Your phone could not be reached in time.");
    await tabTo("Reset …");
    await person.press("Enter");
    expect(await focused(page)).toBe("Cancel");
    await person.press("Escape", "/");
    await page.keyboard.type("p?1");
    await expectAddress(person, "#transactions?search=p?1");
    await person.press("Escape");
    await tabTo("Skip to the content");
    await person.press("Enter");
    expect(await focused(page)).toBe("view");
  });
});
