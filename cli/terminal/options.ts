import { InvalidArgumentError, Option } from "commander";
import { parseWebhookUrl } from "../../sandbox/webhooks/settings.ts";
import { parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import { parseTariff, type Tariff } from "../../src/domain/fee.ts";
import { parseName } from "../../src/domain/merchant.ts";
import type { BasePaths } from "../../src/http/operation.ts";
import { misuse } from "./usage.ts";

/** Options that several commands share, and readers that refuse with the right words. */

export const jsonOption = () => new Option("--json", "print JSON, failures included");
export const quietOption = (what: string) => new Option("-q, --quiet", `print only ${what}`);
export const dataOption = () =>
  new Option("--data <dir>", "the data directory (default: $MOMO_DATA, or the platform's data folder)").argParser(
    readFolder,
  );
export const merchantOption = () =>
  new Option("--merchant <id>", "whose (default: the first merchant)").argParser(readId);

/** Options that say which server, and with whose key. */
export const serverOptions = () => [
  new Option(
    "--base-url <url>",
    "the payment service (default: $MOMO_BASE_URL, or the one that serves the data directory)",
  ),
  new Option("--api-key <key>", "its API key (default: $MOMO_API_KEY, or the data directory's)"),
  new Option(
    "--api-secret <secret>",
    "its API secret, which the list of processes then shows (default: $MOMO_API_SECRET, or the data directory's)",
  ),
  dataOption(),
];

/** Options that say which sandbox is steered. */
export const controlOptions = () => [
  new Option(
    "--base-url <url>",
    "its payment service (default: $MOMO_CONTROL_URL, $MOMO_BASE_URL, or the data directory's)",
  ),
  dataOption(),
];

/** Options of a command that can wait for an outcome. */
export const waitOptions = () => [
  new Option("--wait", "poll until the payment is final"),
  new Option("--interval <duration>", "between two polls").default(3000, "3s").argParser(readPollInterval),
  new Option("--timeout <duration>", "give up waiting").default(120_000, "120s").argParser(readDuration),
];

/** Turns a refusal into commander's usage error, which names the option. */
function reader<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof Refusal) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

const readDuration = reader((text) => parseDuration(text, "It"));
export const readWebhookUrl: (text: string) => string = (text) => {
  try {
    return parseWebhookUrl(text, "--webhook");
  } catch (error) {
    // In words of its own, because commander would show the value.
    if (error instanceof Refusal) throw misuse(error.message);
    throw error;
  }
};
export const readTariff: (text: string) => Tariff = reader((text) => parseTariff(text, "It"));

/** Below this a poll is an attack. */
const MIN_POLL_INTERVAL_MS = 50;

function readPollInterval(text: string): number {
  const intervalMs = readDuration(text);
  if (intervalMs < MIN_POLL_INTERVAL_MS) throw new InvalidArgumentError("It must be 50ms or more");
  return intervalMs;
}

/** The prompt's lifetime: a second at least, or no customer could answer. */
export function readPromptTimeout(text: string): number {
  const durationMs = readDuration(text);
  if (durationMs < 1000) throw new InvalidArgumentError("It must be 1s or more");
  return durationMs;
}

/** What people call a sandbox. */
export const readName: (text: string) => string = reader((text) => parseName(text, "It"));

export function readId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1");
  return Number(text);
}

/** A host name or an address; an empty one would mean every interface. */
export function readHost(text: string): string {
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(text)) {
    throw new InvalidArgumentError("It must be a host name or an address, such as 127.0.0.1");
  }
  return text;
}

/** A folder; an empty one would mean the current folder. */
function readFolder(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must be the path of a folder");
  return text;
}

export function readPort(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError("It must be a port from 1 to 65535, or 0 for any free one");
  }
  return Number(text);
}

/** Where the API stands unless told: as in the specification, and as the real services have it. */
export const BASE_PATHS: BasePaths = ["/v2", "/api/v2"];

/** One part less than a server tells apart: the operation comes after it. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+){0,7}$/;

/** `/v2`, `/a/b`, or `/` for none; without the last slash. */
export function readBasePath(text: string): string {
  const path = text === "/" ? "" : text;
  if (!BASE_PATH.test(path) || /^\/_momo(?:\/|$)/.test(path) || path.length > 100) {
    throw new InvalidArgumentError("It must be a path such as /v2 of at most 7 parts, outside /_momo");
  }
  return path;
}
