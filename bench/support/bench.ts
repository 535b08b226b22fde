import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadLimit } from "./limit-table.ts";
import type { Line } from "./line.ts";
import { loadHistory } from "./loader.ts";
import type { Programs } from "./programs.ts";
import { databaseIn, startMomo } from "./servers.ts";

/** What each claim is given. */
export interface Bench {
  readonly programs: Programs;
  /** How many rounds, and how long one of load lasts. */
  readonly rounds: number;
  readonly seconds: number;
  /** How many rounds of what takes many seconds. */
  readonly longRounds: number;
  /** The sizes at which growth is looked at, the smallest first. */
  readonly sizes: readonly number[];
  /** The size at which a start is measured. */
  readonly startSize: number;
  /** How much of a day the soak takes. */
  readonly days: number;
  /** Where everything is written, on the disk of the project. */
  readonly folder: string;
  readonly progress: (text: string) => void;
}

/** One program: it starts what it needs, measures, and stops it. */
export type Claim = (bench: Bench) => Promise<Line[]>;

export const rowsText = (rows: number): string => `${rows.toLocaleString("en")} rows`;

/** A new data directory of momo's, with a merchant, a payment account and a key. */
export async function newData({ folder, programs }: Bench, name: string): Promise<string> {
  const data = join(folder, name);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const momo = await startMomo(programs, data);
  await momo.stop();
  return data;
}

/** A new database of the limit's, with so many payments. */
export function limitData({ folder }: Bench, name: string, rows: number): string {
  const file = join(folder, `${name}.db`);
  rmSync(file, { force: true });
  if (rows > 0) loadLimit(file, rows);
  return file;
}

/** A data directory with so many payments, loaded once a run. Who writes to it more than a little takes a new one. */
export async function dataOf(bench: Bench, rows: number): Promise<string> {
  const name = `rows-${rows}`;
  const data = join(bench.folder, name);
  if (existsSync(databaseIn(data))) return data;
  bench.progress(`loading ${rowsText(rows)}`);
  await newData(bench, name);
  loadHistory(databaseIn(data), rows, Date.now());
  return data;
}
