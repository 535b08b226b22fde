import { createHash } from "node:crypto";

/** What happened in a run, line by line: a hash of all lines, and the last lines for the message of a failure. */
export interface Trace {
  note(line: string): void;
  /** The last lines, oldest first. */
  tail(): readonly string[];
  /** Equal for runs in which exactly the same happened. */
  digest(): string;
}

/** Enough lines to see the cause of a failure. */
const KEPT = 40;

/** @param echo gets each line */
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
