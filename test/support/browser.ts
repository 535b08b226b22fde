import { afterEach, beforeAll, expect } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { startSandbox, type TestSandbox } from "stkpush-sandbox/testing";
import { createClient } from "./client.ts";
import { describeWith, launchBrowser } from "./needs.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** The console in Chromium. */
export interface BrowserScene {
  /** A sandbox without payments, with a frozen clock. */
  readonly sandbox: TestSandbox;
  /** Opens the console of {@link sandbox}, or another one. There is one page at a time. */
  open(options?: OpenOptions): Promise<Page>;
}

export interface OpenOptions {
  readonly url?: string;
  /** The address after `#`. */
  readonly view?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Allows the scripts of a test. */
  readonly bypassCSP?: boolean;
  /** The errors in the browser's console that the test expects. */
  readonly expected?: RegExp;
}

/** A screen with room for the phone beside the dashboard. */
const DESKTOP = { width: 1280, height: 900 };

/** All files share a browser, a page for each policy, and a sandbox. They end with the process. */
let browser: Promise<Browser> | undefined;
let sandbox: Promise<TestSandbox> | undefined;
const pages = new Map<boolean, Promise<Page>>();

/** Defines tests that need a browser. */
export function describeInBrowser(name: string, define: (scene: BrowserScene) => void): void {
  describeWith(["Chromium"], name, () => {
    let started: TestSandbox;
    let page: Page | undefined;
    const complaints: string[] = [];

    beforeAll(async () => {
      browser ??= launchBrowser();
      sandbox ??= startSandbox({ frozen: true });
      started = await sandbox;
    });
    // An error in the browser's console is always a defect.
    afterEach(async () => {
      page?.removeAllListeners();
      await page?.unrouteAll({ behavior: "ignoreErrors" });
      await page?.goto("about:blank");
      expect(complaints.splice(0)).toEqual([]);
      await started.reset();
      await started.clock.freeze();
      // A reset keeps the findings.
      await createClient(started).control("DELETE", "/audit");
    });

    define({
      get sandbox() {
        return started;
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
        await page.goto(`${url ?? `${started.controlUrl}/`}#${view}`);
        return page;
      },
    });
  });
}

function pageFor(bypassCSP: boolean): Promise<Page> {
  const page = pages.get(bypassCSP) ?? newPage(bypassCSP, pages.size === 0);
  pages.set(bypassCSP, page);
  return page;
}

async function newPage(bypassCSP: boolean, isFirst: boolean): Promise<Page> {
  const page = await (await browser)?.newPage({ bypassCSP });
  if (!page) throw new Error("there is no browser");
  page.setDefaultTimeout(PATIENCE_MS);
  if (isFirst) tellWhatIsShown(Object.getPrototypeOf(page.locator("body")));
  return page;
}

const WAITING = ["waitFor", "click", "fill", "press", "check", "focus", "hover", "selectOption", "inputValue"] as const;

/** A time-out of playwright says what it waited for. This adds what the page shows. */
function tellWhatIsShown(locators: Record<(typeof WAITING)[number], (...args: unknown[]) => Promise<unknown>>): void {
  for (const name of WAITING) {
    const wait = locators[name];
    locators[name] = async function (this: Locator, ...args) {
      try {
        return await wait.apply(this, args);
      } catch (error) {
        const [shown] = await this.page()
          .locator("body")
          .allInnerTexts()
          .catch(() => []);
        (error as Error).message += `\nThe page shows:\n${shown ?? "nothing"}`;
        throw error;
      }
    };
  }
}

/** Changes members of the answers to a call of the page. */
export const changeAnswers = (page: Page, call: string, changed: (answer: Record<string, object>) => object) =>
  page.route(`**/_momo${call}`, async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, ...changed(answer) } });
  });

/** The rows of the list in the view. */
export const rowsOf = (page: Page): Locator => page.locator("tbody.rows tr");

/** The visible text. */
export async function textOf(place: Locator): Promise<string> {
  await place.first().waitFor();
  return (await place.allInnerTexts()).join("\n");
}

/**
 * Starts a payment.
 * @param outcome for the header; null: no header
 * @returns its checkout request id
 */
export function startPayment(
  sandbox: TestSandbox,
  order: object = {},
  outcome: string | null = "manual",
): Promise<string> {
  return createClient(sandbox).pay({ ...order }, outcome ?? undefined);
}

export const askStatus = (sandbox: TestSandbox, checkoutRequestId: string): Promise<string> =>
  createClient(sandbox).statusOf(checkoutRequestId);
