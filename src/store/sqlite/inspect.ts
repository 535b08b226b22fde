import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { explain, firstOf, refuseOthers, requirePlainFile, UnusableDatabase } from "./database.ts";

/** What a look at a database file says; nothing is changed in it. */
export type Inspection =
  | { readonly state: "missing" }
  | { readonly state: "sound"; readonly schema: number }
  | { readonly state: "unusable"; readonly message: string };

/** Reads the whole file: every page, every index. */
export function inspectDatabase(file: string): Inspection {
  let client: Database | undefined;
  try {
    requirePlainFile(file);
    if (!existsSync(file)) return { state: "missing" };
    client = new Database(file, { readonly: true });
    client.run("PRAGMA busy_timeout = 1000");
    const damage = firstOf(client, "PRAGMA integrity_check(1)");
    if (damage !== "ok") return { state: "unusable", message: `${file} is damaged: ${damage}` };
    return { state: "sound", schema: refuseOthers(client, file) };
  } catch (error) {
    const explained = explain(error, file);
    if (explained instanceof UnusableDatabase) return { state: "unusable", message: explained.message };
    throw error;
  } finally {
    client?.close();
  }
}

/** How many transactions a database has, by the counts that it keeps; no row is read. */
export function countTransactions(file: string): number {
  const client = new Database(file, { readonly: true });
  try {
    return Number(firstOf(client, "SELECT coalesce(sum(count), 0) FROM totals"));
  } finally {
    client.close();
  }
}
