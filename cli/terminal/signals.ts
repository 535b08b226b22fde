import { EXIT } from "./failure.ts";

/** The signals that end a process, each with its exit code. */
export const ENDING_SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
  ["SIGHUP", EXIT.hungUp], // the terminal was closed
] as const;

/** Runs a step when the process ends, also if a signal such as Ctrl+C ends it. */
export function atTheEnd(step: () => void): void {
  process.once("exit", step);
  for (const [signal, exitCode] of ENDING_SIGNALS) process.once(signal, () => process.exit(exitCode));
}

/**
 * Runs a step if a signal ends the process.
 * @returns a function that cancels this
 */
export function whenInterrupted(step: () => void): () => void {
  const handlers = ENDING_SIGNALS.map(([signal, exitCode]) => {
    const handler = () => {
      step();
      process.exit(exitCode);
    };
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const takeBack of handlers) takeBack();
  };
}
