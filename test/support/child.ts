import { join } from "node:path";
import type { Program } from "./programs.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** A process that a test started, and what it has written so far. */
export interface Child {
  readonly pid: number;
  readonly stdout: Transcript;
  readonly stderr: Transcript;
  /** The code as a shell reports it: 128 and the signal's number where a signal ended the process. */
  readonly exited: Promise<number>;
  signal(name: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL"): void;
}

export interface ChildOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly stdin?: string;
  /** Whether it leads a process group, so that what it starts can be ended with it. */
  readonly detached?: boolean;
}

const SIGNAL_NUMBERS: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Processes that still run when the tests end, for whatever reason, end with them. */
const running = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startChild(
  command: readonly string[],
  { env, cwd, stdin = "", detached = false }: ChildOptions,
): Child {
  const child = Bun.spawn([...command], {
    env,
    cwd,
    detached,
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const stdout = new Transcript();
  const stderr = new Transcript();
  const read = Promise.all([stdout.follow(child.stdout), stderr.follow(child.stderr)]);
  return {
    pid: child.pid,
    stdout,
    stderr,
    exited: exitCodeOf(child).then(async (code) => {
      await read;
      return code;
    }),
    signal: (name) => child.kill(name),
  };
}

/** The first line that a process writes, as JSON. */
export async function firstJsonOf({ stdout, stderr }: Child) {
  const [line] = await stdout.until(/^.*\n/).catch((error: Error) => {
    throw new Error(`${error.message}; stderr: ${stderr.text}`);
  });
  return JSON.parse(line);
}

/** Waits for the end of a process. */
export async function exitCodeOf(child: Bun.Subprocess): Promise<number> {
  running.add(child);
  await child.exited;
  running.delete(child);
  return child.signalCode ? 128 + (SIGNAL_NUMBERS[child.signalCode] ?? 0) : (child.exitCode ?? -1);
}

/** Text that arrives in parts. */
export class Transcript {
  text = "";
  #ended = false;
  #changed = Promise.withResolvers<void>();

  add(more: string): void {
    this.text += more;
    this.#wake();
  }

  async follow(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.add(decoder.decode(chunk, { stream: true }));
    this.end();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /**
   * Waits for text that matches.
   * @throws an error that shows the text, if it ends without a match or that takes too long
   */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    const late = Bun.sleep(PATIENCE_MS).then(() => "late" as const);
    for (;;) {
      const match = pattern.exec(this.text);
      if (match) return match;
      const why = this.#ended ? "ended" : await Promise.race([late, this.#changed.promise]);
      if (why) throw new Error(`no ${pattern} (${why}) in: ${this.text}`);
    }
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}

/** Runs a program of programs.ts as a process, and reads its output line by line. */
export function startProgram(name: Program, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "programs.ts"), name, ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const chunks = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";

  return {
    child,
    /** The next line; null if the program ended before it. */
    async line(): Promise<string | null> {
      while (!text.includes("\n")) {
        const { value, done } = await chunks.read();
        if (done) return null;
        text += value;
      }
      const [line = "", ...rest] = text.split("\n");
      text = rest.join("\n");
      return line;
    },
    async say(word: string): Promise<void> {
      await child.stdin.write(word);
      await child.stdin.flush();
    },
    /** Ends its stdin, and waits for its end. */
    async finish(): Promise<number> {
      await child.stdin.end();
      return child.exited;
    },
  };
}
