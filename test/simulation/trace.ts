import { createHash } from "node:crypto";

/** What happened in a run, line by line: a hash over all of it, and the last lines to read when something went wrong. */
export interface Trace {
  note(line: string): void;
  /** The last lines, oldest first. */
  tail(): readonly string[];
  /** Equal for runs in which exactly the same happened. */
  digest(): string;
}

/** How many lines are kept: enough to see how a failure came about. */
const KEPT = 40;

/** @param echo given each line as it comes */
export function createTrace(echo: (line: string) => void = () => {}): Trace {
  const hash = createHash("sha256");
  const lines: string[] = [];
  return {
    note(line) {
      hash.update(line).update("\n");
      lines.push(line);
      if (lines.length > KEPT) lines.shift();
      echo(line);
    },
    tail: () => lines,
    digest: () => hash.copy().digest("hex"),
  };
}
