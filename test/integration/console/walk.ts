import axe from "axe-core";
import type { TestSandbox } from "momo-sandbox/testing";
import type { Page } from "playwright-core";
import { askStatus, startPayment } from "../../support/browser.ts";

/** A walk through every view and state of the console. */

/** What a walk looks at. */
export interface Places {
  readonly failed: string;
  readonly completed: string;
  readonly pending: string;
  readonly call: number;
}

/** Something of everything: payments of each status, mistakes, a rule that is never reached, a fault, five phones that ring. */
export async function fill(sandbox: TestSandbox): Promise<Places> {
  const failed = await startPayment(sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
  const completed = await startPayment(sandbox, { phone: "0722000001", reference: LONG }, "completed; after=1s");
  await startPayment(sandbox, { phone: "0722000002" }, "cancelled; after=1s");
  await askStatus(sandbox, failed);
  await sandbox.clock.advance("1s");
  await startPayment(sandbox, { phone: "0722000003", amount: 249_999.99 }, "expired");
  await sandbox.clock.advance("61s");
  await startPayment(sandbox, { amount: "12" });
  const pending = await startPayment(sandbox, { reference: "ORDER-2", description: "Two coffees and a mandazi" });
  await startPayment(sandbox, { reference: "ORDER-2" });
  for (const phone of ["0711000001", "0711000002", "0711000003", "0711000004"]) {
    await startPayment(sandbox, { phone, reference: `ORDER-${phone.slice(-1)}` });
  }
  for (let poll = 0; poll < 2; poll += 1) await askStatus(sandbox, failed);
  await sandbox.rules.add({ outcome: "unreachable" }, { outcome: "cancelled" });
  await sandbox.faults.set([{ kind: "delay", delay: "1ms" }]);
  await sandbox.webhook.set({ url: "http://127.0.0.1:9/hook", times: 2, lost: 0.2 });
  const calls = await sandbox.requests();
  return { failed, completed, pending, call: calls.find(({ status }) => status === 400)?.id ?? 0 };
}

/** As long as the API takes one. */
const LONG = `INV/2026/${"0123456789".repeat(9)}-`;

/** Leads the page through all of it, and has each looked at. */
export async function walk(
  page: Page,
  { failed, completed, pending, call }: Places,
  look: (what: string) => Promise<void>,
): Promise<void> {
  await walkViews(page, look, {
    payments: ["transactions", "of 10 payments"],
    "no payment fits": ["transactions?search=nobody", "No payment fits these filters."],
    "failed story": [`transactions/${failed}`, "What to do"],
    "completed story": [`transactions/${completed}?status=completed`, "Confirmed."],
    "pending story": [`transactions/${pending}`, "None yet"],
    requests: ["requests", "The last 1,000 requests"],
    "no request fits": ["requests?mistake=any&path=none", "No request fits these filters"],
    "refused request": [`requests/${call}`, "Headers"],
    "forgotten request": ["requests/999999", "It is no longer in the log"],
    audit: ["audit", "known"],
    steering: ["steering", "Forgets payments"],
    keys: ["keys", "Make key"],
    start: ["start", "Take a payment"],
    ...((page.viewportSize()?.width ?? 0) < 896 && { phone: ["phone", "Enter PIN"] }),
  });
  await page.evaluate(`location.hash = "steering"`);
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.locator(".danger:enabled").waitFor();
  await look("reset");
  await page.getByRole("button", { name: "Keep everything" }).click();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  await look("help");
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  const pay = page.getByRole("dialog", { name: "Test payment" });
  await look("pay");
  await pay.getByRole("button", { name: "More" }).click();
  await pay.getByLabel("Phone").fill("12");
  await page.keyboard.press("Enter");
  await pay.getByText("phone must be").waitFor();
  await look("refused pay");
  await page.keyboard.press("Escape");
}

/** The same before anybody has paid. */
export async function walkEmpty(page: Page, look: (what: string) => Promise<void>): Promise<void> {
  await walkViews(page, look, {
    "empty start": ["start", "Waiting for the first payment"],
    "no payments": ["transactions", "No payments yet"],
    "no requests": ["requests", "No requests yet"],
    "no findings": ["audit", "Nothing found"],
    "no rules": ["steering", "None. A rule says"],
    ...((page.viewportSize()?.width ?? 0) < 896 && { "quiet phone": ["phone", "No prompt is open"] }),
  });
}

/** @param views by what each shows: its address, and something of it to wait for */
async function walkViews(
  page: Page,
  look: (what: string) => Promise<void>,
  views: Readonly<Record<string, string[]>>,
): Promise<void> {
  for (const [what, [view = "", text = ""]] of Object.entries(views)) {
    await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
    await page.getByText(text).first().waitFor();
    await look(what);
  }
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The themes differ in their colours alone. */
const RULES = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  dark: ["color-contrast"],
} as const;

/** What axe finds in what is to be seen. The page must allow scripts of others. */
export async function violations(page: Page, theme: "light" | "dark"): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  if (!(await page.evaluate(`"axe" in globalThis`))) await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES[theme])}, resultTypes: ["violations"] })`;
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${theme}: ${id}: ${html}: ${failureSummary}`),
  );
}
