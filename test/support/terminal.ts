import { exitCodeOf, Transcript } from "./child.ts";
import { later, newFolder } from "./cleanup.ts";
import { cleanEnvironment, PROGRAM, type RunOptions } from "./momo.ts";

/** The program as a person at a terminal sees it. */
export interface TerminalSession {
  /** All that was written to the terminal, escape sequences included. */
  readonly screen: Transcript;
  readonly exited: Promise<number>;
  type(keys: string): void;
}

export const KEYS = {
  enter: "\r",
  down: "\x1b[B",
  escape: "\x1b",
  backspace: "\x7f",
  tab: "\t",
  ctrlC: "\x03",
  /** Clears the line that was typed. */
  ctrlU: "\x15",
  ctrlZ: "\x1a",
} as const;

/** Starts the program with all three streams on a terminal. */
export function openMomo(
  args: readonly string[],
  options: Omit<RunOptions, "stdin"> & { readonly columns?: number; readonly rows?: number } = {},
): TerminalSession {
  const home = newFolder();
  const screen = new Transcript();
  const decoder = new TextDecoder();
  const child = Bun.spawn([...(options.program ?? PROGRAM), ...args], {
    cwd: options.cwd ?? home,
    env: { ...cleanEnvironment(home), TERM: "xterm-256color", ...options.env },
    terminal: {
      cols: options.columns ?? 100,
      rows: options.rows ?? 40,
      data: (_terminal, data) => screen.add(decoder.decode(data, { stream: true })),
    },
  });
  const exited = exitCodeOf(child).finally(() => child.terminal?.close());
  later(() => {
    child.kill("SIGKILL");
    return exited;
  });
  return { screen, exited, type: (keys) => void child.terminal?.write(keys) };
}
