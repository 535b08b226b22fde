import { ENDING_SIGNALS } from "./ending-signals.ts";

/** Does this last, also where Ctrl+C or another signal ends the process before its work is done. */
export function atTheEnd(step: () => void): void {
  process.once("exit", step);
  for (const [signal, exitCode] of ENDING_SIGNALS) process.once(signal, () => process.exit(exitCode));
}
