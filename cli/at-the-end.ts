import { EXIT } from "./failure.ts";

/** Does this last, also where Ctrl+C or another signal ends the process before its work is done. */
export function atTheEnd(step: () => void): void {
  process.once("exit", step);
  for (const [signal, exitCode] of [
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
    ["SIGHUP", EXIT.hungUp],
  ] as const) {
    process.once(signal, () => process.exit(exitCode));
  }
}
