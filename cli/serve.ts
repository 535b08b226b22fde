import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { isLoopback } from "../sandbox/control/guard.ts";
import { OUTCOMES, type OutcomeName, parseOutcomeName } from "../sandbox/outcomes.ts";
import { chooseAfter } from "../sandbox/script.ts";
import type { Tariff } from "../src/domain/fee.ts";
import { token } from "../src/domain/random.ts";
import type { ResponseForm } from "../src/http/view.ts";
import { systemClock, systemRandom } from "../src/system.ts";
import { type DataDirectory, dataDirectoryAt, locateDataDirectory, writePrivateFile } from "./data-directory.ts";
import { EXIT, Failure } from "./failure.ts";
import { dataOption, readBasePath, readPort, readPromptTimeout, readTariff } from "./options.ts";
import { print, printJson, styled, tell } from "./output.ts";
import { type RunningSandbox, startSandbox } from "./start-sandbox.ts";

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly basePath: string;
  readonly outcome: OutcomeName;
  readonly after?: string;
  readonly promptTimeout: number;
  readonly fee?: Tariff;
  readonly responseForm: ResponseForm;
  readonly data?: string;
  readonly ephemeral?: true;
  readonly controlTokenFile?: string;
  readonly readyFile?: string;
  readonly json?: true;
}

export function serveCommand(): Command {
  return new Command("serve")
    .addOption(new Option("--port <number>", "0: any free one").default(2547).argParser(readPort))
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .addOption(new Option("--base-path <path>", "before the paths of the API").default("/v2").argParser(readBasePath))
    .addOption(
      new Option("--outcome <name>", "what prompts do by default")
        .choices(OUTCOMES.map(({ name }) => name))
        .default("completed"),
    )
    .option("--after <duration>", "how long they take (default: the outcome's own time, 3s for most)")
    .addOption(
      new Option("--prompt-timeout <duration>", "how long a prompt waits for its customer")
        .default(60_000, "60s")
        .argParser(readPromptTimeout),
    )
    .addOption(
      new Option("--fee <tariff>", "of the payment account, as 1%, 10 or 1.5%+10 (default: 1%)").argParser(readTariff),
    )
    .addOption(
      new Option("--response-form <form>", "full, or the earlier short answers")
        .choices(["full", "short"])
        .default("full"),
    )
    .addOption(dataOption().conflicts("ephemeral"))
    .option("--ephemeral", "keep the data in a temporary folder, removed at the end")
    .option("--control-token-file <file>", "the token of the control API, off loopback (default: a new one)")
    .option("--ready-file <path>", "written when requests are served, removed at the end")
    .option("--json", "print one ready record")
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  // Before anything is written: what other users of this machine could read is nobody's to widen.
  process.umask(0o077);
  const stopping = stopSignal();
  const fallback =
    flags.after === undefined
      ? { outcome: parseOutcomeName(flags.outcome, "--outcome"), afterMs: null }
      : chooseAfter(flags.outcome, flags.after, "--after");
  const controlToken = controlTokenFor(flags);
  const directory = flags.ephemeral ? temporaryDirectory() : locateDataDirectory(flags.data);
  const readyFile = flags.readyFile === undefined ? null : resolve(flags.readyFile);
  let sandbox: RunningSandbox | undefined;
  try {
    sandbox = await startSandbox({
      directory,
      host: flags.host,
      port: flags.port,
      basePath: flags.basePath,
      fallback,
      promptLifetimeMs: flags.promptTimeout,
      tariff: flags.fee ?? null,
      form: flags.responseForm,
      controlToken,
      clock: systemClock,
      random: systemRandom,
      reportFault,
    }).catch(async (error: unknown) => {
      throw await explainAddress(error, flags);
    });
    const record = readyRecord(sandbox, directory);
    if (readyFile) writeReadyFile(readyFile, record);
    if (flags.json) printJson(record);
    else announce(record, controlToken);
    await stopping;
  } finally {
    await sandbox?.stop();
    if (readyFile && sandbox) rmSync(readyFile, { force: true });
    if (flags.ephemeral) rmSync(directory.path, { recursive: true, force: true });
  }
}

type ReadyRecord = ReturnType<typeof readyRecord>;

function readyRecord({ baseUrl, controlUrl, credentials }: RunningSandbox, directory: DataDirectory) {
  return {
    base_url: baseUrl,
    control_url: controlUrl,
    console_url: `${controlUrl}/`,
    pid: process.pid,
    data: directory.path,
    payment_account_id: credentials.payment_account_id,
    api_key: credentials.api_key,
    api_secret: credentials.api_secret,
  };
}

