import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadLimit } from "./limit-table.ts";
import type { Line } from "./line.ts";
import { loadHistory } from "./loader.ts";
import type { Programs } from "./servers.ts";
import { databaseIn, startMomo } from "./servers.ts";

/** The parameters of each claim. */
export interface Bench {
  readonly programs: Programs;
  /** How many rounds, and how long one of load lasts. */
  readonly rounds: number;
  readonly seconds: number;
  /** The same for measurements that take many seconds. */
  readonly longRounds: number;
  /** The numbers of rows at which growth is measured, the smallest first. */
  readonly sizes: readonly number[];
  /** The number of rows at which a start is measured. */
  readonly startSize: number;
  /** How many days of requests the soak sends; may be a fraction. */
  readonly days: number;
  /** The folder for all files, on the same disk as the project. */
  readonly folder: string;
  readonly progress: (text: string) => void;
}

/** One measurement: it starts the servers that it needs, and stops them. */
export type Claim = (bench: Bench) => Promise<Line[]>;

export const rowsText = (rows: number): string => `${rows.toLocaleString("en")} rows`;

/** A new data directory with a merchant, a payment account and a key. */
export async function newData({ folder, programs }: Bench, name: string): Promise<string> {
  const data = join(folder, name);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const momo = await startMomo(programs, data);
  await momo.stop();
  return data;
}

/** Makes a database of the bare limit with this number of payments. */
export function limitData({ folder }: Bench, name: string, rows: number): string {
  const file = join(folder, `${name}.db`);
  rmSync(file, { force: true });
  if (rows > 0) loadLimit(file, rows);
  return file;
}

/** A data directory with this many payments, loaded once per run. A claim that writes much uses {@link newData}. */
export async function dataOf(bench: Bench, rows: number): Promise<string> {
  const name = `rows-${rows}`;
  const data = join(bench.folder, name);
  if (existsSync(databaseIn(data))) return data;
  bench.progress(`loading ${rowsText(rows)}`);
  await newData(bench, name);
  loadHistory(databaseIn(data), rows, Date.now());
  return data;
}
