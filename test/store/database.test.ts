import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { MAX_NUMBER, receiptNumber } from "../../src/domain/identifiers.ts";
import { RESULT_CODES } from "../../src/domain/outcome.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { ROW, toChange } from "../../src/store/rows.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { APPLICATION_ID, KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { totals, transactions } from "../../src/store/sqlite/tables.ts";
import { startProgram } from "../support/child.ts";
import { useFolder } from "../support/cleanup.ts";
import { paidAt, pendingOf } from "../support/payments.ts";
import { openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();

/** The first column of what a query finds in a new database. */
function valuesOf(sql: string): unknown[] {
  const { client, close } = openDatabase(inFolder("momo.db"));
  const values = client.query(sql).values();
  close();
  return values.map(([value]) => value);
}

test.each(["missing", "empty"])(
  "a new database in a %s file has this version's schema; to open it again changes nothing",
  (state) => {
    const file = inFolder("momo.db");
    if (state === "empty") writeFileSync(file, "");
    openStore(file).close();
    expect(inspectDatabase(file)).toEqual({ state: "sound", schema: KNOWN_SCHEMA, totals: true });
    expect(APPLICATION_ID).toBe(Buffer.from("momo").readUInt32BE());
    const before = readFileSync(file);
    openStore(file, { create: false }).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  },
);

test("only the owner can read the database and the files beside it; after a close it is one file", async () => {
  const store = await openStoreWithMerchants(inFolder("momo.db"));
  const modes = readdirSync(inFolder("")).map((name) => [name, (statSync(inFolder(name)).mode & 0o777).toString(8)]);
  expect(modes.sort()).toEqual(["momo.db", "momo.db-shm", "momo.db-wal"].map((name) => [name, "600"]));
  store.close();
  expect(readdirSync(inFolder(""))).toEqual(["momo.db"]);
});

test("four processes open a new database at once: one migrates, the others wait, all can write", async () => {
  const file = inFolder("momo.db");
  const names = ["1", "2", "3", "4"];
  const programs = names.map((name) => startProgram("open-store", file, name));
  expect(await Promise.all(programs.map((program) => program.line()))).toEqual(names.map(() => "ready"));
  await Promise.all(programs.map((program) => program.say("go")));
  expect(await Promise.all(programs.map((program) => program.line()))).toEqual(names);
  expect(await Promise.all(programs.map((program) => program.finish()))).toEqual(names.map(() => 0));
  expect(inspectDatabase(file)).toEqual({ state: "sound", schema: KNOWN_SCHEMA, totals: true });
  expect(valuesOf("SELECT name FROM merchants").sort()).toEqual(names);
});

test.each([
  ["PRAGMA journal_mode", "wal"],
  ["PRAGMA synchronous", 2],
  ["PRAGMA foreign_keys", 1],
])("commits are durable and references are checked: %s is %p", (pragma, value) => {
  expect(valuesOf(pragma)).toEqual([value]);
});

test("every table is STRICT: a column holds values of its type only", () => {
  const lax = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND strict = 0";
  expect(valuesOf(lax)).toEqual([]);
});

test("a row that is read has every column except the one that only the search needs", () => {
  const names = valuesOf("SELECT name FROM pragma_table_info('transactions') WHERE name <> 'reference_folded'");
  expect(ROW.split(/,\s*/).toSorted()).toEqual((names as string[]).toSorted());
});

test("a code is the position of its word, and the CHECKs allow as many; numbers end where identifiers do", () => {
  const sql = String(valuesOf("SELECT sql FROM sqlite_schema WHERE name = 'transactions'")[0]);
  expect(sql).toContain(`kind BETWEEN 0 AND ${KINDS.length - 1}`);
  expect(sql).toContain(`status BETWEEN 0 AND ${STATUSES.length - 1}`);
  expect(sql).toContain(`id BETWEEN 1 AND ${MAX_NUMBER}`);
  expect(STATUSES.slice(0, 2)).toEqual(["pending", "completed"]);
});

test.each([transactions, totals])(
  "the tables that are declared for drizzle exist, with the same columns and types",
  (table) => {
    const { name, columns } = getTableConfig(table);
    const existing = valuesOf(`SELECT name || ' ' || type FROM pragma_table_info('${name}')`);
    for (const column of columns) expect(existing).toContain(`${column.name} ${column.getSQLType().toUpperCase()}`);
  },
);

test("a receipt number and a result text are stored only if they do not derive from the rest of the row", () => {
  const pending = pendingOf({ id: 7 });
  const atMs = pending.createdAtMs + 5;
  const derived = resolve(pending, { ...paidAt(atMs, receiptNumber(atMs, 7)), resultDesc: RESULT_CODES[0] });
  expect(toChange(derived)).toMatchObject({ receiptNumber: null, resultDesc: null });
  expect(toChange(resolve(pending, paidAt(atMs, "R7")))).toMatchObject({ receiptNumber: "R7", resultDesc: "paid" });
});
