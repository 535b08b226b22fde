import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../scripts/build.ts";
import { loadLimit } from "./limit-table.ts";
import { loadHistory } from "./loader.ts";
import type { Line } from "./table.ts";

/** What a claim measures: momo and the limits, their processes, and their data. */

export const ROOT = join(import.meta.dir, "../..");

/** momo and both limits, compiled with the same flags. */
interface Programs {
  readonly momo: string;
  readonly limit: string;
  readonly plain: string;
}

/** The parameters of each claim. */
export interface Bench {
  readonly programs: Programs;
  /** How many rounds, and how long one of load lasts. */
  readonly rounds: number;
  readonly seconds: number;
  /** The same for measurements that take many seconds. */
  readonly longRounds: number;
  /** The numbers of rows at which growth is measured. */
  readonly fewRows: number;
  readonly manyRows: number;
  /** The number of rows at which a start is measured. */
  readonly startRows: number;
  /** How many days of requests the soak sends; may be a fraction. */
  readonly days: number;
  /** The folder for all files, on the same disk as the project. */
  readonly folder: string;
  readonly progress: (text: string) => void;
}

/** One measurement: it starts the servers that it needs, and stops them. */
export type Claim = (bench: Bench) => Promise<Line[]>;

export const rowsText = (rows: number): string => `${rows.toLocaleString("en")} rows`;

/** Always compiles all: an existing binary may be old. */
export async function buildPrograms(folder: string): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  const programs = { momo: join(folder, "momo"), limit: join(folder, "limit"), plain: join(folder, "plain") };
  await compile("cli/main.ts", programs.momo);
  await compile("bench/limit.ts", programs.limit);
  await compile("bench/plain-limit.ts", programs.plain);
  return programs;
}

/** The processes that the benchmark started. They end with it. */
const running = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

interface StartOptions {
  readonly cwd: string;
  readonly stderr?: "inherit" | "ignore";
}

/** Starts a process with only PATH of the caller's environment. */
export function start(command: readonly string[], { cwd, stderr = "inherit" }: StartOptions) {
  const env = { PATH: process.env.PATH ?? "", HOME: cwd };
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** Asks a process to end, and kills it if it does not. */
export async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 5000);
  await child.exited;
  clearTimeout(late);
}

/** The first line that a process prints. */
export async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += new TextDecoder().decode(value);
    if (text.includes("\n")) break;
    if (done) throw new Error(`a process ended before it was ready: ${text}`);
  }
  reader.releaseLock();
  return text.slice(0, text.indexOf("\n"));
}

/** Runs a command to its end and returns what it printed. */
export async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = start(command, { cwd });
  const text = await new Response(child.stdout).text();
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}: ${text}`);
  return text;
}

/** A server that is measured. */
export interface Running {
  readonly pid: number;
  /** The address, without `/stkpush.php`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface RunningMomo extends Running {
  readonly controlUrl: string;
  readonly accountId: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Payments whose prompts stay pending while they are measured. */
export const STAY_PENDING = ["--outcome", "manual", "--prompt-timeout", "1h"];

/** Starts `momo serve` with a data directory and the default durability. */
export async function startMomo(
  { programs }: Bench,
  data: string,
  flags: readonly string[] = [],
): Promise<RunningMomo> {
  const child = start([programs.momo, "serve", "--json", "--port", "0", "--data", data, ...flags], { cwd: "/" });
  const ready = JSON.parse(await firstLine(child.stdout));
  return {
    pid: child.pid,
    url: ready.base_url,
    controlUrl: ready.control_url,
    accountId: ready.payment_account_id,
    headers: {
      "X-API-Key": ready.api_key,
      "X-API-Secret": ready.api_secret,
      "Content-Type": "application/json",
    },
    stop: () => stop(child),
  };
}

/** Starts a limit with a database file. @param program the executable */
export async function startLimit(program: string, file: string): Promise<Running> {
  const child = start([program, file], { cwd: "/" });
  const ready = JSON.parse(await firstLine(child.stdout));
  return { pid: child.pid, url: ready.base_url, stop: () => stop(child) };
}

/** The database in a data directory of momo. */
export const databaseIn = (data: string): string => join(data, "momo.db");

/** A new data directory with a merchant, a payment account and a key. */
export async function newData(bench: Bench, name: string): Promise<string> {
  const data = join(bench.folder, name);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  await (await startMomo(bench, data)).stop();
  return data;
}

/** A data directory with this many payments, loaded once per run. A claim that writes much uses {@link newData}. */
export async function dataOf(bench: Bench, rows: number, name = "rows", untilMs = Date.now(), spanMs?: number) {
  const data = join(bench.folder, `${name}-${rows}`);
  if (existsSync(databaseIn(data))) return data;
  bench.progress(`loading ${rowsText(rows)}`);
  await newData(bench, `${name}-${rows}`);
  loadHistory(databaseIn(data), rows, untilMs, spanMs);
  return data;
}

interface Scene {
  /** How many payments momo and the bare limit have before. The plain limit always begins with an empty table. */
  readonly rows?: number;
  readonly flags?: readonly string[];
}

/** Starts momo and both limits, each with data of its own. */
export async function startAll(bench: Bench, name: string, { rows = 0, flags = [] }: Scene = {}) {
  const data = await newData(bench, name);
  const file = join(bench.folder, `${name}-limit.db`);
  if (rows > 0) {
    bench.progress(`loading ${rowsText(rows)}`);
    loadHistory(databaseIn(data), rows, Date.now());
    loadLimit(file, rows);
  }
  const limit = await startLimit(bench.programs.limit, file);
  const plain = await startLimit(bench.programs.plain, join(bench.folder, `${name}-plain.db`));
  const momo = await startMomo(bench, data, flags);
  const servers = { limit, plain, momo };
  return { servers, data, stop: () => Promise.all(Object.values(servers).map((server) => server.stop())) };
}
