import { canRedraw } from "../environment.ts";

/** Reads single keys. A terminal that cannot redraw sends whole lines: there, `c` stands for Escape. */

export type Key = "enter" | "escape" | "backspace" | "off" | { readonly digit: string };

type Special = "stop" | "line cancel";

/** @param onBack called when the process goes on after Ctrl+Z */
export function openKeyboard(onKey: (key: Key) => void, onBack: () => void) {
  const { stdin } = process;
  const isRaw = canRedraw();
  const grab = (raw: boolean) => {
    if (isRaw) stdin.setRawMode(raw);
  };
  const read = (chunk: Buffer) => {
    for (const key of keysIn(chunk.toString("latin1"))) {
      if (key === "stop") {
        grab(false);
        process.kill(process.pid, "SIGTSTP");
      } else if (key !== "line cancel") onKey(key);
      else if (!isRaw) onKey("escape");
    }
  };
  const goOn = () => {
    grab(true);
    onBack();
  };
  const off = () => onKey("off");
  process.on("SIGCONT", goOn).on("SIGINT", off);
  grab(true);
  stdin.on("data", read).on("end", off).resume();
  return {
    close(): void {
      grab(false);
      stdin.off("data", read).off("end", off).pause();
      process.off("SIGCONT", goOn).off("SIGINT", off);
    },
  };
}

/** An arrow key sends a sequence that begins with Escape. It does not count as Escape. */
const ESCAPE = "\u001B";
const SEQUENCE = new RegExp(`^${ESCAPE}(?:\\[[0-9;]*[ -/]*[@-~]|O.|[^${ESCAPE}])`);

function keysIn(typed: string): (Key | Special)[] {
  const keys: (Key | Special)[] = [];
  for (let rest = typed; rest !== ""; ) {
    const sequence = SEQUENCE.exec(rest)?.[0];
    const [character = ""] = rest;
    if (sequence === undefined) {
      const key = KEYS[character];
      if (key) keys.push(key);
      else if (/[0-9]/.test(character)) keys.push({ digit: character });
    }
    rest = rest.slice(sequence?.length ?? 1);
  }
  return keys;
}

const KEYS: Readonly<Record<string, Key | Special>> = {
  "\r": "enter",
  "\n": "enter",
  "\x1b": "escape",
  c: "line cancel",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x03": "off",
  "\x04": "off",
  "\x1a": "stop",
};
