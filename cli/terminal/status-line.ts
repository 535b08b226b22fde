import { visible } from "../../src/domain/visible.ts";
import { type Output, wrapped } from "./output.ts";

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
export function openStatusLine(out: Output): StatusLine {
  const { stderr } = out;
  const isLive = stderr.isTerminal() && out.environment.canRedraw();
  let shown = "";
  return {
    isLive,
    show(text: string): void {
      if (!isLive) return;
      shown = wrapped(visible(text), stderr.width() - 1)[0] ?? "";
      stderr.write(CLEAR + shown);
    },
    note(text: string): void {
      if (isLive && shown !== "") stderr.write(CLEAR);
      out.tell(text);
      if (isLive) stderr.write(shown);
    },
    clear(): void {
      if (isLive && shown !== "") stderr.write(CLEAR);
      shown = "";
    },
  };
}
