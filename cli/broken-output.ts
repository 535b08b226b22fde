/** Loaded with every command line, `momo --version` too, so it imports nothing. */

let isServing = false;

/** From now on nobody needs to read what is printed: a server does not end with the reader of its first lines. */
export function outliveOutput(): void {
  isServing = true;
}

/**
 * Ends the process when stdout cannot be written: quietly where the reader has gone away, as in `momo list | head`, because it
 * has seen what it wanted; else with one line.
 */
export function endWhenOutputBreaks(): void {
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (isServing) return;
    if (code === "EPIPE") process.exit(0);
    process.stderr.write(`momo: standard output cannot be written (${code})\n`);
    process.exit(1);
  });
}
