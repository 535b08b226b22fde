import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { UnusableDatabase } from "../store.ts";
import {
  BUSY_TIMEOUT_MS,
  firstOf,
  openDatabase,
  refuseOthers,
  requireDatabase,
  requirePlainFile,
  requireSound,
} from "./database.ts";
import { explain } from "./failures.ts";
import { KNOWN_SCHEMA } from "./migrations.ts";
import { areTotalsTrue, recount } from "./totals.ts";

/** Copies of a whole database, made while it is in use, and what is stored besides the rows. */

/** What a database holds. */
export interface CopyContents {
  readonly schema: number;
  readonly merchants: number;
  readonly transactions: number;
}

/**
 * Writes a copy of the database as it is at one point in time. Servers can read and write during the copy.
 * @param copy an absolute path; the file must be empty or missing
 * @throws UnusableDatabase that names the database, or the copy by its name
 */
export function copyDatabase(file: string, copy: string, name: string): void {
  requireDatabase(file);
  let isOpen = false;
  try {
    // Open it for writing, although nothing is written: a reader would leave its journal files behind.
    using client = new Database(file, { readwrite: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    refuseOthers(client, file);
    isOpen = true;
    client.query("VACUUM INTO ?").run(copy);
  } catch (error) {
    // The database is open, so an error is about the copy.
    const problem = explain(error, file);
    const isOfCopy = isOpen && problem instanceof UnusableDatabase && problem.problem === "unwritable";
    throw isOfCopy ? explain(error, name, copy) : problem;
  }
}

/**
 * Inspects a copy that was just made. A refusal calls it by its name.
 * @throws UnusableDatabase if it is damaged
 */
export function inspectCopy(file: string, name: string): CopyContents {
  try {
    using client = new Database(file, { readonly: true });
    const schema = requireSound(client, name);
    const countOf = (table: string) => Number(firstOf(client, `SELECT count(*) FROM ${table}`));
    return { schema, merchants: countOf("merchants"), transactions: countOf("transactions") };
  } catch (error) {
    throw explain(error, name, file);
  }
}

/** The result of an inspection, which changes nothing in the file. */
export type Inspection =
  | { readonly state: "missing" }
  /** `totals`: whether the totals are those of the rows. */
  | { readonly state: "sound"; readonly schema: number; readonly totals: boolean }
  | { readonly state: "unusable"; readonly error: UnusableDatabase };

/** Reads the whole file: every page, every index, and counts every row. */
export function inspectDatabase(file: string): Inspection {
  try {
    requirePlainFile(file);
    if (!existsSync(file)) return { state: "missing" };
    using client = new Database(file, { readonly: true });
    client.run("PRAGMA busy_timeout = 1000");
    const schema = requireSound(client, file);
    return { state: "sound", schema, totals: schema < KNOWN_SCHEMA || areTotalsTrue(client) };
  } catch (error) {
    const explained = explain(error, file);
    if (explained instanceof UnusableDatabase) return { state: "unusable", error: explained };
    throw error;
  }
}

/** How many transactions a database has, from its totals, without reading rows. */
export function countTransactions(file: string): number {
  using client = new Database(file, { readonly: true });
  return Number(firstOf(client, "SELECT coalesce(sum(count), 0) FROM day_totals"));
}

/**
 * Replaces the totals, which are all that is stored besides the rows, by a full count.
 * @throws UnusableDatabase as {@link openDatabase} does
 */
export function rebuildDerivedData(file: string): void {
  const { client, close } = openDatabase(file, { create: false });
  try {
    client.transaction(() => recount(client)).immediate();
  } finally {
    close();
  }
}
