import { pagerCommand } from "../environment.ts";
import { isTerminal, writeOut } from "./standard-output.ts";

/** Prints lines. If a terminal cannot show all of them, they go through `$PAGER`, by default less. */
export function page(lines: readonly string[]): void {
  const text = lines.map((line) => `${line}\n`).join("");
  const isLong = isTerminal() && lines.length > (process.stdout.rows || Number.POSITIVE_INFINITY) - 2;
  if (!isLong || !showInPager(text)) writeOut(text);
}

/** @returns whether there is a pager */
function showInPager(text: string): boolean {
  const pager = pagerCommand();
  if (pager === null || !process.stdin.isTTY || Bun.which("sh") === null) return false;
  // Ctrl+C is for the pager. If we ended first, the pager and the shell would both read the terminal.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const { exitCode } = Bun.spawnSync(["sh", "-c", pager.command], {
      stdin: Buffer.from(text),
      stdout: "inherit",
      stderr: "ignore",
      env: pager.environment,
    });
    // A shell ends with 126 or 127 if it cannot run the program.
    return exitCode !== 126 && exitCode !== 127;
  } finally {
    process.off("SIGINT", ignore);
  }
}
