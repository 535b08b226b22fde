import { Terminal } from "@xterm/headless";

/** Records a shell in a real pseudo-terminal, as a terminal shows it. */

export const COLUMNS = 80;
const ROWS = 24;

/** Neighbouring characters that look the same. */
export interface Run {
  readonly column: number;
  readonly text: string;
  /** Names of the styles in the picture, such as `green bold`. */
  readonly style: string;
}

/** The screen at a time, row by row. */
export interface Frame {
  readonly atMs: number;
  readonly rows: readonly (readonly Run[])[];
}

const KEY_MS = 45;
const READING_MS = 1200;

export async function startRecording(cwd: string, env: Readonly<Record<string, string>>, rows = ROWS) {
  const terminal = new Terminal({ cols: COLUMNS, rows, allowProposedApi: true });
  const frames: Frame[] = [];
  const startedMs = performance.now();
  const shoot = () => void frames.push({ atMs: performance.now() - startedMs, rows: rowsOf(terminal) });
  const child = Bun.spawn(["bash", "--norc", "--noprofile", "-i"], {
    cwd,
    env: { TERM: "xterm-256color", LANG: "C.UTF-8", PS1: "\\[\\e[2m\\]$\\[\\e[0m\\] ", ...env },
    terminal: { cols: COLUMNS, rows, data: (_pty, bytes) => terminal.write(bytes, shoot) },
  });
  const screen = () =>
    frames
      .at(-1)
      ?.rows.map((row) => row.map(({ text }) => text).join(""))
      .join("\n") ?? "";

  const recording = {
    frames,
    /** Waits until the screen shows this, and then as long as a person reads. */
    async until(shown: RegExp, readingMs = READING_MS): Promise<void> {
      const giveUpMs = performance.now() + 30_000;
      while (!shown.test(screen())) {
        if (performance.now() > giveUpMs) throw new Error(`the terminal never showed ${shown}:\n${screen()}`);
        await Bun.sleep(20);
      }
      await Bun.sleep(readingMs);
    },
    async press(keys: string): Promise<void> {
      for (const key of keys) {
        child.terminal?.write(key);
        await Bun.sleep(KEY_MS);
      }
    },
    /** Types a command as a person does, and waits for the prompt after it. */
    async run(command: string, until = /\n\$ *\n*$/): Promise<void> {
      await recording.press(command);
      await Bun.sleep(300);
      await recording.press("\r");
      await recording.until(until);
    },
    async end(): Promise<readonly Frame[]> {
      child.kill("SIGKILL");
      await child.exited;
      return frames;
    },
  };
  await recording.until(/^\$/, 400);
  frames.splice(0, frames.length - 1); // begin with the prompt
  return recording;
}

function rowsOf({ rows, buffer: { active } }: Terminal): Run[][] {
  return Array.from({ length: rows }, (_, y) => {
    const line = active.getLine(active.viewportY + y);
    const runs: Run[] = [];
    for (let column = 0; column < COLUMNS; column += 1) {
      const cell = line?.getCell(column);
      const text = cell?.getChars() || " ";
      const colour = cell?.isFgPalette() ? (COLOURS[cell.getFgColor()] ?? "") : "";
      const style = [colour, cell?.isBold() ? "bold" : "", cell?.isDim() ? "dim" : ""].filter(Boolean).join(" ");
      const last = runs.at(-1);
      if (last?.style === style) runs[runs.length - 1] = { ...last, text: last.text + text };
      else runs.push({ column, text, style });
    }
    const last = runs.at(-1);
    if (last) runs[runs.length - 1] = { ...last, text: last.text.trimEnd() };
    return runs.filter(({ text }) => text.trim() !== "");
  });
}

const COLOURS: Readonly<Record<number, string>> = { 1: "red", 2: "green", 3: "yellow", 6: "cyan" };
