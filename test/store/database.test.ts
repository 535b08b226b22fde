import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { MAX_NUMBER, receiptNumber } from "../../src/domain/identifiers.ts";
import { RESULT_CODES } from "../../src/domain/outcome.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { COLUMNS, toChange } from "../../src/store/rows.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { APPLICATION_ID, KNOWN_SCHEMA, LAST_UNRELEASED, MIGRATIONS } from "../../src/store/sqlite/migrations.ts";
import { copyDatabase, inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { dayTotals, transactions } from "../../src/store/sqlite/tables.ts";
import { useFolder } from "../support/cleanup.ts";
import { seededRandom } from "../support/random.ts";
import { insertPending, openStoreWithMerchants, paidAt, pendingOf } from "../support/shop.ts";
import { rejectionOf } from "../support/waiting.ts";
import { startProgram } from "./programs.ts";

const inFolder = useFolder();

/** The first column of what a query finds in a new database. */
function valuesOf(sql: string): unknown[] {
  const { client, close } = openDatabase(inFolder("momo.db"));
  const values = client.query(sql).values();
  close();
  return values.map(([value]) => value);
}

test.each([
  [{}, 2],
  [{ isTemporary: true }, 0],
])(
  "opened with %o, PRAGMA synchronous is %d: only a temporary database does not wait for the disk",
  (options, synchronous) => {
    const { client, close } = openDatabase(inFolder("momo.db"), options);
    expect(client.query("PRAGMA synchronous").values()).toEqual([[synchronous]]);
    close();
  },
);

const withLogOfAnother = (file: string) => {
  const other = new Database(inFolder("other.db"));
  other.run("PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('of another database')");
  copyFileSync(inFolder("other.db-wal"), `${file}-wal`);
  other.close();
};

test.each([
  ["missing", () => {}],
  ["empty", (file: string) => writeFileSync(file, "")],
  ["missing, and the log of a removed one is left", withLogOfAnother],
])(
  "a new database where the file is %s is what the migrations make, with a key of its own; to open it again changes nothing",
  (_state, prepare) => {
    const file = inFolder("momo.db");
    prepare(file);
    openStore(file).close();
    expect(inspectDatabase(file)).toEqual({ state: "sound", schema: KNOWN_SCHEMA, totals: true });
    expect(APPLICATION_ID).toBe(Buffer.from("momo").readUInt32BE());
    expect(valuesOf("PRAGMA journal_mode")).toEqual(["wal"]);
    const read = (sql: string) => new Database(file, { readonly: true }).query(sql).values();
    expect<unknown[]>(read("SELECT type, name, sql FROM sqlite_schema ORDER BY name")).toEqual(declared());
    expect(read("SELECT id, length(request_id_key), last_forgotten FROM numbering")).toEqual([[1, 32, 0]]);
    openStore(inFolder("next.db")).close();
    const [key] = read("SELECT hex(request_id_key) FROM numbering");
    expect(new Database(inFolder("next.db")).query("SELECT hex(request_id_key) FROM numbering").values()).not.toEqual([
      key,
    ]);
    const before = readFileSync(file);
    openStore(file, { create: false }).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  },
);

/** The tables, indexes and triggers that the migrations make. */
function declared(): unknown[] {
  const client = new Database(":memory:");
  for (const migration of MIGRATIONS) client.run(migration);
  return client.query("SELECT type, name, sql FROM sqlite_schema ORDER BY name").values();
}

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
  expect(await Promise.all(programs.map(({ stdout }) => stdout.nextLine()))).toEqual(names.map(() => "ready"));
  await Promise.all(programs.map((program) => program.say("go")));
  expect(await Promise.all(programs.map(({ stdout }) => stdout.nextLine()))).toEqual(names);
  expect(await Promise.all(programs.map((program) => program.finish()))).toEqual(names.map(() => 0));
  expect(inspectDatabase(file)).toEqual({ state: "sound", schema: KNOWN_SCHEMA, totals: true });
  expect(valuesOf("SELECT name FROM merchants").sort()).toEqual(names);
});

test("a write waits while another program writes, also after a probe, which does not", async () => {
  const store = await openStoreWithMerchants(inFolder("momo.db"));
  await store.vitals.probe();
  await store.merchants.findPaymentAccount(1); // begins the reads of this turn
  await store.vitals.probe();
  // It has committed, and holds nothing.
  expect(() => sql("BEGIN IMMEDIATE; ROLLBACK")(inFolder("momo.db"))).not.toThrow();
  const holder = startProgram("hold-write", inFolder("momo.db"));
  expect(await holder.stdout.nextLine()).toBe("held");
  expect(await rejectionOf(store.vitals.probe())).toMatchObject({ code: "SQLITE_BUSY" });
  expect((await store.merchants.addMerchant("B", 1))?.name).toBe("B");
  expect(await holder.finish()).toBe(0);
  store.close();
});

test.each([
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
  expect(COLUMNS.split(/,\s*/).toSorted()).toEqual((names as string[]).toSorted());
});

test("a code is the position of its word, and the CHECKs allow as many; numbers end where identifiers do", () => {
  const sql = String(valuesOf("SELECT sql FROM sqlite_schema WHERE name = 'transactions'")[0]);
  expect(sql).toContain(`kind BETWEEN 0 AND ${KINDS.length - 1}`);
  expect(sql).toContain(`status BETWEEN 0 AND ${STATUSES.length - 1}`);
  expect(sql).toContain(`id BETWEEN 1 AND ${MAX_NUMBER}`);
  expect(STATUSES.slice(0, 2)).toEqual(["pending", "completed"]);
});

