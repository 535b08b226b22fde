import { Database } from "bun:sqlite";
import { join } from "node:path";
import { demand } from "./ledger.ts";

/** The database file in a data directory, looked at without momo. @throws an error where SQLite finds it damaged */
export function integrityOf(data: string): void {
  const client = new Database(join(data, "momo.db"), { readonly: true });
  try {
    const complaints = client.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    const [first] = complaints.map(({ integrity_check }) => integrity_check);
    demand(first === "ok", () => `the database is damaged: ${first}`);
    demand(client.query("PRAGMA foreign_key_check").all().length === 0, () => "a row points to none");
  } finally {
    client.close();
  }
}
