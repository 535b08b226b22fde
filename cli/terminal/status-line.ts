import { canRedraw } from "../environment.ts";
import { isErrorTerminal, lineOf, stderr, tell } from "./output.ts";

/**
 * One line on stderr that is written again and again for a person who waits. The cursor stays visible, so that Ctrl+Z, a signal
 * or a crash leaves a terminal as it was.
 */
export interface StatusLine {
  /** Whether the terminal can write it again. */
  readonly isLive: boolean;
  show(text: string): void;
  /** Writes a line above it, that stays. */
  note(text: string): void;
  clear(): void;
}

/** To the first column, and nothing behind it. */
const CLEAR = "\x1b[G\x1b[K";

export function openStatusLine(): StatusLine {
  const isLive = isErrorTerminal() && canRedraw();
  let shown = "";
  return {
    isLive,
    show(text) {
      if (!isLive) return;
      const width = (process.stderr.columns || 80) - 1;
      shown = lineOf([text.slice(0, width)], isErrorTerminal);
      stderr().write(CLEAR + shown);
    },
    note(text) {
      if (isLive && shown !== "") stderr().write(CLEAR);
      tell(text);
      if (isLive) stderr().write(shown);
    },
    clear() {
      if (isLive && shown !== "") stderr().write(CLEAR);
      shown = "";
    },
  };
}
