import { Option } from "commander";
import { isLoopback } from "../../sandbox/loopback.ts";
import type { AnsweredRequest } from "../../sandbox/request-log.ts";
import { atMost } from "../../src/domain/clock.ts";
import { counted } from "../../src/domain/counted.ts";
import { type Delivery, stateOf } from "../../src/domain/delivery.ts";
import { formatDuration } from "../../src/domain/duration.ts";
import { token } from "../../src/domain/random.ts";
import { countTransactions } from "../../src/store/sqlite/sqlite.ts";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import type { Environment } from "../environment.ts";
import { type DataDirectory, nameDataDirectory } from "../files/data-directory.ts";
import { ReadyFile } from "../files/ready-file.ts";
import { readSecretFile } from "../files/secret-file.ts";
import { explainTemporary, makeTemporaryDirectory, removeTemporaryLeftovers } from "../files/temporary-directory.ts";
import type { Io } from "../io.ts";
import { firstKeyOfEnvironment } from "../serving/credentials.ts";
import { type DatabaseConfig, thisMachine } from "../serving/engine.ts";
import { PortInUse } from "../serving/listen.ts";
import { type ReadyRecord, readyRecord } from "../serving/ready-record.ts";
import { type RunningSandbox, runSandbox, type SandboxConfig } from "../serving/run-sandbox.ts";
import { addSandboxOptions, configOf, type SandboxChoices, type SandboxFlags } from "../serving/sandbox-flags.ts";
import { Command } from "../terminal/command.ts";
import { EXIT, Failure, toFailure } from "../terminal/failure.ts";
import {
  dataOption,
  LOG_FORMATS,
  type LogFormat,
  readHost,
  readName,
  readPath,
  readPort,
} from "../terminal/options.ts";
import type { Output } from "../terminal/output.ts";
import { createRequestOutput, isRefused, type RequestOutput } from "../terminal/server-log.ts";
import { checkVariables, rememberVariables, takeVariable } from "../terminal/usage.ts";
import { addSharingOptions, drainOf, type SharingFlags, sharedDatabase } from "./database-flags.ts";
import { announce } from "./ready-lines.ts";

interface ServeFlags extends SandboxFlags, SharingFlags {
  readonly port: number;
  readonly host: string;
  readonly data?: string;
  readonly ephemeral?: true;
  readonly controlPort?: number;
  readonly controlTokenFile?: string;
  readonly readyFile?: string;
  readonly json?: true;
  readonly log?: "payments" | "requests";
  readonly logFormat?: LogFormat;
  readonly quiet?: true;
  readonly untilStdinCloses?: true;
  readonly name?: string;
}

export function serveCommand(io: Io): Command {
  const command = new ServeCommand("serve", io.environment)
    .optionsGroup("Where:")
    .addOption(portOption(io))
    .addOption(new Option("--host <address>", "the address to listen on").default("127.0.0.1").argParser(readHost))
    .addOption(dataOption().conflicts("ephemeral"))
    .option("--ephemeral", "temporary data, removed at the end")
    .option("--control-port <number>", "control API and console only there", readPort)
    .option("--control-token-file <file>", "the control API requires this token", readPath)
    .option("--name <name>", "in the console, to tell it from others", readName);
  addSharingOptions(addSandboxOptions(command))
    .optionsGroup("Output:")
    .addOption(
      new Option("--log <what>").choices(["payments", "requests"]).default(undefined, "payments at a terminal"),
    )
    .addOption(new Option("--log-format <format>").choices(LOG_FORMATS))
    .option("-q, --quiet", "write no log, not even refused requests")
    .option("--json", "print one ready record")
    .option("--ready-file <path>", "the same, in a file while it serves", readPath)
    .option("--until-stdin-closes", "end with the program that started momo")
    .addHelpText("after", "\nMOMO_SERVE_PORT sets --port, and so on. momo help replicas: --database and more.")
    .action(async (flags: ServeFlags) => {
      checkVariables(command, io.environment);
      rememberVariables(command, io);
      try {
        await serve(io, flags);
      } catch (error) {
        const variable = error instanceof PortInUse ? io.givenByVariable.get(error.flag) : undefined;
        if (variable === undefined) throw error;
        const { code, message, hint } = toFailure(error);
        throw new Failure(code, `${message}; ${variable} names this port`, hint);
      }
    });
  return command;
}

