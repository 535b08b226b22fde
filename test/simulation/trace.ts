import { createHash } from "node:crypto";

/** Enough lines to see the cause of a failure. */
const KEPT = 40;

/** What happened in a run, line by line: a hash of all lines, and the last lines for the message of a failure. */
export class Trace {
  /** Oldest first. */
  readonly lastLines: string[] = [];
  readonly #hash = createHash("sha256");
  readonly #echo: (line: string) => void;

  /** @param echo gets each line */
  constructor(echo: (line: string) => void) {
    this.#echo = echo;
  }

  note(line: string): void {
    this.#hash.update(line).update("\n");
    this.lastLines.push(line);
    if (this.lastLines.length > KEPT) this.lastLines.shift();
    this.#echo(line);
  }

  /** Equal for runs in which exactly the same happened. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
