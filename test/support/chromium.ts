import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./needs.ts";

/** Flags for Chromium in a container, without any request to other machines. */
const LAUNCH = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** @param args more of its flags */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === null) throw new Error("there is no Chromium here: install it, or name it in CHROME_PATH");
  return chromium.launch({ executablePath: CHROMIUM, args: [...LAUNCH, ...args] });
}
