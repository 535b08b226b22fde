import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** Opens the console, and waits until it shows what the server has. */
export async function openConsole(browser: Browser, address: string, options: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: "reduce", ...options });
  await page.goto(address);
  await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
  return page;
}

/** Playwright itself has no WebP, which is much smaller than its PNG. */
export async function webpOf(page: Page, quality: number): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality });
  return Buffer.from(data, "base64");
}
