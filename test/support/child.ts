import { later } from "./cleanup.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** A process that a test started, and what it has written so far. */
export interface Child {
  readonly pid: number;
  readonly stdout: Transcript;
  readonly stderr: Transcript;
  /** The code as a shell reports it: 128 and the signal's number where a signal ended the process. */
  readonly exited: Promise<number>;
  /** Writes to its input, if that was left open. */
  say(text: string | Uint8Array): Promise<void>;
  /** Ends its input, and waits for its end. */
  finish(): Promise<number>;
  signal(name: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL"): void;
}

export interface ChildOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** All that it can read; null leaves it open. */
  readonly stdin?: string | null;
  /** Whether it leads a process group, so that what it starts can be ended with it. */
  readonly detached?: boolean;
}

const SIGNAL_NUMBERS: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Processes that still run when the tests end, for whatever reason, end with them. */
const running = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** `cleanUp` ends it. */
export function startChild(
  command: readonly string[],
  { env, cwd, stdin = "", detached = false }: ChildOptions,
): Child {
  const child = Bun.spawn([...command], {
    env,
    cwd,
    detached,
    stdin: stdin === null ? "pipe" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const input = child.stdin as Bun.FileSink;
  const stdout = new Transcript();
  const stderr = new Transcript();
  const read = Promise.all([stdout.follow(child.stdout), stderr.follow(child.stderr)]);
  const exited = exitCodeOf(child).then(async (code) => {
    await read;
    return code;
  });
  later(() => {
    child.kill("SIGKILL");
    return exited;
  });
  return {
    pid: child.pid,
    stdout,
    stderr,
    exited,
    async say(text) {
      await input.write(text);
      await input.flush();
    },
    async finish() {
      await input.end();
      return exited;
    },
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
  #taken = 0;
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

  /** The next line that nobody has taken; null if the text ends before it. */
  async nextLine(): Promise<string | null> {
    let end = this.text.indexOf("\n", this.#taken);
    for (; end < 0; end = this.text.indexOf("\n", this.#taken)) {
      if (this.#ended) return null;
      await this.#changed.promise;
    }
    const line = this.text.slice(this.#taken, end);
    this.#taken = end + 1;
    return line;
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
