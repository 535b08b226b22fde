import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { parseWebhookUrl } from "../../sandbox/webhooks/settings.ts";
import { parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import { MAX_GIVEN_ACCOUNT_ID, parseName } from "../../src/domain/merchant.ts";
import { amountRule, isAmount, parseTariff, type Tariff } from "../../src/domain/money.ts";
import { parseDay } from "../../src/domain/timestamp.ts";
import { typedPhone } from "../../src/domain/typed-phone.ts";
import type { BasePaths } from "../../src/http/operation.ts";
import { FORMATS } from "./output.ts";
import { misuse, wrongValue } from "./usage.ts";

/** Options that several commands share, and functions that read their values. */

/** Formats of the log of a server. */
export const LOG_FORMATS = ["pretty", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Adds options that several commands share. */
export function withOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** Headings in the help. */
const OUTPUT = "Output:";
const SERVER = "Which server, and which key:";

export const jsonOption = () => new Option("--json", "print JSON, failures included").helpGroup(OUTPUT);
/** For a command that prints data. */
export const outputOptions = (essential?: string) =>
  [
    new Option("--format <format>", "table, json, tsv (default: table at a terminal)").choices(FORMATS),
    new Option("--json", "the same as --format json").conflicts("format"),
    ...(essential === undefined ? [] : [new Option("-q, --quiet", `print only ${essential}`)]),
  ].map((option) => option.helpGroup(OUTPUT));
/** For a command that asks at a terminal before it destroys something. */
export const yesOption = () => new Option("-y, --yes", "do not ask before something is lost");
export const dataOption = () =>
  new Option("--data <dir>", "data directory (default: $MOMO_DATA)").argParser(readFolder);
export const merchantOption = () =>
  new Option("--merchant <id>", "the merchant (default: the first one)").argParser(readId);

/** A payment by its number or its request id. */
export const paymentArgument = () =>
  new Argument("<payment>", "its number, such as 12, or its checkout request id").argParser(readPaymentName);

/** Options for the server and the key. */
export const serverOptions = () =>
  [
    dataOption(),
    new Option("--base-url <url>", "another payment service (default: $MOMO_BASE_URL)"),
    new Option("--api-key <key>", "its API key (default: $MOMO_API_KEY)"),
    new Option("--api-secret <secret>", "visible to other users: prefer $MOMO_API_SECRET"),
  ].map((option) => option.helpGroup(SERVER));

/** Options for the sandbox that is steered. */
export const controlOptions = () =>
  [dataOption(), new Option("--base-url <url>", "its address (default: $MOMO_CONTROL_URL)")].map((option) =>
    option.helpGroup("Which sandbox:"),
  );

/** Options of a command that can wait for an outcome. */
export const waitOptions = () =>
  [
    new Option("--wait", "poll until the payment is final"),
    new Option("--interval <duration>", "between two polls").default(3000, "3s").argParser(readPollInterval),
    new Option("--timeout <duration>", "give up waiting").default(120_000, "120s").argParser(readDuration),
  ].map((option) => option.helpGroup("Waiting:"));

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

export const readDuration = reader((text) => parseDuration(text, "It"));

/** A duration, in the text form for the control API. */
export const readDurationText = reader((text) => {
  parseDuration(text, "It");
  return text;
});

export const readWebhookUrl: (text: string) => string = (text) => {
  try {
    return parseWebhookUrl(text, "--webhook");
  } catch (error) {
    // Commander's own message would show the value, which may have a password.
    if (error instanceof Refusal) throw misuse(error.message);
    throw error;
  }
};
export const readTariff: (text: string) => Tariff = reader((text) => parseTariff(text, "It"));

/** Faster polling would only load the server. */
const MIN_POLL_INTERVAL_MS = 50;

function readPollInterval(text: string): number {
  const intervalMs = readDuration(text);
  if (intervalMs < MIN_POLL_INTERVAL_MS) throw new InvalidArgumentError("It must be 50ms or more");
  return intervalMs;
}

/** The prompt timeout. In less than a second, no customer can answer. */
export function readPromptTimeout(text: string): number {
  const durationMs = readDuration(text);
  if (durationMs < 1000) throw new InvalidArgumentError("It must be 1s or more");
  return durationMs;
}

/** The name of a sandbox. */
export const readName: (text: string) => string = reader((text) => parseName(text, "It"));

export const readId = (text: string): number => readWhole(text, "from 1");

/** The id for a new payment account. */
export function readAccountId(text: string): number {
  const id = readId(text);
  if (id > MAX_GIVEN_ACCOUNT_ID) throw new InvalidArgumentError(`It must be at most ${MAX_GIVEN_ACCOUNT_ID}`);
  return id;
}

/** The PIN of a customer. A refusal does not show the value. */
export function readPin(text: string): string {
  if (!/^[0-9]{4,6}$/.test(text)) throw misuse("--pin must be 4 to 6 digits");
  return text;
}

/** A whole number from 1 to `most`. */
export const readUpTo = (most: number) => (text: string) => readWhole(text, `from 1 to ${most}`, most);

function readWhole(text: string, range: string, most = Number.POSITIVE_INFINITY): number {
  if (/^[1-9][0-9]{0,14}$/.test(text) && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number ${range}`);
}

/** The HTTP status of an injected error. */
export function readStatus(text: string): number {
  if (!/^[45][0-9]{2}$/.test(text)) throw new InvalidArgumentError("It must be an HTTP status from 400 to 599");
  return Number(text);
}

export function readProbability(text: string): number {
  const share = /^(?:0?\.[0-9]{1,9}|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : 0;
  if (share === 0) throw new InvalidArgumentError("It must be a number above 0 and at most 1, such as 0.2");
  return share;
}

/** One of a few words, in any letter case. */
export const readChoice =
  <T extends string>(values: readonly T[]) =>
  (text: string): T => {
    const value = values.find((candidate) => candidate === text.toLowerCase());
    if (!value) throw new InvalidArgumentError(`It must be one of ${values.join(", ")}`);
    return value;
  };

export function readDayText(text: string): string {
  if (parseDay(text) === null) throw new InvalidArgumentError("It must be a day of the calendar, written YYYY-MM-DD");
  return text;
}

export const readText = (least: number, most: number) => (text: string) => {
  const { length } = [...text];
  if (length < least || length > most) {
    throw new InvalidArgumentError(`It must have ${least > 0 ? `${least} to` : "at most"} ${most} characters`);
  }
  return text;
};

/** The number of a payment, such as 12 or #12, or its request id. */
export function readPaymentName(text: string): string {
  if (!/^(?:#?[1-9][0-9]{0,14}|[A-Za-z][\w.-]{0,99})$/.test(text)) {
    throw new InvalidArgumentError("It must be the number of a payment, such as 12, or its request id");
  }
  return text.replace("#", "");
}

/** A host name or an address. An empty one is refused, because it would mean every interface. */
export function readHost(text: string): string {
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(text)) {
    throw new InvalidArgumentError("It must be a host name or an address, such as 127.0.0.1");
  }
  return text;
}

/** A folder. An empty one is refused, because it would mean the current folder. */
function readFolder(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must be the path of a folder");
  return text;
}

export const DEFAULT_PORT = 2547;

export function readPort(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError("It must be a port from 1 to 65535, or 0 for any free one");
  }
  return Number(text);
}

/** The default base paths: that of the specification, and that of the real services. */
export const BASE_PATHS: BasePaths = ["/v2", "/api/v2"];

/** At most 7 parts, because the server compares 8, and the operation is one of them. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+){0,7}$/;

/** `/v2`, `/a/b`, or `/` for none. Returns it without the last slash. */
export function readBasePath(text: string): string {
  const path = text === "/" ? "" : text;
  if (!BASE_PATH.test(path) || /^\/_momo(?:\/|$)/.test(path) || path.length > 100) {
    throw new InvalidArgumentError("It must be a path such as /v2 of at most 7 parts, outside /_momo");
  }
  return path;
}

/** Reads a phone number and an amount as a person types them. */

/**
 * A number in the form that the service accepts.
 * @param words a person may type a number in several words
 * @param what named in the refusal
 * @throws {@link misuse} if they are not a number
 */
export function readTypedPhone(words: readonly string[], what = "PHONE"): string {
  const phone = typedPhone(words.join(""));
  if (phone !== null) return phone;
  throw misuse(wrongValue(what, "must be a number such as 0712345678 or +254 712 345 678", words.join(" ")));
}

/**
 * @param what named in the refusal
 * @throws {@link misuse} if it is not an amount
 */
export function readAmount(text: string, what = "AMOUNT"): number {
  const amount = /^[0-9]{1,12}(?:\.[0-9]{1,12})?$/.test(text) ? Number(text) : null;
  if (amount !== null && isAmount(amount)) return amount;
  if (amount !== null) throw misuse(wrongValue(what, amountRule(amount), text));
  throw misuse(wrongValue(what, "must be a number of shillings, such as 100 or 99.50", text));
}
