import { Command, type ErrorOptions, Option } from "commander";
import { isLoopback } from "../../sandbox/control/guard.ts";
import { token } from "../../src/domain/random.ts";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import { locateDataDirectory } from "../serving/data-directory.ts";
import { removeTemporaryLeftovers } from "../serving/leftovers.ts";
import { warnOfReaders } from "../serving/ownership.ts";
import { announce, readyRecord } from "../serving/ready.ts";
import { prepareReadyFile, removeReadyFileOf } from "../serving/ready-file.ts";
import { addSandboxOptions, configOf, type SandboxFlags } from "../serving/sandbox-flags.ts";
import { readText } from "../serving/small-files.ts";
import { type RunningSandbox, startSandbox } from "../serving/start-sandbox.ts";
import { makeTemporaryDirectory, removeTemporaryDirectory } from "../serving/temporary-directory.ts";
import { ENDING_SIGNALS } from "../terminal/ending-signals.ts";
import { EXIT, Failure } from "../terminal/failure.ts";
import { LOG_FORMATS, type LogFormat } from "../terminal/log-format.ts";
import { dataOption, readHost, readName, readPort } from "../terminal/options.ts";
import { printJson, reportFault } from "../terminal/output.ts";
import type { RequestOutput } from "../terminal/request-output.ts";
import { isTerminal, outliveOutput } from "../terminal/standard-output.ts";

interface ServeFlags extends SandboxFlags {
  readonly port: number;
  readonly host: string;
  readonly data?: string;
  readonly ephemeral?: true;
  readonly controlPort?: number;
  readonly controlTokenFile?: string;
  readonly readyFile?: string;
  readonly json?: true;
  readonly logFormat?: LogFormat;
  readonly quiet?: true;
  readonly name?: string;
}

export function serveCommand(): Command {
  return addSandboxOptions(new ServeCommand("serve"))
    .addOption(new Option("--port <number>", "0: any free one").default(2547).argParser(readPort))
    .addOption(new Option("--host <address>", "the address to listen on").default("127.0.0.1").argParser(readHost))
    .addOption(dataOption().conflicts("ephemeral"))
    .option("--ephemeral", "keep the data in a temporary folder, removed at the end")
    .addOption(
      new Option(
        "--control-port <number>",
        "serve the control API and the console on this port alone; 0: any free one",
      ).argParser(readPort),
    )
    .option(
      "--control-token-file <file>",
      "a token that the control API asks for (default: off loopback a new one, on it none)",
    )
    .addOption(
      new Option("--name <name>", "shown by the console, to tell this sandbox from others").argParser(readName),
    )
    .option("--ready-file <path>", "written when requests are served, removed at the end")
    .option("--json", "print one ready record")
    .addOption(
      new Option(
        "--log-format <format>",
        "a line per request on stderr (default: pretty on a terminal, else none)",
      ).choices(LOG_FORMATS),
    )
    .option("-q, --quiet", "no line per request")
    .action(serve);
}

/** A start that fails at its flags leaves no stale address either. */
class ServeCommand extends Command {
  override error(message: string, options?: ErrorOptions): never {
    removeReadyFileOf(process.argv);
    return super.error(message, options);
  }
}

async function serve(flags: ServeFlags): Promise<void> {
  // Before anything is written: what other users of this machine could read is nobody's to widen.
  process.umask(0o077);
  const readyFile = flags.readyFile === undefined ? null : prepareReadyFile(flags.readyFile);
  let leaveNothing = () => {};
  const stopping = stopSignal(() => leaveNothing());
  outliveOutput();
  const config = await configOf(flags);
  const controlToken = controlTokenFor(flags);
  const directory = flags.ephemeral ? makeTemporaryDirectory() : locateDataDirectory(flags.data);
  const output = await requestOutputFor(flags);
  let sandbox: RunningSandbox | undefined;
  leaveNothing = () => {
    readyFile?.remove();
    if (flags.ephemeral) removeTemporaryDirectory(directory);
  };
  try {
    sandbox = await startSandbox({
      ...config,
      directory,
      host: flags.host,
      port: flags.port,
      controlPort: controlPortFor(flags),
      controlToken,
      realClock: systemClock,
      stopwatch,
      random: systemRandom,
      reportFault: output?.reportFault ?? reportFault,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(output && { onRequest: output.onRequest, onDelivery: output.onDelivery }),
    });
    const record = readyRecord(sandbox, directory, controlToken);
    readyFile?.write(record);
    if (flags.json) printJson(record);
    else announce(record);
    removeTemporaryLeftovers(); // now, so that nobody waits for it
    await stopping;
  } finally {
    try {
      await sandbox?.stop();
    } finally {
      leaveNothing();
    }
  }
  if (output && !(await output.end())) process.exit(EXIT.done);
}

/** Its number: the stream itself is made when there is something to write. */
const STDERR = 2;

/** A person at a terminal wants to see the requests; a program that starts the server says so, with a format. */
async function requestOutputFor({ logFormat, quiet }: ServeFlags): Promise<RequestOutput | null> {
  const format = logFormat ?? (isTerminal(STDERR) ? "pretty" : null);
  if (quiet || format === null) return null;
  const { createRequestOutput } = await import("../terminal/request-output.ts");
  return createRequestOutput(format);
}

function controlPortFor({ port, controlPort }: ServeFlags): number | null {
  if (controlPort === undefined) return null;
  if (controlPort === port && port !== 0) {
    throw new Failure(
      "usage",
      `--control-port ${controlPort} is the port of the merchant API`,
      "choose another one, or 0",
    );
  }
  return controlPort;
}

/** Off loopback a token says who may steer; on it only where somebody wants one, because other users of the machine connect too. */
function controlTokenFor({ host, controlTokenFile }: ServeFlags): string | null {
  if (controlTokenFile === undefined) return isLoopback(host) ? null : token(systemRandom, 40).toLowerCase();
  let text: string;
  try {
    text = readText(controlTokenFile).trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `--control-token-file ${controlTokenFile} cannot be read (${code ?? message})`);
  }
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) {
    throw new Failure("usage", "--control-token-file must hold one token of 16 to 200 visible ASCII characters");
  }
  warnOfReaders(controlTokenFile);
  return text;
}

/** Within this time a second signal is the same one: a terminal sends Ctrl+C to npm and to us, and npm passes its own on. */
const SAME_SIGNAL_MS = 100;

/** Resolves at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once, after `leaveNothing`. */
function stopSignal(leaveNothing: () => void): Promise<void> {
  return new Promise((resolveStop) => {
    let stoppedAtMs: number | null = null;
    for (const [signal, exitCode] of ENDING_SIGNALS) {
      process.on(signal, () => {
        if (stoppedAtMs !== null && stopwatch() - stoppedAtMs > SAME_SIGNAL_MS) {
          try {
            leaveNothing();
          } finally {
            process.exit(exitCode);
          }
        }
        stoppedAtMs ??= stopwatch();
        resolveStop();
      });
    }
  });
}
