import { canRedraw } from "../environment.ts";
import { errorWidth, isErrorTerminal, lineOf, tell, wrapped, writeError } from "./output.ts";

export interface StatusLine {
  /** Whether the terminal can rewrite the line. */
  readonly isLive: boolean;
  show(text: string): void;
  /** Writes a permanent line above it. */
  note(text: string): void;
  clear(): void;
}

/** Moves to the first column and clears the line. */
const CLEAR = "\x1b[G\x1b[K";

/**
 * One line on stderr that is rewritten for a person who waits. The cursor stays visible, so that nothing has to be restored after
 * Ctrl+Z, a signal or a crash.
 */
export function openStatusLine(): StatusLine {
  const isLive = isErrorTerminal() && canRedraw();
  let shown = "";
  return {
    isLive,
    show(text: string): void {
      if (!isLive) return;
      const width = errorWidth() - 1;
      shown = wrapped(lineOf([text], isErrorTerminal), width)[0] ?? "";
      writeError(CLEAR + shown);
    },
    note(text: string): void {
      if (isLive && shown !== "") writeError(CLEAR);
      tell(text);
      if (isLive) writeError(shown);
    },
    clear(): void {
      if (isLive && shown !== "") writeError(CLEAR);
      shown = "";
    },
  };
}
