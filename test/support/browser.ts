import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type TestSandbox } from "momo-sandbox/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { CHROMIUM, launchBrowser } from "./chromium.ts";
import { PATIENCE_MS } from "./time-outs.ts";

/** The console in a real browser: Chromium, where there is one. */

/** What the tests of a file see. */
export interface BrowserScene {
  /** A sandbox of the file's own, as new for each test; its clock stands still. */
  readonly sandbox: TestSandbox;
  /** The console of {@link sandbox}, or of another address. There is one page at a time. */
  open(options?: OpenOptions): Promise<Page>;
}

export interface OpenOptions {
  readonly url?: string;
  /** What stands after the `#`. */
  readonly view?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** For scripts that a test brings along. */
  readonly bypassCSP?: boolean;
  /** Parts of what a browser complains about, where that is to be expected. */
  readonly expected?: RegExp;
}

/** A screen with room for the phones beside the dashboard. */
const DESKTOP = { width: 1280, height: 900 };

/** One for all files, and in it a page for each policy; they end with the process. */
let browser: Promise<Browser> | undefined;
const pages = new Map<boolean, Promise<Page>>();

/** Defines tests that need a browser; where there is none they say that they were left out. */
export function describeInBrowser(name: string, define: (scene: BrowserScene) => void): void {
  if (CHROMIUM === null) {
    test(`${name}: left out, because there is no Chromium here; install it, or name it in CHROME_PATH`, () => {});
    return;
  }
  describe(name, () => {
    let sandbox: TestSandbox;
    let page: Page | null = null;
    const complaints: string[] = [];

    beforeAll(async () => {
      browser ??= launchBrowser();
      [sandbox] = await Promise.all([startSandbox({ frozen: true }), browser]);
    });
    afterAll(() => sandbox.stop());
    // An error of the console or of the policy is a defect, whatever else the test is about.
    afterEach(async () => {
      await leave(page);
      page = null;
      expect(complaints.splice(0)).toEqual([]);
      await sandbox.reset();
      await sandbox.clock.freeze();
    });

    define({
      get sandbox() {
        return sandbox;
      },
      async open({ url, view = "transactions", viewport = DESKTOP, bypassCSP = false, expected } = {}) {
        page = await pageFor(bypassCSP);
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (message) => {
          const text = `${message.text()} ${message.location().url}`;
          const isComplaint = ["error", "warning"].includes(message.type());
          if (isComplaint && !expected?.test(text)) complaints.push(text);
        });
        await page.goto(`${url ?? `${sandbox.controlUrl}/`}#${view}`);
        return page;
      },
    });
  });
}

function pageFor(bypassCSP: boolean): Promise<Page> {
  const page = pages.get(bypassCSP) ?? newPage(bypassCSP);
  pages.set(bypassCSP, page);
  return page;
}

async function newPage(bypassCSP: boolean): Promise<Page> {
  browser ??= launchBrowser();
  const page = await (await browser).newPage({ bypassCSP });
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

async function leave(page: Page | null): Promise<void> {
  page?.removeAllListeners();
  await page?.goto("about:blank");
}

/** What a person reads there. */
export async function textOf(place: Locator): Promise<string> {
  await place.first().waitFor();
  return (await place.allInnerTexts()).join("\n");
}

/**
 * Starts a payment as a merchant's server does.
 * @param outcome for the header; null: without one
 */
export async function startPayment(
  { baseUrl, headers, paymentAccountId }: TestSandbox,
  order: Readonly<Record<string, unknown>> = {},
  outcome: string | null = "manual",
): Promise<string> {
  const answer = await fetch(`${baseUrl}/stkpush.php`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(outcome !== null && { "X-Sandbox-Outcome": outcome }),
      ...headers,
    },
    body: JSON.stringify({ payment_account_id: paymentAccountId, phone: "0712345678", amount: 100, ...order }),
  });
  const { checkout_request_id } = (await answer.json()) as { checkout_request_id: string };
  return checkout_request_id;
}

/** Asks what became of it. */
export async function askStatus({ baseUrl, headers }: TestSandbox, checkoutRequestId: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/status.php`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ checkout_request_id: checkoutRequestId }),
  });
  return ((await answer.json()) as { status: string }).status;
}
