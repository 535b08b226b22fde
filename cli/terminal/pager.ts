import { pagerCommand } from "../environment.ts";
import { isTerminal, writeOut } from "./standard-output.ts";

/** Prints lines; more of them than a terminal shows go through `$PAGER`, by default less. */
export function page(lines: readonly string[]): void {
  const text = lines.map((line) => `${line}\n`).join("");
  const isLong = isTerminal() && lines.length > (process.stdout.rows || Number.POSITIVE_INFINITY) - 2;
  if (!isLong || !showInPager(text)) writeOut(text);
}

/** Returns whether there is one. */
function showInPager(text: string): boolean {
  const pager = pagerCommand();
  if (pager === null || !process.stdin.isTTY || Bun.which("sh") === null) return false;
  // Ctrl+C is for the pager: it must not be left alone with the terminal.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const { exitCode } = Bun.spawnSync(["sh", "-c", pager.command], {
      stdin: Buffer.from(text),
      stdout: "inherit",
      stderr: "ignore",
      env: pager.environment,
    });
    // As shells have it: 126 and 127 say that there is no such program.
    return exitCode !== 126 && exitCode !== 127;
  } finally {
    process.off("SIGINT", ignore);
  }
}
