import { lstatSync } from "node:fs";
import { extname } from "node:path";
import { unzipSync } from "node:zlib";
import { Option } from "commander";
import { type CheckOptions, checkService } from "../../sandbox/check/check.ts";
import type { PaymentToMake } from "../../sandbox/check/check-run.ts";
import { CHECK_FORMATS, type CheckFormat, formatCheck } from "../../sandbox/check/report.ts";
import type { CheckReport } from "../../sandbox/check/result.ts";
import { curlOf, type Received, type Send, type Sent, STRANGER } from "../../sandbox/check/service.ts";
import { inWords } from "../../sandbox/check/words.ts";
import { isLoopback } from "../../sandbox/loopback.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { answerExamples } from "../../src/http/openapi.ts";
import { sleep, stopwatch } from "../../src/system.ts";
import { MissingCredential, parseUrl, resolveTarget, type Target, type TargetFlags } from "../client/target.ts";
import { NamedFile, requireDifferent } from "../files/named-files.ts";
import type { Io } from "../io.ts";
import { askText, isAttended } from "../terminal/ask.ts";
import { Command } from "../terminal/command.ts";
import { printWhole } from "../terminal/data.ts";
import { EXIT, Failure } from "../terminal/failure.ts";
import { readDuration, readId, readPath, readPaths, readTypedPhone, readUpTo } from "../terminal/options.ts";
import type { Output } from "../terminal/output.ts";
import { openStatusLine } from "../terminal/status-line.ts";
import { failedReport, withReports, writeAtTheEnd } from "./reports.ts";

interface CheckFlags {
  readonly target?: string;
  readonly pay?: string;
  readonly amount: number;
  readonly account?: number;
  readonly maxPushes: number;
  readonly yes?: true;
  readonly requests?: number;
  readonly pause?: number;
  readonly dryRun?: true;
  readonly report?: readonly string[];
  readonly profile?: string;
  readonly format: CheckFormat;
  readonly json?: boolean;
  readonly all?: true;
}

/** What a service on another machine is spared by default. */
const CAREFUL = { budget: 50, pauseMs: 1000 };
const MOST_REQUESTS = 1000;
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

export function checkCommand(io: Io): Command {
  const command = new Command("check")
    .optionsGroup("Which service:")
    .option("--target <url>", "its base address, such as https://pay.example/api/v2")
    .option(
      "--requests <n>",
      `at most (default: ${CAREFUL.budget}, on this machine ${MOST_REQUESTS})`,
      readUpTo(MOST_REQUESTS),
    )
    .option("--pause <duration>", "between two (default: 1s, on this machine 0s)", readDuration)
    .optionsGroup("A payment, only if asked for:")
    .option("--pay <phone>", "push a real payment to this phone", (text) => readTypedPhone([text], "--pay"))
    .addOption(new Option("--amount <kes>", "of the payment").default(1).argParser(readUpTo(250_000)))
    .option("--account <id>", "payment account (default: $MOMO_PAYMENT_ACCOUNT_ID)", readId)
    .addOption(new Option("--max-pushes <n>", "to the phone, refused ones too").default(1).argParser(readUpTo(20)))
    .option("-y, --yes", "do not ask before it pays")
    .optionsGroup("Output:")
    .addOption(
      new Option("--dry-run", "print the requests as curl commands, and send none").conflicts(["report", "profile"]),
    )
    .option("--report <file...>", "also as text (.txt), .json, or JUnit (.xml)", readPaths)
    .option("--profile <file>", "write what the service is like, for momo serve --profile", readPath)
    .addOption(new Option("--format <format>", "of stdout").choices([...CHECK_FORMATS]).default("text"))
    .option("--all", "text shows also where the specification is silent")
    .addOption(new Option("--json", "the same as --format json, failures included").conflicts("format"));
  return command.action((flags: CheckFlags) => check(io, flags));
}

