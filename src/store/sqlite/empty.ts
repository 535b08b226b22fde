import { Database } from "bun:sqlite";
import { APPLICATION_ID, KNOWN_SCHEMA, MIGRATIONS } from "./migrations.ts";

/** Stands for the key of the request ids, which is different in each database. */
const NO_KEY = "momo writes 32 random bytes here";

/**
 * The file of a new database, compressed, in base64, and where its random key belongs. It is made when the program is built: to run
 * the migrations takes 2 ms of a start.
 */
export function emptyDatabase(): { readonly deflated: string; readonly keyAt: number } {
  const client = new Database(":memory:");
  for (const migration of MIGRATIONS) client.run(migration);
  client.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  client.run(`PRAGMA user_version = ${KNOWN_SCHEMA}`);
  client.query("UPDATE numbering SET request_id_key = CAST(? AS BLOB)").run(NO_KEY);
  const file = new Uint8Array(client.serialize());
  // Both versions of the file format: 2 is a database with a write-ahead log.
  file.set([2, 2], 18);
  return { deflated: Bun.deflateSync(file).toBase64(), keyAt: Buffer.from(file).indexOf(NO_KEY) };
}
