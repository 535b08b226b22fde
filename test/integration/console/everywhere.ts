/**
 * Looks at every view and state of the console, full and empty, on five widths in both themes, zoomed, in forced colours and on
 * paper, by hand: what axe finds, what runs out of the window, and a picture of each in a folder. A word chooses some screens.
 *
 *     node_modules/.bin/bun test/integration/console/everywhere.ts /tmp/pictures
 *     node_modules/.bin/bun test/integration/console/everywhere.ts /tmp/pictures 360-light
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSandbox } from "momo-sandbox/testing";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../../support/chromium.ts";
import { fill, violations, walk, walkEmpty } from "./walk.ts";

const SIZES = [
  [360, 740],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
  [3840, 2160],
] as const;

type Screen = BrowserContextOptions & { readonly name: string; readonly media?: "print" };

const SCREENS: readonly Screen[] = [
  ...SIZES.flatMap(([width, height]) =>
    (["light", "dark"] as const).map((colorScheme) => ({
      name: `${width}-${colorScheme}`,
      viewport: { width, height },
      colorScheme,
    })),
  ),
  { name: "1440-zoomed", viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
  { name: "1440-forced", viewport: { width: 1440, height: 900 }, colorScheme: "dark", forcedColors: "active" },
  { name: "1440-paper", viewport: { width: 794, height: 1123 }, media: "print" },
];

const [folder = "pictures", wanted = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
process.env.MOMO_EXECUTABLE ??= join(import.meta.dir, "../../support/momo-from-source.sh");
const [full, empty] = await Promise.all([startSandbox({ frozen: true }), startSandbox({ frozen: true })]);
const places = await fill(full);
const browser = await launchBrowser();
let problems = 0;
for (const screen of SCREENS.filter(({ name }) => name.includes(wanted))) {
  const { name, media, ...options } = screen;
  const page = await browser.newPage({ bypassCSP: true, reducedMotion: "reduce", ...options });
  await page.goto(`${full.controlUrl}/#transactions`);
  await walk(page, places, (what) => look(page, screen, what));
  await page.goto(`${empty.controlUrl}/#start`);
  await walkEmpty(page, (what) => look(page, screen, what));
  await page.close();
  process.stdout.write(`${name}: looked at\n`);
}
process.stdout.write(`${problems} problems\n`);
await browser.close();
await Promise.all([full.stop(), empty.stop()]);
process.exit(problems === 0 ? 0 : 1);

async function look(page: Page, { name, colorScheme, forcedColors, media }: Screen, what: string): Promise<void> {
  // Buttons are no part of a page on paper.
  if (media) await page.emulateMedia({ media });
  const file = `${name}-${what.replaceAll(" ", "-")}`;
  await page.screenshot({ path: join(folder, `${file}.png`), fullPage: media === "print" });
  const wide = (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) as boolean;
  if (media) await page.emulateMedia({ media: null });
  const isOurs = forcedColors !== "active" && media !== "print";
  const found = [
    ...(isOurs ? await violations(page, colorScheme === "dark" ? "dark" : "light") : []),
    ...(wide ? ["it is wider than the window"] : []),
  ];
  problems += found.length;
  for (const problem of found) process.stdout.write(`${file}: ${problem}\n`);
}