async function check(io: Io, flags: CheckFlags): Promise<void> {
  for (const word of furtherReports(io.words)) refuseExisting(io, word);
  const reports = (flags.report ?? []).map((path) => reportIn(io, path));
  const profile = flags.profile === undefined ? null : new NamedFile(io, "--profile", flags.profile);
  const files = reports.map(({ file }) => file);
  if (profile) files.push(profile);
  requireDifferent(io, files);
  await withReports(reports, async () => {
    const { json = false } = flags;
    const address = flags.target ?? (await askText(io, { flag: "--target", message: "Which base address?", json }));
    const baseUrl = parseUrl(address, "--target");
    const { hostname } = new URL(baseUrl);
    const target = flags.dryRun ? null : await targetOf(io, baseUrl, flags);
    const isOnThisMachine = isLoopback(hostname);
    const payment = paymentOf(flags, target);
    const careful = isOnThisMachine ? { budget: MOST_REQUESTS, pauseMs: 0 } : CAREFUL;
    const options = {
      baseUrl,
      payment,
      credentials: target ? [target.apiKey, target.apiSecret] : [],
      clock: io.clock,
      stopwatch,
      budget: flags.requests ?? careful.budget,
      pauseMs: flags.pause ?? careful.pauseMs,
      isCareful: !isOnThisMachine,
    };
    if (target === null) return await printPlan(io, options);
    // A report that cannot be written is known before anything is paid.
    for (const file of files) file.requireWritable();
    if (payment) await confirmPayment(io, payment, baseUrl, flags);
    const report = await run(io, options, target);
    const failure = failureOf(report, baseUrl);
    if (report.checked.some(({ verdict }) => verdict === "fails")) io.exitCode ??= EXIT.mistakes;
    else if (failure) io.exitCode ??= failure.exitCode;
    const all = flags.all === true;
    for (const { file, format } of reports) writeAtTheEnd(io, file, formatCheck(report, format, all), json);
    const found = { source: `momo check of ${report.target}, ${report.startedAt}`, ...report.profile };
    if (profile) writeAtTheEnd(io, profile, `${JSON.stringify(found, null, 2)}\n`, json);
    const format = json ? "json" : flags.format;
    printWhole(io, formatCheck(report, format, all), format === "text");
    if (failure?.code === "unauthorized" || (failure && io.exitCode === failure.exitCode)) throw failure;
  });
}

/** Why the check ended before it came to its end or its bound; null if it did not. */
function failureOf({ stopped }: CheckReport, baseUrl: string): Failure | null {
  if (stopped === null || stopped.kind === "budget_spent") return null;
  const code = stopped.kind === "credentials_refused" ? "unauthorized" : "unreachable";
  return new Failure(code, `${baseUrl}: ${inWords(stopped)}`);
}

/** The service with its key, which is never a flag: other users of the machine see flags. */
async function targetOf(io: Io, baseUrl: string, { account, json = false }: CheckFlags): Promise<Target> {
  const flags: TargetFlags = { baseUrl, ...(account !== undefined && { account }) };
  try {
    return resolveTarget(io, flags);
  } catch (error) {
    if (!(error instanceof MissingCredential)) throw error;
    if (!isAttended(io) || json) throw new Failure("usage", error.message, "set MOMO_API_KEY and MOMO_API_SECRET");
    const ask = (flag: string, message: string) => askText(io, { flag, message, json });
    const apiKey = await ask("MOMO_API_KEY", "The API key?");
    return resolveTarget(io, { ...flags, apiKey, apiSecret: await ask("MOMO_API_SECRET", "The API secret?") });
  }
}

/** @throws Failure `usage` if the account is not known */
function paymentOf({ pay, amount, account, maxPushes }: CheckFlags, target: Target | null): PaymentToMake | null {
  if (pay === undefined) return null;
  const accountId = account ?? target?.paymentAccountId ?? (target ? null : 1);
  if (accountId === null) throw new Failure("usage", "--account is missing", "give it, or set MOMO_PAYMENT_ACCOUNT_ID");
  return { phone: parsePhone(pay), amount, accountId, maxPushes };
}

async function confirmPayment(
  out: Output,
  { phone, amount, maxPushes }: PaymentToMake,
  baseUrl: string,
  { yes, json = false }: CheckFlags,
) {
  if (yes) return;
  const pushes = maxPushes === 1 ? "one payment" : `up to ${maxPushes} payments`;
  out.tell(`This pushes ${pushes} of KES ${amount} to ${phone} through ${baseUrl}. It may cost real money.`);
  await askText(out, { flag: "--yes", message: "Type yes to go on", json, check: requireYes });
}

function requireYes(answer: string): void {
  if (answer.trim() !== "yes") throw new Error("type yes, or press Ctrl+C");
}

type RunOptions = Omit<CheckOptions, "send" | "sleep">;

/** Runs the check. A signal ends it after the request under way, with what was found so far. */
async function run(io: Io, options: RunOptions, target: Target): Promise<CheckReport> {
  const interrupted = new AbortController();
  const takeBack = io.onSignal((exitCode) => {
    io.exitCode = exitCode;
    interrupted.abort();
  });
  const line = openStatusLine(io);
  const { signal } = interrupted;
  try {
    return await checkService({
      ...options,
      signal,
      send: sendTo(io, target, signal),
      sleep: (durationMs) => sleep(durationMs, signal),
      onChecked: ({ section, sentence }, requests) => line.show(`${requests} requests · ${section} ${sentence}`),
    });
  } finally {
    takeBack();
    line.clear();
  }
}

