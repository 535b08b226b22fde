import { expect, test } from "bun:test";
import { describeInBrowser } from "../../support/browser.ts";
import { fill, violations, walk } from "./walk.ts";

/** `everywhere.ts` looks at five widths in both themes, by hand. */
const SCREENS = [
  { name: "360 px, light", viewport: { width: 360, height: 740 }, theme: "light" },
  { name: "1440 px, dark", viewport: { width: 1440, height: 900 }, theme: "dark" },
] as const;

describeInBrowser("accessible to everybody: axe finds nothing in any view and state", (scene) => {
  for (const { name, viewport, theme } of SCREENS) {
    test(`on a screen of ${name}`, async () => {
      const places = await fill(scene.sandbox);
      const page = await scene.open({ viewport, bypassCSP: true, expected: /400 \(Bad Request\)/ });
      const found: string[] = [];
      await walk(page, places, async (what) => {
        found.push(...(await violations(page, theme)).map((violation) => `${what}: ${violation}`));
      });
      expect(found).toEqual([]);
    });
  }
});
