import { Argument, type Command, Option } from "commander";
import { parseChoice } from "../../sandbox/network/choice.ts";
import { LAST_INSTANT_MS, type Start } from "../../sandbox/network/clock.ts";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { parseWebhookUrl } from "../../sandbox/webhooks/settings.ts";
import { formatDuration, parseDuration, parseMove } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import { MAX_GIVEN_ACCOUNT_ID, parseName } from "../../src/domain/merchant.ts";
import { amountRule, isAmount, parseTariff, type Tariff } from "../../src/domain/money.ts";
import { typedPhone } from "../../src/domain/phone.ts";
import { formatTimestamp, INSTANT_FORM, parseInstant } from "../../src/domain/timestamp.ts";
import { BASE_PATH_RULE, type BasePaths, isBasePath } from "../../src/http/paths.ts";
import { FORMATS } from "./output.ts";
import { misuse, WrongValue, wrong, wrongValue } from "./usage.ts";

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
    new Option("--format <format>").choices(FORMATS).default(undefined, "table at a terminal"),
    new Option("--json", "the same as --format json").conflicts("format"),
    ...(essential === undefined ? [] : [new Option("-q, --quiet", `print only ${essential}`)]),
  ].map((option) => option.helpGroup(OUTPUT));
/** For a command that asks at a terminal before it destroys something. */
export const yesOption = () =>
  new Option("-y, --yes", "do not ask before something is lost; without a terminal momo never asks");
export const dataOption = () => new Option("--data <dir>", "data directory (default: $MOMO_DATA)").argParser(readPath);
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

type Parse<T> = (text: string, what: string) => T;

/** Reads with a function of the domain, which names the value in its refusal. */
const reader =
  <T>(parse: Parse<T>) =>
  (text: string): T => {
    try {
      return parse(text, "It");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new WrongValue((name) => refusalOf(parse, text, name));
    }
  };

function refusalOf(parse: Parse<unknown>, text: string, name: string): string {
  try {
    parse(text, name);
    return "";
  } catch (error) {
    return (error as Refusal).message;
  }
}

/** A text that the function can parse, as it was written, for the control API. */
const asWritten = (parse: Parse<unknown>) =>
  reader((text, what) => {
    parse(text, what);
    return text;
  });

export const readDuration = reader(parseDuration);
export const readDurationText = asWritten(parseDuration);

/**
 * Commander's own message would show the value, which may have a password.
 * @param what the name of the input in the refusal
 */
export const webhookUrlReader = (what: string) => (text: string) => {
  try {
    return parseWebhookUrl(text, what);
  } catch (error) {
    throw error instanceof Refusal ? misuse(error.message) : error;
  }
};
export const readTariff: (text: string) => Tariff = reader(parseTariff);

const atLeast =
  (leastMs: number) =>
  (text: string): number => {
    const durationMs = readDuration(text);
    must(`be ${formatDuration(leastMs)} or more`, () => durationMs >= leastMs)(text);
    return durationMs;
  };

/** Faster polling would only load the server. */
const readPollInterval = atLeast(50);

/** The prompt timeout. In less than a second, no customer can answer. */
export const readPromptTimeout = atLeast(1000);

/** A text that is right as it is. @param rule such as `must be a day` */
export const ruled =
  (rule: string, isRight: (text: string) => boolean) =>
  (text: string): string => {
    if (isRight(text)) return text;
    throw wrong(rule);
  };

/** The same. @param be what the refusal says that it must be */
export const must = (be: string, isRight: (text: string) => boolean) => ruled(`must ${be}`, isRight);

/** When the clock starts: an instant, where it stays unless `; running` stands after it. */
export function readStart(text: string): Start {
  const [, instant = "", running] = /^(.*?)(; *running)?$/.exec(text.trim()) ?? [];
  const atMs = parseInstant(instant);
  if (atMs === null)
    throw wrong(`must be an instant of the calendar, such as ${INSTANT_FORM}, and "; running" after it lets it run`);
  if (atMs < 0 || atMs > LAST_INSTANT_MS)
    throw wrong(`must be from ${formatTimestamp(0)} to ${formatTimestamp(LAST_INSTANT_MS)}, in Nairobi`);
  return { atMs, isFrozen: running === undefined };
}

/** An instant, as it was written. */
export const readInstant = must(
  `be an instant of the calendar, such as ${INSTANT_FORM}`,
  (text) => parseInstant(text) !== null,
);

/** How far the clock moves. */
export const readMove = asWritten(parseMove);

