import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { isLoopback } from "../sandbox/control/guard.ts";
import { OUTCOMES, type OutcomeName, parseOutcomeName } from "../sandbox/outcomes.ts";
import { chooseAfter } from "../sandbox/script.ts";
import type { Tariff } from "../src/domain/fee.ts";
import { token } from "../src/domain/random.ts";
import type { ResponseForm } from "../src/http/view.ts";
import { stopwatch, systemClock, systemRandom } from "../src/system.ts";
import { type DataDirectory, dataDirectoryAt, locateDataDirectory, writePrivateFile } from "./data-directory.ts";
import { EXIT, Failure } from "./failure.ts";
import { explainListenFailure } from "./listen-failure.ts";
import { dataOption, readBasePath, readPort, readPromptTimeout, readTariff } from "./options.ts";
import { printJson, tell } from "./output.ts";
import { announce, type ReadyRecord, readyRecord } from "./ready.ts";
import { readRulesFile } from "./rules-file.ts";
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
  readonly rules?: string;
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
    .option("--rules <file>", "JSON: rules for the prompts, in order")
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
      rules: flags.rules === undefined ? [] : readRulesFile(flags.rules),
      realClock: systemClock,
      stopwatch,
      random: systemRandom,
      reportFault,
    }).catch(async (error: unknown) => {
      throw await explainListenFailure(error, flags);
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

/** Within this time a second signal is the same one: a terminal sends Ctrl+C to npm and to us, and npm passes its own on. */
const SAME_SIGNAL_MS = 100;

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolveStop) => {
    let stoppedAtMs: number | null = null;
    for (const [signal, exitCode] of [
      ["SIGINT", EXIT.interrupted],
      ["SIGTERM", EXIT.terminated],
    ] as const) {
      process.on(signal, () => {
        if (stoppedAtMs !== null && stopwatch() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(exitCode);
        stoppedAtMs ??= stopwatch();
        resolveStop();
      });
    }
  });
}

function reportFault(error: unknown): void {
  tell(`momo: ${error instanceof Error ? error.message : String(error)}`);
}
