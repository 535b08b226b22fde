import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Chromium usually is; CHROME_PATH names another one. */
const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The program; null if it is not installed. */
export const CHROMIUM =
  [process.env.CHROME_PATH ?? "", ...USUAL_PLACES].find((path) => path !== "" && existsSync(path)) ?? null;

/** Flags for Chromium in a container, without any request to other machines. */
const LAUNCH = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** @param args more of its flags */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === null) throw new Error("there is no Chromium here: install it, or name it in CHROME_PATH");
  return chromium.launch({ executablePath: CHROMIUM, args: [...LAUNCH, ...args] });
}
