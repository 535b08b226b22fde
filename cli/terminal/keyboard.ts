import { emitKeypressEvents, type Interface, type Key as Pressed } from "node:readline";
import { canRedraw } from "../environment.ts";

/** Reads single keys. A terminal that cannot redraw sends whole lines: there, `c` stands for Escape. */

export type Key = "enter" | "escape" | "backspace" | "off" | { readonly digit: string };

/** How long a lone Escape waits for the rest of a sequence, such as that of an arrow key. */
const ESCAPE_MS = 50;

/** @param onBack called when the process goes on after Ctrl+Z */
export function openKeyboard(onKey: (key: Key) => void, onBack: () => void) {
  const { stdin } = process;
  const isRaw = canRedraw();
  const grab = (raw: boolean) => {
    if (isRaw) stdin.setRawMode(raw);
  };
  const read = (text: string | undefined, { name, ctrl }: Pressed) => {
    if (ctrl && name === "z") {
      grab(false);
      process.kill(process.pid, "SIGTSTP");
    } else if (ctrl && (name === "c" || name === "d")) onKey("off");
    else if (name === "return" || name === "enter") onKey("enter");
    else if (name === "escape" || (name === "c" && !isRaw)) onKey("escape");
    else if (name === "backspace") onKey("backspace");
    // With Alt there is no text.
    else if (text !== undefined && /^[0-9]$/.test(text)) onKey({ digit: text });
  };
  const goOn = () => {
    grab(true);
    onBack();
  };
  const off = () => onKey("off");
  process.on("SIGCONT", goOn).on("SIGINT", off);
  grab(true);
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  stdin.on("keypress", read).on("end", off).resume();
  return {
    close(): void {
      grab(false);
      stdin.off("keypress", read).off("end", off).pause();
      process.off("SIGCONT", goOn).off("SIGINT", off);
    },
  };
}
