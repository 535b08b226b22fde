import { canRedraw } from "../environment.ts";
import { isErrorTerminal, lineOf, stderr, tell } from "./output.ts";
import { wrapped } from "./plain.ts";

export type StatusLine = ReturnType<typeof openStatusLine>;

/** Moves to the first column and clears the line. */
const CLEAR = "\x1b[G\x1b[K";

/**
 * One line on stderr that is rewritten for a person who waits. The cursor stays visible, so that nothing has to be restored after
 * Ctrl+Z, a signal or a crash.
 */
export function openStatusLine() {
  const isLive = isErrorTerminal() && canRedraw();
  let shown = "";
  return {
    /** Whether the terminal can rewrite the line. */
    isLive,
    show(text: string): void {
      if (!isLive) return;
      const width = (process.stderr.columns || 80) - 1;
      shown = wrapped(lineOf([text], isErrorTerminal), width)[0] ?? "";
      stderr().write(CLEAR + shown);
    },
    /** Writes a permanent line above it. */
    note(text: string): void {
      if (isLive && shown !== "") stderr().write(CLEAR);
      tell(text);
      if (isLive) stderr().write(shown);
    },
    clear(): void {
      if (isLive && shown !== "") stderr().write(CLEAR);
      shown = "";
    },
  };
}
