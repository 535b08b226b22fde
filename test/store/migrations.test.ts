import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { APPLICATION_ID, KNOWN_SCHEMA, LAST_UNRELEASED } from "../../src/store/sqlite/migrations.ts";
import { inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";

const inFolder = useFolder();

test("a new file gets the newest schema, and opening it again changes nothing", () => {
  const file = inFolder("momo.db");
  openStore(file).close();
  expect(inspectDatabase(file)).toEqual({ state: "sound", schema: KNOWN_SCHEMA, totals: true });
  const before = readFileSync(file);
  openStore(file).close();
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a database from before the first release is refused in one line that names it, and nothing is changed in it", () => {
  for (const schema of [1, 4, LAST_UNRELEASED]) {
    const file = inFolder(`momo-${schema}.db`);
    const client = new Database(file, { create: true });
    client.run(`CREATE TABLE transactions (id INTEGER PRIMARY KEY); PRAGMA application_id = ${APPLICATION_ID}`);
    client.run(`PRAGMA user_version = ${schema}`);
    client.close();
    const before = readFileSync(file);
    const message = `${file} was written by a momo from before the first release (schema ${schema}), and is not read any more`;
    expect(() => openStore(file)).toThrow(message);
    expect(inspectDatabase(file)).toEqual({ state: "unusable", message });
    expect(readFileSync(file).equals(before)).toBe(true);
  }
});
