import { constants } from "node:os";
import { Command } from "commander";
import { stopwatch, systemClock, systemRandom } from "../src/system.ts";
import { childEnvironment } from "./environment.ts";
import { Failure } from "./failure.ts";
import { reportFault } from "./output.ts";
import { addSandboxOptions, configOf, type SandboxFlags } from "./sandbox-flags.ts";
import { startSandbox } from "./start-sandbox.ts";
import { makeTemporaryDirectory, removeTemporaryDirectory } from "./temporary-directory.ts";
import { variablesOf } from "./variables.ts";

export function execCommand(): Command {
  return addSandboxOptions(
    new Command("exec").argument("<command...>", "after --, with its own arguments").passThroughOptions(),
  ).action(exec);
}

/** Signals that end a command; the terminal or the caller sends them to us, and they are meant for it. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function exec(command: string[], flags: SandboxFlags): Promise<void> {
  process.umask(0o077);
  const directory = makeTemporaryDirectory();
  try {
    const sandbox = await startSandbox({
      ...configOf(flags),
      directory,
      host: "127.0.0.1",
      port: 0,
      controlToken: null,
      realClock: systemClock,
      stopwatch,
      random: systemRandom,
      reportFault,
    });
    try {
      const { baseUrl, controlUrl, credentials } = sandbox;
      const variables = variablesOf({
        baseUrl,
        apiKey: credentials.api_key,
        apiSecret: credentials.api_secret,
        paymentAccountId: credentials.payment_account_id,
        controlUrl,
        controlToken: null,
      });
      process.exitCode = await runChild(command, { ...variables, MOMO_DATA: directory.path });
    } finally {
      await sandbox.stop();
    }
  } finally {
    removeTemporaryDirectory(directory);
  }
}

/** @returns the exit code of the command; 128 and the number of the signal that ended it */
async function runChild(command: string[], variables: Record<string, string>): Promise<number> {
  const child = spawn(command, variables);
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    const exitCode = await child.exited;
    return child.signalCode === null ? exitCode : 128 + (constants.signals[child.signalCode as NodeJS.Signals] ?? 0);
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

function spawn(command: string[], variables: Record<string, string>) {
  try {
    return Bun.spawn(command, { stdio: ["inherit", "inherit", "inherit"], env: childEnvironment(variables) });
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new Failure(
      missing ? "command_missing" : "command_refused",
      `${command[0]} ${missing ? "is not a command that can be found" : "cannot be run"}`,
    );
  }
}
