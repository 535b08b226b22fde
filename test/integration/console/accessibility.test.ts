import { expect, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import type { TestSandbox } from "stkpush-sandbox/testing";
import { askStatus, changeAnswers, describeInBrowser, startPayment } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";

/** One of each: every status, findings, a rule that is never reached, a fault, five open prompts. */
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
    "no rules": ["steering", "None. A rule says"],
    ...(isNarrow(page) && { "no prompt": ["phone", "No prompt is open"] }),
  });

/** All views and dialogs with payments. */
async function walkFull(page: Page, places: Awaited<ReturnType<typeof fill>>, visit: Visit): Promise<void> {
  await walk(page, visit, {
    payments: ["transactions", "of 10 payments"],
    "no payment fits": ["transactions?search=nobody", "No payment fits these filters."],
    "failed story": [`transactions/${places.failed}`, "What to do"],
    "completed story": [`transactions/${places.completed}?status=completed`, "Confirmed."],
    "pending story": [`transactions/${places.pending}`, "None yet"],
    requests: ["requests", "The last 1,000 requests"],
    "no request fits": ["requests?finding=any&path=none", "No request fits these filters"],
    "refused request": [`requests/${places.refused}`, "Headers"],
    "forgotten request": ["requests/999999", "It is no longer in the log"],
    audit: ["audit", "What is wrong"],
    steering: ["steering", "Removes payments"],
    keys: ["keys", "Make key"],
    start: ["start", "Your first payment"],
    ...(isNarrow(page) && { phone: ["phone", "Enter PIN"] }),
  });
  await page.evaluate(`location.hash = "steering"`);
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.locator(".danger:enabled").waitFor();
  await visit("reset");
  await page.getByRole("button", { name: "Keep everything" }).click();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  await visit("help");
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  const pay = page.getByRole("dialog", { name: "Test payment" });
  await pay.getByRole("button", { name: "More" }).click();
  await pay.getByLabel("Phone").fill("12");
  await page.keyboard.press("Enter");
  await pay.getByText("must be a string of 254").waitFor();
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

/** What axe finds in the page, and whether the page is too wide. */
async function problemsOf(page: Page, theme: "light" | "dark"): Promise<string[]> {
  if (!(await page.evaluate(`"axe" in globalThis`))) await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES[theme])}, resultTypes: ["violations"] })`;
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Violation[];
  // The bar hides what is too wide for it; and no word of it may be broken.
  const isWide = await page.evaluate(`document.documentElement.scrollWidth > innerWidth ||
    Math.ceil(document.querySelector(".top-bar > .primary").getBoundingClientRect().right) > innerWidth ||
    [...document.querySelectorAll(".brand, .clock-chip time")].some(({ clientHeight }) => clientHeight > 40)`);
  const texts = found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
  return isWide ? [...texts, "it is wider than the screen"] : texts;
}

describeInBrowser("axe finds nothing in any view, and no view is wider than the screen", (scene) => {
  for (const [width, height, theme] of [
    [360, 740, "light"],
    [1280, 900, "dark"],
  ] as const) {
    test(`${width} px, ${theme}`, async () => {
      const viewport = { width, height };
      const page = await scene.open({ url: "about:blank", viewport, bypassCSP: true, expected: /400 \(Bad Request\)/ });
      await changeAnswers(page, "/server", () => ({ name: "Corner Shop, till 3" }));
      await page.goto(`${scene.sandbox.controlUrl}/`);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const problems: string[] = [];
      const visit = async (what: string) => {
        problems.push(...(await problemsOf(page, theme)).map((problem) => `${what}: ${problem}`));
      };
      await walkEmpty(page, visit);
      await walkFull(page, await fill(scene.sandbox), visit);
      expect(problems).toEqual([]);
    });
  }
});
