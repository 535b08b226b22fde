import { EXIT } from "./failure.ts";

/** The signals that ask a process to end, each with the exit code of one that ends by it. */
export const ENDING_SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
  ["SIGHUP", EXIT.hungUp], // the terminal was closed
] as const;

/** Does this last, also where Ctrl+C or another signal ends the process before its work is done. */
export function atTheEnd(step: () => void): void {
  process.once("exit", step);
  for (const [signal, exitCode] of ENDING_SIGNALS) process.once(signal, () => process.exit(exitCode));
}

/** Does this only where a signal ends the process; returns a function that takes it back. */
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