/** The name of a sandbox. */
export const readName: (text: string) => string = reader(parseName);

/** A number, written in this form. */
export const number =
  (what: string, form: RegExp, most = Number.POSITIVE_INFINITY) =>
  (text: string): number =>
    Number(must(`be ${what}`, () => form.test(text) && Number(text) <= most)(text));

const WHOLE = /^[1-9][0-9]{0,14}$/;
export const readId = number("a whole number from 1", WHOLE);
export const readUpTo = (most: number) => number(`a whole number from 1 to ${most}`, WHOLE, most);
/** The id for a new payment account. */
export const readAccountId = readUpTo(MAX_GIVEN_ACCOUNT_ID);
export const readPort = number("a port from 1 to 65535, or 0 for any free one", /^[0-9]{1,5}$/, 65_535);
export const readSeed = number("a whole number from 0 to 4294967295", /^[0-9]{1,10}$/, 0xffffffff);
export const readProbability = number(
  "a number above 0 and at most 1, such as 0.2",
  /^(?!0?\.0+$)(?:0?\.[0-9]{1,9}|1(?:\.0{1,9})?)$/,
);

/**
 * The path of a file or a folder. An empty one is refused, because it would mean the current folder, and one that looks like an
 * option or the end of the options, because then the path was forgotten.
 */
export const readPath = must("be a path (./NAME if it begins with -)", (text) => /^[^-]/s.test(text));

/** The same for an option that can be given several times. */
export const readPaths = (text: string, before: readonly string[] = []): string[] => [...before, readPath(text)];

/** The same for an option whose file would be lost if it were given again. */
export function readOnePath(text: string, before?: string): string {
  if (before !== undefined) throw wrong("must be given once");
  return readPath(text);
}

/** The same for an argument, which may also be `-`: standard input or output. */
export const readPathOrDash = (text: string): string => (text === "-" ? text : readPath(text));

/** An empty host is refused, because it would mean every interface. */
export const readHost = must("be a host name or an address, such as 127.0.0.1", (text) =>
  /^[A-Za-z0-9.:_-]{1,253}$/.test(text),
);
export const readText = (least: number, most: number) =>
  must(`have ${least > 0 ? `${least} to` : "at most"} ${most} characters`, (text) => {
    const { length } = [...text];
    return length >= least && length <= most;
  });

/** Whether a text can be a part of a path: `.` and `..` would make another path of it, and servers refuse a backslash. */
export const isPathPart = (text: string): boolean => /^(?!\.{1,2}$)[^\\]{1,200}$/.test(text);
export const readPathPart = must("have 1 to 200 characters without \\, and not be . or ..", isPathPart);

/** The text that identifiers and faults come from. */
export const readSeedText = must("have 1 to 200 characters on one line", (text) => /^[^\p{Cc}]{1,200}$/u.test(text));

const readPayment = must("be the number of a payment, such as 12, or its request id", (text) =>
  /^(?:#?[1-9][0-9]{0,14}|[A-Za-z][\w.-]{0,99})$/.test(text),
);
/** The number of a payment, such as 12 or #12, or its request id. */
export const readPaymentName = (text: string): string => readPayment(text).replace("#", "");

/** The PIN of a customer. A refusal does not show the value. */
export function readPin(text: string): string {
  if (!/^[0-9]{4,6}$/.test(text)) throw misuse("--pin must be 4 to 6 digits");
  return text;
}

/** The text of an outcome, with its parameters: `cancelled`, or `failed; code=26`. */
export const readOutcome = asWritten(parseChoice);

export const outcomeOption = (description: string) =>
  new Option("--outcome <name>", description).choices(OUTCOME_NAMES).argParser(readOutcome);

/** An option whose value is one of a few words, in any letter case. */
export const wordOption = (flags: string, words: readonly string[]) =>
  new Option(flags)
    .choices(words)
    .argParser((text) => must(`be one of ${words.join(", ")}`, (word) => words.includes(word))(text.toLowerCase()));

/** The default base paths: that of the specification, and that of the real services. */
export const BASE_PATHS: BasePaths = ["/v2", "/api/v2"];

/** `/v2`, `/a/b`, or `/` for none. Returns it without the last slash. */
export function readBasePath(text: string): string {
  const path = text === "/" ? "" : text;
  if (!isBasePath(path)) throw wrong(BASE_PATH_RULE);
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
  const rule = amount === null ? "must be a number of shillings, such as 100 or 99.50" : amountRule(amount);
  throw misuse(wrongValue(what, rule, text));
}