/** What a person needs to make the first payment. The last line comes when requests are served. */
function announce(record: ReadyRecord, controlToken: string | null): void {
  const fields: [string, string][] = [
    ["address", record.base_url],
    ["payment account", String(record.payment_account_id)],
    ["API key", record.api_key],
    ["API secret", record.api_secret],
    ["data", record.data],
    ...(controlToken === null ? [] : [["control token", controlToken] as [string, string]]),
  ];
  print(styled("bold", "momo, a mobile-money sandbox\n"));
  for (const [name, value] of fields) print(`  ${styled("dim", name.padEnd(15))}  ${value}`);
  const body = `{"payment_account_id":${record.payment_account_id},"phone":"0712345678","amount":100}`;
  print(`
Start a payment:

  curl ${record.base_url}/stkpush.php \\
    -H 'X-API-Key: ${record.api_key}' -H 'X-API-Secret: ${record.api_secret}' \\
    -H 'Content-Type: application/json' -d '${body}'

  ${payCommandFor(record.data)}

${styled("green", "Ready.")} Ctrl+C stops.`);
}

/** A command line that reaches this server from the current folder, as short as it can be. */
function payCommandFor(data: string): string {
  const words = [...thisProgram(), "pay", "0712345678", "100", "--wait"];
  if (data !== locateDataDirectory(undefined).path) words.push("--data", data);
  return words.map((word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** How this program is called: by its name where the shell finds it so, else by its path; from source, through Bun. */
function thisProgram(): string[] {
  const shorter = (path: string) => {
    const fromHere = relative("", path);
    return fromHere.length < path.length ? (fromHere.includes("/") ? fromHere : `./${fromHere}`) : path;
  };
  if (existsSync(Bun.main)) return [shorter(process.execPath), shorter(Bun.main)];
  return Bun.which("momo") === process.execPath ? ["momo"] : [shorter(process.execPath)];
}

function writeReadyFile(file: string, record: ReadyRecord): void {
  try {
    writePrivateFile(file, `${JSON.stringify(record)}\n`);
  } catch (error) {
    throw new Failure("unexpected", (error as Error).message, "choose another place with --ready-file");
  }
}

function temporaryDirectory(): DataDirectory {
  return dataDirectoryAt(mkdtempSync(join(tmpdir(), "momo-")));
}

/** On a loopback address everybody who can connect is this machine's user; elsewhere a token says who may steer. */
function controlTokenFor({ host, controlTokenFile }: ServeFlags): string | null {
  if (controlTokenFile === undefined) return isLoopback(host) ? null : token(systemRandom, 40).toLowerCase();
  let text: string;
  try {
    text = readFileSync(controlTokenFile, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `--control-token-file ${controlTokenFile} cannot be read (${code})`);
  }
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) {
    throw new Failure("usage", "--control-token-file must hold one token of 16 to 200 visible ASCII characters");
  }
  return text;
}

/** Why the address cannot be listened on, who has it, and the flag that helps. */
async function explainAddress(error: unknown, { host, port }: ServeFlags): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const address = `${host}:${port}`;
  if (code === "EADDRINUSE") {
    return new Failure(
      "unexpected",
      `${address} is taken by ${await holderOf(host, port)}`,
      "choose another port with --port, or --port 0 for any free one",
    );
  }
  if (code === "EACCES" || code === "EPERM") {
    return new Failure(
      "unexpected",
      `${address} may not be listened on (${code})`,
      "choose a port above 1023 with --port",
    );
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL" || code === "EAFNOSUPPORT") {
    return new Failure(
      "unexpected",
      `${host} is not an address of this machine (${code})`,
      "choose one with --host, such as 127.0.0.1",
    );
  }
  return error;
}

/** Asks whoever holds the port whether it is one of us. */
async function holderOf(host: string, port: number): Promise<string> {
  try {
    const answer = await fetch(`http://${host.includes(":") ? `[${host}]` : host}:${port}/_momo/health`, {
      signal: AbortSignal.timeout(500),
    });
    const health = (await answer.json()) as { status?: unknown; pid?: unknown };
    if (health.status === "ok" && Number.isInteger(health.pid)) return `another momo (process ${health.pid})`;
  } catch {
    // Not one of us; what it is instead does not matter.
  }
  return "another program";
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolveStop) => {
    let stopping = false;
    for (const [signal, exitCode] of [
      ["SIGINT", EXIT.interrupted],
      ["SIGTERM", EXIT.terminated],
    ] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(exitCode);
        stopping = true;
        resolveStop();
      });
    }
  });
}

function reportFault(error: unknown): void {
  tell(`momo: ${error instanceof Error ? error.message : String(error)}`);
}
