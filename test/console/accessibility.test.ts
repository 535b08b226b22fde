import { expect, test } from "bun:test";
import axe from "axe-core";
import { askStatus, describeInBrowser, startPayment } from "../support/browser.ts";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const SCREENS = { "360 px": { width: 360, height: 740 }, desktop: { width: 1440, height: 900 } } as const;
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The themes differ in their colours alone. */
const RULES_OF = { light: RULES, dark: ["color-contrast"] } as const;

describeInBrowser("accessible to everybody: axe finds nothing", (scene) => {
  for (const [screen, viewport] of Object.entries(SCREENS)) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`${screen}, ${colorScheme}`, async () => {
        const id = await startPayment(scene.sandbox, { reference: "ORDER-1" }, "insufficient_funds; after=1s");
        await startPayment(scene.sandbox, { phone: "0722000001" }, "completed; after=1s");
        await startPayment(scene.sandbox, { phone: "0722000002" }, "cancelled; after=1s");
        await askStatus(scene.sandbox, id);
        await scene.sandbox.clock.advance("1s");
        await startPayment(scene.sandbox, { reference: "ORDER-2" });
        await askStatus(scene.sandbox, id);
        await scene.sandbox.rules.add({ outcome: "unreachable", times: 2 });

        const page = await scene.open({ viewport, colorScheme, bypassCSP: true });
        await page.locator("tbody.rows tr").first().waitFor();
        await page.evaluate(axe.source);
        const found: string[] = [];
        async function look(what: string) {
          const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES_OF[colorScheme])} }).then(({ violations }) => violations)`;
          const violations = (await page.evaluate(run)) as Violation[];
          for (const { id: rule, nodes } of violations) {
            found.push(...nodes.map(({ html, failureSummary }) => `${what}: ${rule}: ${html}: ${failureSummary}`));
          }
        }
        await look("transactions");
        const narrow = screen === "360 px" ? ["phone"] : [];
        for (const view of ["requests", "steering", "keys", "start", `transactions/${id}`, ...narrow]) {
          await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
          await page.waitForFunction(`document.querySelector(".view")?.innerText.length > 50 || ${view === "phone"}`);
          if (view.includes("/")) await page.getByText("What to do").waitFor();
          await look(view);
        }
        await page.getByRole("button", { name: /^(Test payment|Pay)$/ }).click();
        await look("test payment");
        expect(found).toEqual([]);
      });
    }
  }
});
