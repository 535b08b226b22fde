import { fstatSync, writeSync } from "node:fs";

/**
 * Standard output without the runtime's stream, as long as it goes without: to make one takes longer than most commands do. It is
 * loaded with every command line, `momo --version` too.
 */

const STDOUT = 1;

let isServing = false;

/** From now on nobody needs to read what is printed: a server does not end with the reader of its first lines. */
export function outliveOutput(): void {
  isServing = true;
}

let stream: NodeJS.WriteStream | undefined;

/**
 * Writes, in order. Where it cannot, the process ends: quietly where the reader has gone away, as in `momo list | head`, because
 * it has seen what it wanted; else with one line.
 */
export function writeOut(text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (!stream && rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") endFor(error as NodeJS.ErrnoException);
    // A pipe that is full and was told not to wait; a stream knows how to.
    else outStream();
  }
  if (stream && rest.length > 0) stream.write(rest);
}

/** For whoever needs the stream itself. */
export function outStream(): NodeJS.WriteStream {
  stream ??= process.stdout.on("error", endFor);
  return stream;
}

function endFor({ code }: NodeJS.ErrnoException): void {
  if (isServing) return;
  if (code === "EPIPE") process.exit(0);
  process.stderr.write(`momo: standard output cannot be written (${code})\n`);
  process.exit(1);
}

/** Whether a person watches; asked of the file system first, because what knows terminals is slow to load. */
export function isTerminal(descriptor = STDOUT): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false; // It is closed.
  }
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

/** How wide a line may be: as the terminal is, and elsewhere as long as it likes. */
export const lineWidth = (): number => (isTerminal() ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY);
