/**
 * Looks at every view and state of the console on five widths in both themes, by hand: what axe finds, what runs out of the
 * window, and a picture of each in a folder.
 *
 *     node_modules/.bin/bun test/console/everywhere.ts /tmp/pictures
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSandbox } from "momo-sandbox/testing";
import { launchBrowser } from "../support/chromium.ts";
import { fill, violations, walk } from "./walk.ts";

const SCREENS = [
  [360, 740],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
  [3840, 2160],
] as const;

const folder = process.argv[2] ?? "pictures";
mkdirSync(folder, { recursive: true });
const sandbox = await startSandbox({ frozen: true });
const places = await fill(sandbox);
const browser = await launchBrowser();
let problems = 0;
for (const [width, height] of SCREENS) {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, bypassCSP: true });
    await page.goto(`${sandbox.controlUrl}/#transactions`);
    await walk(page, places, async (what) => {
      const name = `${what.replaceAll(/[^a-z]+/g, "-").slice(0, 20)}-${width}-${colorScheme}`;
      await page.screenshot({ path: join(folder, `${name}.png`) });
      const wide = (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) as boolean;
      const found = [...(await violations(page, colorScheme)), ...(wide ? ["it is wider than the window"] : [])];
      problems += found.length;
      for (const problem of found) process.stdout.write(`${name}: ${problem}\n`);
    });
    await page.close();
    process.stdout.write(`${width} px, ${colorScheme}: looked at\n`);
  }
}
process.stdout.write(`${problems} problems\n`);
await browser.close();
await sandbox.stop();
process.exit(problems === 0 ? 0 : 1);