const sendTo =
  (io: Io, { baseUrl, apiKey, apiSecret }: Target, interrupted: AbortSignal): Send =>
  async ({ method, path, headers, body, as }) => {
    const keys = { owner: { key: apiKey, secret: apiSecret }, stranger: STRANGER, nobody: null }[as];
    const credentials = keys && { "X-API-Key": keys.key, "X-API-Secret": keys.secret };
    // The runtime would unpack a small body to any size.
    const plain = { headers: { ...headers, ...credentials, "Accept-Encoding": "identity" }, decompress: false };
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), interrupted]);
      const init = { method, ...plain, redirect: "manual", signal } as const;
      const response = await io.send(baseUrl + path, { ...init, ...(body !== null && { body }) });
      return { status: response.status, headers: response.headers, text: await boundedText(response) };
    } catch (error) {
      throw new Error(reasonOf(error as NodeJS.ErrnoException));
    }
  };

async function boundedText({ body, headers }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(TOO_LARGE);
    chunks.push(chunk);
  }
  const content = Buffer.concat(chunks);
  const isPacked = /gzip|deflate/i.test(headers.get("Content-Encoding") ?? "");
  return new TextDecoder().decode(isPacked ? unzipSync(content, { maxOutputLength: MOST_BYTES }) : content);
}

const TOO_LARGE = "it has more than 1 MiB";

function reasonOf({ name, code, message }: NodeJS.ErrnoException): string {
  if (name === "TimeoutError") return "it did not come, or did not end, within 10s";
  if (name === "AbortError") return "it was interrupted";
  if (code === undefined) return message;
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER|VERIFY/.test(code)) return `its certificate is not accepted (${code})`;
  if (code === "ERR_BUFFER_TOO_LARGE") return TOO_LARGE;
  if (code === "ECONNREFUSED" || code === "ConnectionRefused") return "nothing listens there";
  return code;
}

/** The requests of a check as commands. A service that answers with examples takes the place of the target. */
async function printPlan(out: Output, options: RunOptions): Promise<void> {
  const examples = answerExamples({});
  const lines: string[] = [];
  const send = async (sent: Sent): Promise<Received> => {
    const isPush = sent.path === "/stkpush.php" && sent.body?.includes("phone") && sent.as === "owner";
    lines.push(`${curlOf(options.baseUrl, sent)}${isPush ? " # a payment" : ""}`);
    const path = sent.path.replace(/\?.*/, "") as keyof typeof examples;
    return { status: 200, headers: new Headers(), text: JSON.stringify(examples[path] ?? {}) };
  };
  await checkService({ ...options, pauseMs: 0, send, sleep: async () => {} });
  out.stdout.write(`${lines.join("\n")}\n`);
  out.tell(
    `${lines.length} requests, at most ${options.budget}; the ids are examples; a real run takes them from the list`,
  );
}

/** The words that follow the first file of a `--report`. */
function furtherReports(words: readonly string[]): string[] {
  const further: string[] = [];
  let files: number | null = null;
  for (const word of words) {
    if (word.startsWith("-")) files = word === "--report" ? 0 : null;
    else if (files !== null) {
      if (files > 0) further.push(word);
      files += 1;
    }
  }
  return further;
}

/** Such a word may be a mistake, so it does not replace a file. */
function refuseExisting(io: Io, word: string): void {
  if (!lstatSync(io.resolvePath(word), { throwIfNoEntry: false })) return;
  const hint = "give each report that may replace a file its own --report";
  throw new Failure("usage", `${word} exists, and follows the file of a --report`, hint);
}

const FORMATS: Readonly<Record<string, CheckFormat>> = { ".txt": "text", ".json": "json", ".xml": "junit" };

/** The extension of the file chooses the form of the report. */
function reportIn(io: Io, path: string) {
  const format = FORMATS[extname(path).toLowerCase()];
  const advice = "give the name an extension: .txt, .json, or .xml for JUnit";
  if (format === undefined) throw new Failure("usage", `--report ${path} does not say its form`, advice);
  const ofFailure = (failure: Failure) => failedReport("momo check", format, failure);
  return { file: new NamedFile(io, "--report", path), format, ofFailure };
}
