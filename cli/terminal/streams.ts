import { fstatSync, statSync, writeSync } from "node:fs";
import { once } from "../../src/domain/once.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { causeOf } from "../../src/store/causes.ts";

/** The streams to which a process writes. Tests have others in their place. */

export interface Stream {
  write(text: string): void;
  isTerminal(): boolean;
  /** The width of a terminal. Elsewhere a line has no bound. */
  width(): number;
}

export interface StandardOutput extends Stream {
  /** Why a server could not write what it should print; null also if only its reader has gone. */
  readonly problem: string | null;
  /** From now on a closed standard output does not end the process: a server goes on when the reader of its first lines ends. */
  outlive(): void;
  /** The stream of the runtime, for libraries that need one. */
  stream(): NodeJS.WriteStream;
}

export interface StandardError extends Stream {
  /** @param done called when the text is written, or cannot be written */
  write(text: string, done?: () => void): void;
}

const STDOUT = 1;
const STDERR = 2;

/** Makes the runtime's stream only if it must: making it takes 5 of the 15 ms of `momo --version`. */
export class ProcessOutput implements StandardOutput {
  #isServing = false;
  #problem: string | null = null;
  #stream: NodeJS.WriteStream | undefined;
  readonly isTerminal = once(() => isTerminal(STDOUT));

  get problem(): string | null {
    return this.#problem;
  }

  outlive(): void {
    this.#isServing = true;
  }

  /**
   * Writes in order. If it cannot write, it ends the process: without a message if the reader has ended, as in `momo list | head`,
   * and otherwise with one line.
   */
  write(text: string): void {
    let rest: Uint8Array = new TextEncoder().encode(text);
    try {
      while (!this.#stream && rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") this.#endFor(error as NodeJS.ErrnoException);
      // EAGAIN: the pipe is full and does not block. The stream waits.
      else this.stream();
    }
    if (this.#stream && rest.length > 0) this.#stream.write(rest);
  }

  stream(): NodeJS.WriteStream {
    this.#stream ??= process.stdout.on("error", (error) => this.#endFor(error));
    return this.#stream;
  }

  width(): number {
    return this.isTerminal() ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  #endFor(error: NodeJS.ErrnoException): void {
    const { reason = error.code, remedy = "direct it elsewhere" } = causeOf(error) ?? {};
    if (error.code !== "EPIPE") this.#problem = `standard output cannot be written: ${reason}`;
    if (this.#isServing) return;
    if (this.#problem === null) process.exit(0);
    process.stderr.write(`momo: ${this.#problem}; ${remedy}\n`);
    process.exit(1);
  }
}

export class ProcessErrors implements StandardError {
  #stream: NodeJS.WriteStream | undefined;
  readonly isTerminal = once(() => isTerminal(STDERR));

  write(text: string, done?: () => void): void {
    // A write error is ignored: there is no other place to report it.
    this.#stream ??= process.stderr.on("error", () => {});
    this.#stream.write(text, done && (() => done()));
  }

  width(): number {
    return this.isTerminal() ? process.stderr.columns || 80 : Number.POSITIVE_INFINITY;
  }
}

/** It asks the file system first, because loading node:tty takes 5 of the 15 ms of `momo --version`. */
function isTerminal(descriptor: number): boolean {
  const stats = readOrNull(() => fstatSync(descriptor)); // null: it is closed
  const isNull = stats?.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
  if (!stats?.isCharacterDevice() || isNull) return false;
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}
