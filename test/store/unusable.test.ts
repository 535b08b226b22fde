import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { APPLICATION_ID, KNOWN_SCHEMA, LAST_UNRELEASED } from "../../src/store/sqlite/migrations.ts";
import { inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();

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
const NEWER = `was written by a newer momo (schema 99; this one knows up to ${KNOWN_SCHEMA})`;
const FOREIGN = "is not a database of momo's";
const DAMAGED = "is damaged or not a database";
const older = (schema: number) =>
  `was written by a momo from before the first release (schema ${schema}), and is not read any more`;

test.each<[string, string, string, (file: string) => unknown]>([
  ["of a newer momo", "newer", NEWER, sql(IN_WAL, IS_MOMO, "CREATE TABLE a (id INTEGER)", "PRAGMA user_version = 99")],
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
])("a file %s is refused as %s in one line that names it, and stays as it is", async (_what, problem, says, make) => {
  const file = inFolder("momo.db");
  await make(file);
  chmodSync(file, 0o640);
  const before = readFileSync(file);
  const message = `${file} ${says}`;
  expect(() => openStore(file)).toThrow(expect.objectContaining({ name: "UnusableDatabase", problem, message }));
  expect(inspectDatabase(file)).toEqual({ state: "unusable", message });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test("a missing file is not created if it is not wanted, or if its folder is missing", () => {
  const open = (name: string, create: boolean) => () => openStore(inFolder(name), { create });
  expect(open("momo.db", false)).toThrow(expect.objectContaining({ name: "UnusableDatabase", problem: "missing" }));
  expect(open("nowhere/momo.db", true)).toThrow(expect.objectContaining({ problem: "unwritable" }));
  expect(readdirSync(inFolder(""))).toEqual([]);
});

test("a folder in its place is refused", () => {
  mkdirSync(inFolder("momo.db"));
  expect(() => openStore(inFolder("momo.db"))).toThrow(`${inFolder("momo.db")} is not a file`);
});
