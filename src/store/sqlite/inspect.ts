import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { UnusableDatabase } from "../store.ts";
import { explain, firstOf, openDatabase, refuseOthers, requirePlainFile } from "./database.ts";
import { deriveAgain, isDerivedTrue } from "./derived.ts";

/** The result of an inspection, which changes nothing in the file. */
export type Inspection =
  | { readonly state: "missing" }
  /** `totals`: whether they equal a full count, and the words are those of the rows. */
  | { readonly state: "sound"; readonly schema: number; readonly totals: boolean }
  | { readonly state: "unusable"; readonly message: string };

/** Reads the whole file: every page, every index, and counts every row. */
export function inspectDatabase(file: string): Inspection {
  let client: Database | undefined;
  try {
    requirePlainFile(file);
    if (!existsSync(file)) return { state: "missing" };
    client = new Database(file, { readonly: true });
    client.run("PRAGMA busy_timeout = 1000");
    const schema = refuseOthers(client, file);
    const damage = firstOf(client, "PRAGMA integrity_check(1)");
    if (damage !== "ok") return { state: "unusable", message: `${file} is damaged: ${damage}` };
    return { state: "sound", schema, totals: schema === 0 || isDerivedTrue(client) };
  } catch (error) {
    const explained = explain(error, file);
    if (explained instanceof UnusableDatabase) return { state: "unusable", message: explained.message };
    throw error;
  } finally {
    client?.close();
  }
}

/** How many transactions a database has, from its totals, without reading rows. */
export function countTransactions(file: string): number {
  const client = new Database(file, { readonly: true });
  try {
    return Number(firstOf(client, "SELECT coalesce(sum(count), 0) FROM totals WHERE bits = 0"));
  } finally {
    client.close();
  }
}

/**
 * Replaces the totals by a full count, and collects the words again.
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
