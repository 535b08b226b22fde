import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ReadyRecord as PrintedRecord } from "../../cli/serving/ready-record.ts";
import { builtBinary } from "./binary.ts";
import { type Child, exitCodeOf, firstJsonOf, startChild, Transcript } from "./child.ts";
import { later, newFolder } from "./cleanup.ts";
import { type Client, createClient } from "./client.ts";
import { canRunHere, runHere } from "./here.ts";
import { inTime, PATIENCE_MS, RUN_MS } from "./waiting.ts";

/** The command of the program: the executable, which starts in a quarter of the time; from source if MOMO_TEST_SOURCE is set. */
export const PROGRAM: readonly string[] = process.env.MOMO_TEST_SOURCE
  ? [process.execPath, "--no-env-file", resolve(import.meta.dir, "../../cli/main.ts")]
  : [await builtBinary()];

export interface RunOptions {
  /** On top of {@link cleanEnvironment}. */
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** All that it can read; null leaves it open. */
  readonly stdin?: string | null;
  readonly program?: readonly string[];
  /** Whether it is refused before it starts anything: then every command can run in this process. */
  readonly isRefused?: boolean;
}

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/**
 * Runs a command of the program to its end, in an environment that has only PATH from the caller: in this process where that can
 * make no difference, otherwise with the executable.
 */
export async function runMomo(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { program, stdin, cwd, env, isRefused = false } = options;
  const home = newFolder();
  const surroundings = { environment: { ...cleanEnvironment(home), ...env }, folder: cwd ?? home };
  const isHere =
    !program && stdin === undefined && env?.HOME === undefined && canRunHere(args, surroundings, !isRefused);
  return isHere ? runHere(args, surroundings) : runProgram(args, options);
}

/** The same, always with the executable. */
const runProgram = (args: readonly string[], options: RunOptions = {}): Promise<Run> =>
  runToEnd([...(options.program ?? PROGRAM), ...args], options);

/** The same for any other command, such as a shell that runs the program. */
export async function runToEnd(command: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = start(command, options, true);
  // A command that should end by itself might start a server instead, perhaps in a shell.
  const late = setTimeout(() => process.kill(-child.pid, "SIGKILL"), RUN_MS);
  const exitCode = await child.exited;
  clearTimeout(late);
  return { stdout: child.stdout.text, stderr: child.stderr.text, exitCode };
}

/** Starts the program without waiting for anything. */
export const startMomo = (args: readonly string[], options: RunOptions = {}): Child =>
  start([...(options.program ?? PROGRAM), ...args], options);

/** An empty home and folder for temporary files, and no MOMO_*. */
export function cleanEnvironment(home: string): Record<string, string> {
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  return { PATH: process.env.PATH ?? "", HOME: home, XDG_DATA_HOME: join(home, "share"), TMPDIR: temporary };
}

function start(command: readonly string[], { env, cwd, stdin }: RunOptions, detached = false): Child {
  const home = newFolder();
  return startChild(command, {
    env: { ...cleanEnvironment(home), ...env },
    cwd: cwd ?? home,
    detached,
    ...(stdin !== undefined && { stdin }),
  });
}

/** What `momo serve --json` prints, of a server that has made its own key. */
export interface ReadyRecord extends PrintedRecord {
  readonly api_key: string;
  readonly api_secret: string;
}

/** A running `momo serve`. */
export interface Served extends Client {
  readonly ready: ReadyRecord;
  readonly child: Child;
  /** Flags that name the data directory, and so the server, to other commands. */
  readonly at: readonly [string, string];
  /** Sends a signal and returns the exit code. */
  stop(signal?: "SIGINT" | "SIGTERM"): Promise<number>;
  /** Kills it, like a power cut. */
  kill(): Promise<number>;
}

/** Serves on a free port and a new data directory, unless the flags say otherwise. Returns when it is ready; `cleanUp` ends it. */
export async function serveMomo(args: readonly string[] = [], options: RunOptions = {}): Promise<Served> {
  const given = new Set(args);
  const data = given.has("--data") || given.has("--ephemeral") ? [] : ["--data", join(newFolder(), "data")];
  const port = given.has("--port") ? [] : ["--port", "0"];
  const child = startMomo(["serve", "--json", ...port, ...data, ...args], options);
  const ready: ReadyRecord = await firstJsonOf(child);
  const end = async (signal: "SIGINT" | "SIGTERM" | "SIGKILL") => {
    child.signal(signal);
    return inTime(child.exited, () => `${signal} does not end the server; stderr: ${child.stderr.text}`);
  };
  return {
    ready,
    child,
    at: ["--data", ready.data],
    stop: (signal = "SIGTERM") => end(signal),
    kill: () => end("SIGKILL"),
    ...createClient(addressOf(ready)),
  };
}

/** Where a server is, and its first key. */
export const addressOf = (ready: ReadyRecord) => ({
  baseUrl: ready.base_url,
  controlUrl: ready.control_url,
  headers: { "X-API-Key": ready.api_key, "X-API-Secret": ready.api_secret },
  paymentAccountId: ready.payment_account_id,
});

/** The failure that `--json` printed on stderr. */
export function failureOf({ stderr }: Run): { code: string; message: string; hint: string | null } {
  return (JSON.parse(stderr) as { error: { code: string; message: string; hint: string | null } }).error;
}

/** Expects a command to fail: this exit code, nothing on stdout, and on stderr why, without a stack trace. */
export function expectRefusal(run: Run, exitCode: number, says: string | RegExp): void {
  expect(run).toMatchObject({ stdout: "", exitCode });
  if (typeof says === "string") expect(run.stderr).toContain(says);
  else expect(run.stderr).toMatch(says);
  expect(run.stderr).not.toMatch(/^ {4}at /m);
}

/** The program as a person at a terminal sees it. */
export interface TerminalSession {
  /** All that was written to the terminal, escape sequences included. */
  readonly screen: Transcript;
  /** The exit code. Of a program that does not end: what it shows, such as a question. */
  readonly exited: Promise<number | string>;
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
  const late = Bun.sleep(PATIENCE_MS).then(() => `it has not ended, and shows: ${screen.text}`);
  return { screen, exited: Promise.race([exited, late]), type: (keys) => void child.terminal?.write(keys) };
}

/** The same without colours. */
export const openPlain = (args: readonly string[], options: Parameters<typeof openMomo>[1] = {}): TerminalSession =>
  openMomo(args, { env: { NO_COLOR: "1" }, ...options });

/** The lines that a terminal shows. */
export const shownLines = (text: string): string[] =>
  text.split("\r\n").map((line) => line.split("\x1b[K").at(-1) ?? "");
