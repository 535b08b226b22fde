import axe from "axe-core";
import type { TestSandbox } from "momo-sandbox/testing";
import type { Page } from "playwright-core";
import { askStatus, startPayment } from "../support/browser.ts";

/** A walk through every view and state of the console. */

/** Something of everything: payments of each status, mistakes, a rule that is never reached, a fault, a prompt that rings. */
export async function fill(sandbox: TestSandbox): Promise<{ readonly payment: string; readonly call: number }> {
  const payment = await startPayment(sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
  await startPayment(sandbox, { phone: "0722000001" }, "completed; after=1s");
  await startPayment(sandbox, { phone: "0722000002" }, "cancelled; after=1s");
  await askStatus(sandbox, payment);
  await sandbox.clock.advance("1s");
  for (let twice = 0; twice < 2; twice += 1) await startPayment(sandbox, { reference: "ORDER-2" });
  await askStatus(sandbox, payment);
  await sandbox.rules.add({ outcome: "unreachable" }, { outcome: "cancelled" });
  await sandbox.faults.set([{ kind: "delay", delay: "1ms" }]);
  const calls = await sandbox.requests();
  return { payment, call: calls.at(-1)?.id ?? 0 };
}

/** Leads the page through all of it, and has each looked at. */
export async function walk(
  page: Page,
  { payment, call }: { readonly payment: string; readonly call: number },
  look: (what: string) => Promise<void>,
): Promise<void> {
  /** Something of each view and state, to wait for. */
  const views = {
    transactions: "0722 000 001",
    "transactions?search=nobody": "No payment fits these filters.",
    [`transactions/${payment}`]: "What to do",
    requests: "The last 1,000 calls",
    "requests?mistake=any&path=none": "No call fits these filters",
    [`requests/${call}`]: "Copy as curl",
    "requests/999999": "It is no longer in the log",
    audit: "Take note of",
    steering: "Forgets transactions",
    keys: "Make key",
    start: "Take a payment",
    ...((page.viewportSize()?.width ?? 0) < 896 && { phone: "Enter PIN" }),
  };
  for (const [view, text] of Object.entries(views)) {
    await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
    await page.getByText(text).first().waitFor();
    await look(view);
  }
  await page.evaluate(`location.hash = "steering"`);
  await page.getByRole("button", { name: "Reset …" }).click();
  await look("reset");
  await page.getByRole("button", { name: "Keep everything" }).click();
  for (const [key, name] of [["?", "help"] as const, ["p", "pay"] as const]) {
    await page.keyboard.press(key);
    await page.locator("dialog[open]").waitFor();
    await look(name);
    await page.keyboard.press("Escape");
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
