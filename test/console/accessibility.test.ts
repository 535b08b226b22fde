import { expect, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { askStatus, describeInBrowser, startPayment } from "../support/browser.ts";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const SCREENS = { "360 px": { width: 360, height: 740 }, desktop: { width: 1440, height: 900 } } as const;

/** The themes differ in their colours alone. */
const RULES = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  dark: ["color-contrast"],
} as const;

/** What is wrong with what is to be seen, in both themes. */
async function look(page: Page, what: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES[colorScheme])}, resultTypes: ["violations"] })`;
    const violations = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Violation[];
    for (const { id, nodes } of violations) {
      found.push(
        ...nodes.map(({ html, failureSummary }) => `${what}, ${colorScheme}: ${id}: ${html}: ${failureSummary}`),
      );
    }
  }
  return found;
}

describeInBrowser("accessible to everybody: axe finds nothing in both themes", (scene) => {
  for (const [screen, viewport] of Object.entries(SCREENS)) {
    test(`on a screen of ${screen}`, async () => {
      const id = await startPayment(scene.sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
      await startPayment(scene.sandbox, { phone: "0722000001" }, "completed; after=1s");
      await startPayment(scene.sandbox, { phone: "0722000002" }, "cancelled; after=1s");
      await askStatus(scene.sandbox, id);
      await scene.sandbox.clock.advance("1s");
      await startPayment(scene.sandbox, { reference: "ORDER-2" });
      await askStatus(scene.sandbox, id);
      await scene.sandbox.rules.add({ outcome: "unreachable", times: 2 });

      const page = await scene.open({ viewport, bypassCSP: true });
      await page.locator("tbody.rows tr").first().waitFor();
      await page.evaluate(axe.source);
      const found = await look(page, "transactions");
      /** Something of each view, to wait for. */
      const views = {
        requests: "Only mistakes",
        steering: "Forgets transactions",
        keys: "Make key",
        start: "Take a payment",
        [`transactions/${id}`]: "What to do",
        ...(screen === "360 px" && { phone: "Enter PIN" }),
      };
      for (const [view, text] of Object.entries(views)) {
        await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
        await page.getByText(text).first().waitFor();
        found.push(...(await look(page, view)));
      }
      await page.getByRole("button", { name: /^(Test payment|Pay)$/ }).click();
      found.push(...(await look(page, "test payment")));
      expect(found).toEqual([]);
    });
  }
});
