import { host } from "../host.ts";
import { EXIT } from "./failure.ts";

/** The signals that end a process, each with its exit code. */
export const ENDING_SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
  ["SIGHUP", EXIT.hungUp], // the terminal was closed
] as const;

/** Runs a step when the process ends, also if a signal such as Ctrl+C ends it. */
export function atTheEnd(step: () => void): void {
  const { captured } = host();
  if (captured) {
    captured.atTheEnd(step);
    return;
  }
  process.once("exit", step);
  for (const [signal, exitCode] of ENDING_SIGNALS) process.once(signal, () => process.exit(exitCode));
}

/**
 * Runs a step if a signal ends the process.
 * @returns a function that cancels this
 */
export const whenInterrupted = (step: () => void) =>
  onSignal((exitCode) => {
    step();
    process.exit(exitCode);
  });

/**
 * Runs a step in the place of the end that a signal brings.
 * @param step gets the exit code of the signal
 * @returns a function that cancels this
 */
export function onSignal(step: (exitCode: number) => void): () => void {
  if (host().captured) return () => {};
  const handlers = ENDING_SIGNALS.map(([signal, exitCode]) => {
    const handler = () => step(exitCode);
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const takeBack of handlers) takeBack();
  };
}
