import { fstatSync, statSync, writeSync } from "node:fs";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { causeOf } from "../../src/store/causes.ts";
import { host } from "../host.ts";

/**
 * Writes to standard output, and makes the runtime's stream only if it must: making it takes 5 of the 15 ms of `momo --version`.
 */

const STDOUT = 1;

let isServing = false;

let problem: string | null = null;

/** Why a server could not write what it should print; null also if only its reader has gone. */
export const outputProblem = (): string | null => problem;

/** From now on a closed standard output does not end the process: a server goes on when the reader of its first lines ends. */
export function outliveOutput(): void {
  isServing = true;
}

let stream: NodeJS.WriteStream | undefined;

/**
 * Writes in order. If it cannot write, it ends the process: without a message if the reader has ended, as in `momo list | head`,
 * and otherwise with one line.
 */
export function writeOut(text: string): void {
  const { captured } = host();
  if (captured) {
    captured.out(text);
    return;
  }
  let rest: Uint8Array = new TextEncoder().encode(text);
  try {
    while (!stream && rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") endFor(error as NodeJS.ErrnoException);
    // EAGAIN: the pipe is full and does not block. The stream waits.
    else outStream();
  }
  if (stream && rest.length > 0) stream.write(rest);
}

/** The stream itself, for libraries that need one. */
export function outStream(): NodeJS.WriteStream {
  stream ??= process.stdout.on("error", endFor);
  return stream;
}

function endFor(error: NodeJS.ErrnoException): void {
  const { reason = error.code, remedy = "direct it elsewhere" } = causeOf(error) ?? {};
  if (error.code !== "EPIPE") problem = `standard output cannot be written: ${reason}`;
  if (isServing) return;
  if (problem === null) process.exit(0);
  process.stderr.write(`momo: ${problem}; ${remedy}\n`);
  process.exit(1);
}

/** Whether it is a terminal. It asks the file system first, because loading node:tty takes 5 of the 15 ms of `momo --version`. */
export function isTerminal(descriptor = STDOUT): boolean {
  if (host().captured) return false;
  const stats = readOrNull(() => fstatSync(descriptor)); // null: it is closed
  const isNull = stats?.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
  if (!stats?.isCharacterDevice() || isNull) return false;
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

/** The width of a terminal. Elsewhere a line has no bound. */
export function lineWidth(descriptor = STDOUT): number {
  if (!isTerminal(descriptor)) return Number.POSITIVE_INFINITY;
  return (descriptor === STDOUT ? process.stdout : process.stderr).columns || 80;
}
