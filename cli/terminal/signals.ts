import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { once } from "../../src/domain/once.ts";
import { stopwatch } from "../../src/system.ts";
import { EXIT } from "./failure.ts";

/** The signals of a process. `Io` says what the functions are for. */

/** Those that end it, each with its exit code. */
const ENDING_SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
  ["SIGHUP", EXIT.hungUp], // the terminal was closed
] as const;

/** Signals to momo that are meant for the command that it runs. */
export const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/**
 * The signals that were ignored when momo started, as by nohup, or by `&` in a script. A handler would undo that. Only Linux
 * reports them. It must be called before the first handler is set.
 */
export const ignoredAtStart = once((): ReadonlySet<string> => {
  if (process.platform !== "linux") return new Set();
  const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
  const bits = BigInt(`0x${mask}`);
  const isIgnored = (number: number) => ((bits >> BigInt(number - 1)) & 1n) === 1n;
  return new Set(Object.entries(constants.signals).flatMap(([name, number]) => (isIgnored(number) ? [name] : [])));
});

/** The ending signals that momo must obey. */
const endingSignals = () => ENDING_SIGNALS.filter(([signal]) => !ignoredAtStart().has(signal));

export function atTheEnd(step: () => void): void {
  process.once("exit", step);
  for (const [signal, exitCode] of endingSignals()) process.once(signal, () => process.exit(exitCode));
}

export async function whileBlocked<T>(work: () => T | Promise<T>): Promise<T> {
  const aside = endingSignals().map(([signal]) => [signal, process.rawListeners(signal)] as const);
  for (const [signal] of aside) process.removeAllListeners(signal);
  try {
    return await work();
  } finally {
    for (const [signal, handlers] of aside) for (const handler of handlers) process.on(signal, handler as () => void);
  }
}

export function onSignal(step: (exitCode: number) => void): () => void {
  const handlers = endingSignals().map(([signal, exitCode]) => {
    const handler = () => step(exitCode);
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const takeBack of handlers) takeBack();
  };
}

/** A second signal within this time is the same Ctrl+C: the terminal sends it to npm and to us, and npm passes it on. */
const SAME_SIGNAL_MS = 500;

export function stopSignal(removeFiles: () => void): Promise<void> {
  return new Promise((resolveStop) => {
    let stoppedAtMs: number | null = null;
    for (const [signal, exitCode] of endingSignals()) {
      process.on(signal, () => {
        if (stoppedAtMs !== null && stopwatch() - stoppedAtMs > SAME_SIGNAL_MS) {
          try {
            removeFiles();
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
