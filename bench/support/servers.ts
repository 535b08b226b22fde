import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../scripts/build.ts";
import { type Child, firstJsonOf, startChild } from "../../test/support/child.ts";
import { loadLimit } from "./limit-table.ts";
import { loadHistory } from "./loader.ts";
import type { Line } from "./table.ts";

/** What a claim measures: momo and the limit, their processes, and their data. */

export const ROOT = join(import.meta.dir, "../..");

/** momo and the limit, compiled with the same flags. */
interface Programs {
  readonly momo: string;
  readonly limit: string;
}

/** The parameters of each claim. */
export interface Bench {
  readonly programs: Programs;
  /** How many rounds, and how long one of load lasts. */
  readonly rounds: number;
  readonly seconds: number;
  /** How long all servers warm up, at the same time. */
  readonly warmUpSeconds: number;
  /** How many starts of a process are measured, and how often each page of the list. */
  readonly starts: number;
  readonly pageRounds: number;
  /** The number of rows of a large database. */
  readonly manyRows: number;
  /** How many prompts are due at once. */
  readonly prompts: number;
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
  const programs = { momo: join(folder, "momo"), limit: join(folder, "limit") };
  await compile("cli/main.ts", programs.momo);
  await compile("bench/limit.ts", programs.limit);
  return programs;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

/** Starts a process with only PATH of the caller's environment. It ends with the benchmark. */
export const start = (command: readonly string[], cwd: string): Child =>
  startChild(command, { cwd, env: { PATH: process.env.PATH ?? "", HOME: cwd } });

/** A server that is measured. */
export interface Running {
  readonly pid: number;
  /** The address, without `/stkpush.php`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** @param url where it answers */
export const runningAt = (url: string, child: Child): Running => ({
  pid: child.pid,
  url,
  async stop() {
    child.signal("SIGTERM");
    const late = setTimeout(() => child.signal("SIGKILL"), 5000);
    await child.exited;
    clearTimeout(late);
  },
});

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
  const child = start([programs.momo, "serve", "--json", "--port", "0", "--data", data, ...flags], "/");
  const ready = await firstJsonOf(child);
  return {
    ...runningAt(ready.base_url, child),
    controlUrl: ready.control_url,
    accountId: ready.payment_account_id,
    headers: {
      "X-API-Key": ready.api_key,
      "X-API-Secret": ready.api_secret,
      "Content-Type": "application/json",
    },
  };
}

/** Starts the limit with a database file. */
export async function startLimit({ programs }: Bench, file: string): Promise<Running> {
  const child = start([programs.limit, file], "/");
  const { base_url } = await firstJsonOf(child);
  return runningAt(base_url, child);
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
export async function dataOf(bench: Bench, rows: number): Promise<string> {
  const data = join(bench.folder, `rows-${rows}`);
  if (existsSync(databaseIn(data))) return data;
  bench.progress(`loading ${rowsText(rows)}`);
  await newData(bench, `rows-${rows}`);
  loadHistory(databaseIn(data), rows);
  return data;
}

interface Scene {
  /** How many payments both have before. */
  readonly rows?: number;
  readonly flags?: readonly string[];
}

/** Starts momo and the limit, each with data of its own. */
export async function startAll(bench: Bench, name: string, { rows = 0, flags = [] }: Scene = {}) {
  const data = await newData(bench, name);
  const file = join(bench.folder, `${name}-limit.db`);
  if (rows > 0) {
    bench.progress(`loading ${rowsText(rows)}`);
    loadHistory(databaseIn(data), rows);
    loadLimit(file, rows);
  }
  const limit = await startLimit(bench, file);
  const momo = await startMomo(bench, data, flags);
  const servers = { limit, momo };
  return { servers, data, stop: () => Promise.all(Object.values(servers).map((server) => server.stop())) };
}
