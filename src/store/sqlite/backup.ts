import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { UnusableDatabase } from "../store.ts";
import { findBrokenRule, findOutOfBounds } from "./bounds.ts";
import {
  BUSY_TIMEOUT_MS,
  explain,
  firstOf,
  type OpenDatabase,
  openDatabase,
  refuseOthers,
  requireDatabase,
  requirePlainFile,
} from "./database.ts";
import { declarationsAt, declarationsOf, statisticsOf } from "./migrations.ts";
import { hasDisorder, isMarked, putInOrder } from "./order.ts";
import { areTotalsTrue, recount } from "./totals.ts";
import { areWordsTrue, collectWords } from "./words.ts";

/** Copies of a whole database: made while it is in use, and inspected before they replace it. */

/** What a sound copy holds. */
export interface CopyContents {
  readonly schema: number;
  readonly merchants: number;
  readonly transactions: number;
}

/**
 * Writes a copy of the database as it is at one point in time. Servers can read and write during the copy.
 * @param copy an absolute path; the file must be empty or missing
 * @param name what the copy is called in a refusal
 * @throws UnusableDatabase that names the database or the copy
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
 * Inspects a file that will become the database: every page, every index, every reference. It can come from anywhere, so nothing
 * in it is trusted: its tables, checks and triggers must be exactly momo's own.
 * @param name what the file is called in a refusal
 * @throws UnusableDatabase if it is damaged, of another program, or of a newer momo
 */
export function inspectCopy(file: string, name: string): CopyContents {
  try {
    // Open it for writing, although nothing is written: SQLite tests no CHECK for a reader.
    using client = new Database(file, { create: false, readwrite: true });
    client.run("PRAGMA trusted_schema = OFF");
    client.run("PRAGMA cell_size_check = ON");
    const schema = refuseOthers(client, name);
    if (schema === 0 || declarationsOf(client) !== declarationsAt(schema)) {
      throw new UnusableDatabase("foreign", `${name} is not a database of momo's`);
    }
    const damage = firstOf(client, "PRAGMA integrity_check(1)");
    const [, table] = /^CHECK constraint failed in (\w+)$/.exec(String(damage)) ?? [];
    if (table !== undefined) {
      throw new UnusableDatabase("foreign", `${name} holds what momo never stores: ${findBrokenRule(client, table)}`);
    }
    if (damage !== "ok") throw new UnusableDatabase("damaged", `${name} is damaged: ${damage}`);
    const [[from, row, to] = []] = client.query("PRAGMA foreign_key_check").values();
    if (from !== undefined) {
      throw new UnusableDatabase("foreign", `${name}: row ${row} of ${from} refers to one of ${to} that is not there`);
    }
    return {
      schema,
      merchants: Number(firstOf(client, "SELECT count(*) FROM merchants")),
      transactions: Number(firstOf(client, "SELECT count(*) FROM transactions")),
    };
  } catch (error) {
    throw explain(error, name, file);
  }
}

/**
 * Prepares a copy from elsewhere to become the database: updates its schema, refuses rows that the API would never store, puts
 * the rows in the order of time, makes the totals and the words again, and removes the deliveries. Call it after {@link inspectCopy}.
 * @param name what the file is called in a refusal
 * @param isMemo whether one of our providers writes such memos
 * @throws UnusableDatabase that names table, column and value
 */
export function admitCopy(file: string, name: string, isMemo: (memo: string) => boolean): void {
  const { client, close } = openDatabase(file);
  try {
    const wrong = findOutOfBounds(client, isMemo);
    if (wrong !== null) throw new UnusableDatabase("foreign", `${name} holds what momo never stores: ${wrong}`);
    client.transaction(() => {
      deriveAgain(client);
      // Nothing of another sandbox is sent to a webhook of this one.
      client.run("DELETE FROM deliveries");
      // SQLite's statistics of the tables choose its plans: collect them again.
      for (const table of statisticsOf(client)) client.run(`DELETE FROM ${table}`);
    })();
  } catch (error) {
    throw explain(error, name, file);
  } finally {
    close();
  }
}

/** The result of an inspection, which changes nothing in the file. */
export type Inspection =
  | { readonly state: "missing" }
  /** `totals`: whether the totals, the words and the order are those of the rows. */
  | { readonly state: "sound"; readonly schema: number; readonly totals: boolean }
  | { readonly state: "unusable"; readonly error: UnusableDatabase };

/** Reads the whole file: every page, every index, and counts every row. */
export function inspectDatabase(file: string): Inspection {
  try {
    requirePlainFile(file);
    if (!existsSync(file)) return { state: "missing" };
    using client = new Database(file, { readonly: true });
    client.run("PRAGMA busy_timeout = 1000");
    const schema = refuseOthers(client, file);
    const damage = firstOf(client, "PRAGMA integrity_check(1)");
    if (damage !== "ok") throw new UnusableDatabase("damaged", `${file} is damaged: ${damage}`);
    return { state: "sound", schema, totals: schema === 0 || isDerivedTrue(client) };
  } catch (error) {
    const explained = explain(error, file);
    if (explained instanceof UnusableDatabase) return { state: "unusable", error: explained };
    throw error;
  }
}

/** How many transactions a database has, from its totals, without reading rows. */
export function countTransactions(file: string): number {
  using client = new Database(file, { readonly: true });
  return Number(firstOf(client, "SELECT coalesce(sum(count), 0) FROM totals WHERE bits = 0"));
}

/**
 * Puts the rows in order, replaces the totals by a full count, and collects the words again.
 * @throws UnusableDatabase as {@link openDatabase} does
 */
export function mendTotals(file: string): void {
  const { client, close } = openDatabase(file, { create: false });
  try {
    client.transaction(() => deriveAgain(client)).immediate();
  } finally {
    close();
  }
}

/** Does the same if the database is of an earlier version, and says that its rows are not in order. */
export function mendOrder({ client, close }: OpenDatabase, file: string): void {
  if (!isMarked(client)) return;
  try {
    client.transaction(() => deriveAgain(client)).immediate();
  } catch (error) {
    close();
    throw explain(error, file);
  }
}

/** What is stored besides the rows, and can be made from them: the order of the ids, the totals and the words. */

/** Call it in a transaction. */
export function deriveAgain(client: Database): void {
  putInOrder(client);
  recount(client);
  collectWords(client);
}

/** Whether all of it is as it would be made again. */
export const isDerivedTrue = (client: Database): boolean =>
  !hasDisorder(client) && areTotalsTrue(client) && areWordsTrue(client);