test.each([transactions, dayTotals])(
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
  const derived = resolve(pending, { ...paidAt(atMs, receiptNumber(atMs, 7)), resultDesc: RESULT_CODES[0].text });
  expect(toChange(derived)).toMatchObject({ receipt_number: null, result_desc: null });
  expect(toChange(resolve(pending, paidAt(atMs, "R7")))).toMatchObject({ receipt_number: "R7", result_desc: "paid" });
});

/** Makes a file by SQL. */
const sql =
  (...statements: string[]) =>
  (file: string) => {
    const database = new Database(file, { create: true });
    for (const statement of statements) database.run(statement);
    database.close();
  };

const bytes = (content: Uint8Array) => (file: string) => writeFileSync(file, content);

/** Makes a database of momo's with fifty payments, and changes its bytes. */
const spoiled = (spoil: (whole: Buffer) => Uint8Array) => async (file: string) => {
  const store = await openStoreWithMerchants(file);
  await Promise.all(Array.from({ length: 50 }, () => insertPending(store)));
  store.close();
  writeFileSync(file, spoil(readFileSync(file)));
};

const IN_WAL = "PRAGMA journal_mode = WAL";
const IS_MOMO = `PRAGMA application_id = ${APPLICATION_ID}`;
const NEWER = `was written by a newer momo (schema ${KNOWN_SCHEMA + 1}; this one knows up to ${KNOWN_SCHEMA})`;
const FOREIGN = "is not a database of momo's";
const DAMAGED = "is damaged or not a database";
const older = (schema: number) =>
  `was written by a momo from before the first release (schema ${schema}), and is not read any more`;

test.each<[string, string, string, (file: string) => unknown]>([
  [
    "of a newer momo",
    "newer",
    NEWER,
    sql(IN_WAL, IS_MOMO, "CREATE TABLE a (id INTEGER)", `PRAGMA user_version = ${KNOWN_SCHEMA + 1}`),
  ],
  ["of the first momo", "older", older(1), sql(IS_MOMO, "CREATE TABLE a (id INTEGER)", "PRAGMA user_version = 1")],
  [
    "of the last momo before the first release",
    "older",
    older(LAST_UNRELEASED),
    sql(IS_MOMO, "CREATE TABLE a (id INTEGER)", `PRAGMA user_version = ${LAST_UNRELEASED}`),
  ],
  ["of another program", "foreign", FOREIGN, sql("CREATE TABLE photos (id INTEGER)", "INSERT INTO photos VALUES (1)")],
  ["of another program by its id, without tables", "foreign", FOREIGN, sql("PRAGMA application_id = 4711")],
  [
    "of another program, with tables of the same names",
    "foreign",
    FOREIGN,
    sql("CREATE TABLE merchants (id INTEGER)", "CREATE TABLE transactions (id INTEGER)", "PRAGMA user_version = 1"),
  ],
  ["with a line of text", "damaged", DAMAGED, bytes(Buffer.from("hello, I am a shopping list\n"))],
  ["with two bytes", "damaged", DAMAGED, bytes(Buffer.from("xy"))],
  ["with random bytes", "damaged", DAMAGED, bytes(seededRandom(1).bytes(20_000))],
  ["with zeros", "damaged", DAMAGED, bytes(Buffer.alloc(8192))],
  ...[10, 100, 4096, 40_000].map((length): [string, string, string, (file: string) => unknown] => [
    `of momo, cut off after ${length} bytes`,
    "damaged",
    DAMAGED,
    spoiled((whole) => whole.subarray(0, length)),
  ]),
  [
    "of momo, with its list of tables overwritten",
    "damaged",
    DAMAGED,
    spoiled((whole) => Buffer.concat([whole.subarray(0, 100), seededRandom(2).bytes(3996), whole.subarray(4096)])),
  ],
])(
  "a file %s is refused as %s in one line that names it, is not copied, and stays as it is",
  async (_what, problem, says, make) => {
    const file = inFolder("momo.db");
    await make(file);
    chmodSync(file, 0o640);
    const before = readFileSync(file);
    const message = `${file} ${says}`;
    for (const use of [openStore, () => copyDatabase(file, inFolder("copy"), "the copy")]) {
      expect(() => use(file)).toThrow(expect.objectContaining({ name: "UnusableDatabase", problem, message }));
    }
    expect(readdirSync(inFolder(""))).not.toContain("copy");
    expect(inspectDatabase(file)).toMatchObject({ state: "unusable", error: { problem, message } });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  },
);

test("a missing file is not created with `create: false`, or if its folder is missing; a folder in its place is refused", () => {
  const open = (name: string, create: boolean) => () => openStore(inFolder(name), { create });
  expect(open("momo.db", false)).toThrow(expect.objectContaining({ name: "UnusableDatabase", problem: "missing" }));
  expect(open("nowhere/momo.db", true)).toThrow(expect.objectContaining({ problem: "unwritable" }));
  expect(readdirSync(inFolder(""))).toEqual([]);
  mkdirSync(inFolder("folder"));
  expect(open("folder", true)).toThrow(`${inFolder("folder")} is not a file`);
});

test.skipIf(process.platform === "win32").each(["", "-wal", "-shm", "-journal"])(
  "a link in the place of momo.db%s is refused, and not followed",
  (end) => {
    const link = inFolder(`momo.db${end}`);
    writeFileSync(inFolder("other"), "kept");
    symlinkSync("other", link);
    const message = `${link} is a link, and is not followed`;
    expect(() => openStore(inFolder("momo.db"))).toThrow(expect.objectContaining({ problem: "linked", message }));
    expect(readFileSync(inFolder("other"), "utf8")).toBe("kept");
  },
);