/** Hosts of shops, such as Render and Replit, name the port in PORT. MOMO_SERVE_PORT comes before it. */
function portOption({ usualPort, environment }: Io): Option {
  const option = new Option("--port <number>", "0 takes any free one").default(usualPort).argParser(readPort);
  return environment.callersVariable("PORT") === undefined ? option : option.env("PORT");
}

class ServeCommand extends Command {
  readonly #environment: Environment;

  constructor(name: string, environment: Environment) {
    super(name);
    this.#environment = environment;
  }

  override addOption(option: Option): this {
    return super.addOption(takeVariable(option, this.#environment));
  }
}

async function serve(io: Io, flags: ServeFlags): Promise<void> {
  // Set umask before the first file, so that our files are private.
  io.hideFiles();
  const named = flags.ephemeral ? null : nameDataDirectory(io, flags.data);
  const readyFile =
    flags.readyFile === undefined ? null : new ReadyFile(io, io.optionName("--ready-file"), flags.readyFile, named);
  const config = await configOf(io, flags);
  const database = sharedDatabase(io, flags);
  if (database) requireShareable(io, config);
  const givenToken = givenControlToken(io, flags);
  const newToken = givenToken === null && !isLoopback(flags.host) ? token(systemRandom, 40).toLowerCase() : null;
  const output = flags.quiet ? null : createRequestOutput(io, flags.logFormat ?? "pretty");
  const drainMs = drainOf(flags, database);
  const controlPort = controlPortFor(io, flags);
  // The line was read to its end: from now on files are touched.
  let removeFiles = () => {};
  const stopping = io.stopSignal(() => removeFiles());
  io.stdout.outlive();
  readyFile?.removeOld();
  const temporary = flags.ephemeral ? makeTemporaryDirectory() : null;
  const directory = temporary?.directory ?? nameDataDirectory(io, flags.data);
  let sandbox: RunningSandbox | undefined;
  removeFiles = () => {
    readyFile?.remove();
    temporary?.remove();
  };
  const parentGone = flags.untilStdinCloses ? stdinEnd() : null;
  try {
    const stopped = Promise.race(parentGone ? [stopping, parentGone.ended] : [stopping]);
    sandbox = await startUnlessStopped(stopped, removeFiles, {
      ...config,
      directory,
      isTemporary: temporary !== null,
      database,
      host: flags.host,
      port: flags.port,
      controlPort,
      controlToken: givenToken ?? newToken,
      drainMs,
      firstKey: () => firstKeyOfEnvironment(io.environment),
      afterFirstRequests: removeTemporaryLeftovers,
      ...thisMachine(io),
      ...(output && { reportFault: output.reportFault }),
      ...(flags.name !== undefined && { name: flags.name }),
      ...(output && listenersOf(io, flags, output)),
    });
    const record = readyRecord(sandbox, directory, newToken, config.seed ?? null);
    readyFile?.write(record);
    if (flags.json) printRecord(io, record);
    else tellReady(io, record, flags.host, database ? 0 : countTransactions(directory.database));
    tellUnusedKey(io, record.api_key, database);
    await stopped;
    if (drainMs > 0 && io.stdout.isTerminal()) io.tell(`stopping in ${formatDuration(drainMs)}; Ctrl+C stops at once`);
  } catch (error) {
    throw temporary && !database ? explainTemporary(directory, error) : error;
  } finally {
    await parentGone?.forget();
    let loss: string | null = null;
    try {
      loss = (await sandbox?.stop()) ?? null;
    } finally {
      if (loss !== null) io.tell(`momo: stopped; ${loss}`);
      else if (sandbox && !flags.json && io.stdout.isTerminal())
        tellEnd(io, directory, database, Boolean(flags.ephemeral));
      removeFiles();
    }
  }
  if (output && !(await output.end())) process.exit(EXIT.done);
}

/** How long a start may go on after a signal: it may wait for a database that never answers. */
const START_GRACE_MS = 1000;

async function startUnlessStopped(stopping: Promise<void>, removeFiles: () => void, config: SandboxConfig) {
  const starting = runSandbox(config);
  starting.catch(() => {}); // after a signal, nobody else waits for it
  const sandbox = await Promise.race([starting, stopping.then(() => atMost(systemClock, START_GRACE_MS, starting))]);
  if (sandbox) return sandbox;
  removeFiles();
  process.exit(EXIT.done);
}

function tellReady(io: Io, record: ReadyRecord, bindHost: string, payments: number): void {
  announce(io, record, bindHost, payments, stopwatch());
  if (io.stdout.problem !== null) io.tell(`momo: ${io.stdout.problem}; momo env prints the address and the key`);
}

/** @throws Failure if nobody can get it: the program that waits for it would wait for ever */
function printRecord(io: Io, record: object): void {
  io.printJson(record);
  const problem = io.stdout.problem;
  if (problem !== null) throw new Failure("unexpected", problem, "name a file on another disk, or use --ready-file");
}

/** @throws Failure `usage` for what only a server with a database of its own can have */
function requireShareable({ optionName }: Io, { rules, seed }: SandboxChoices): void {
  if (rules.some(({ times }) => times !== undefined))
    throw new Failure("usage", `${optionName("--rules")} ${COUNTED_RULES}`, RULES_HINT);
  if (seed != null) throw new Failure("usage", `${optionName("--seed")} ${SEED_ALONE}`, SEED_HINT);
}

const COUNTED_RULES =
  "cannot have rules with times where several servers share a database: each would count for itself";
const RULES_HINT = "add them with momo rules add, which counts for all";

const SEED_ALONE = "is for a sandbox of its own: servers that share a database take turns in no fixed order";
const SEED_HINT = "leave out --database, or --seed";

/** Always shows refused requests; payments to a person at a terminal. --log-format without --log means requests. */
function listenersOf({ stderr }: Output, { log, logFormat }: ServeFlags, output: RequestOutput) {
  const { onRequest, onRefused, onTransaction, onDelivery } = output;
  if (log === "requests" || (log === undefined && logFormat !== undefined)) return { onRequest, onDelivery };
  const refused = { onRequest: (request: AnsweredRequest) => void (isRefused(request) && onRefused(request)) };
  if (log === "payments" || stderr.isTerminal()) return { ...refused, onTransaction, onDelivery };
  return {
    ...refused,
    onDelivery: (delivery: Delivery) => void (stateOf(delivery) === "failed" && onDelivery(delivery)),
  };
}

function tellEnd(io: Io, { database, path }: DataDirectory, shared: DatabaseConfig | null, isEphemeral: boolean): void {
  if (shared) {
    io.tell("stopped; the payments stay in the database");
    return;
  }
  const payments = counted(countTransactions(database), "payment");
  io.tell(isEphemeral ? `stopped; ${payments} forgotten with ${path}` : `stopped; ${payments} kept in ${path}`);
}

function controlPortFor({ optionName }: Io, { port, controlPort }: ServeFlags): number | null {
  if (controlPort === undefined) return null;
  if (controlPort === port && port !== 0) {
    throw new Failure(
      "usage",
      `${optionName("--control-port")} ${controlPort} is the port of the merchant API`,
      "choose another one, or 0",
    );
  }
  return controlPort;
}

const TOKEN_FORM = /^[\x21-\x7e]{16,200}$/;

/** An address that other machines reach needs a token. On loopback a token is optional, for machines with several users. */
function givenControlToken(io: Io, { controlTokenFile }: ServeFlags): string | null {
  const { controlToken } = io.environment.momo();
  if (controlTokenFile === undefined && controlToken !== undefined) {
    if (TOKEN_FORM.test(controlToken)) return controlToken;
    throw new Failure("usage", "MOMO_CONTROL_TOKEN must be 16 to 200 visible ASCII characters");
  }
  if (controlTokenFile === undefined) return null;
  const text = readSecretFile(io, io.optionName("--control-token-file"), controlTokenFile, "token").trim();
  if (TOKEN_FORM.test(text)) return text;
  throw new Failure(
    "usage",
    `${io.optionName("--control-token-file")} must hold one token of 16 to 200 visible ASCII characters`,
  );
}

/** Warns that the key of the environment is not valid here, so that clients with it are refused. */
function tellUnusedKey(io: Io, inForce: string | null, shared: DatabaseConfig | null): void {
  const { apiKey } = io.environment.momo();
  if (apiKey === undefined || apiKey === inForce) return;
  const place = shared ? "the database" : "this data directory";
  const other = inForce === null ? "" : `: ${inForce}`;
  io.tell(`momo: MOMO_API_KEY is not used, because ${place} has a key already${other}`);
}

/** Waits for the end of standard input, which happens when the parent process ends or is killed. */
function stdinEnd(): { readonly ended: Promise<void>; forget(): Promise<void> } {
  const reader = Bun.stdin.stream().getReader();
  const readAll = async () => {
    while (!(await reader.read()).done);
  };
  return { ended: readAll().catch(() => {}), forget: () => reader.cancel().catch(() => {}) };
}
