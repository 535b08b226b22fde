import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";
import { seededRandom } from "../support/random.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();

/** What opening a file says, and whether the file is as it was. */
function tryToOpen(file: string) {
  const before = readFileSync(file);
  let problem: unknown = null;
  let message = "";
  try {
    openStore(file).close();
  } catch (error) {
    const thrown = error as { name: string; problem?: string; message: string };
    problem = thrown.name === "UnusableDatabase" ? thrown.problem : thrown;
    message = thrown.message;
  }
  return { problem, message, unchanged: readFileSync(file).equals(before) };
}

function sql(file: string, ...statements: string[]) {
  const database = new Database(file, { create: true });
  for (const statement of statements) database.run(statement);
  database.close();
}

async function momoDatabase(): Promise<string> {
  const file = inFolder("momo.db");
  const store = await openStoreWithMerchants(file);
  await Promise.all(Array.from({ length: 50 }, () => insertPending(store)));
  store.close();
  return file;
}

describe("a database of a newer momo is refused, and nothing is changed in it", () => {
  test("the message names the file and both versions", async () => {
    const file = await momoDatabase();
    sql(file, "PRAGMA user_version = 99");
    expect(tryToOpen(file)).toEqual({
      problem: "newer",
      message: `${file} was written by a newer momo (schema 99; this one knows up to ${KNOWN_SCHEMA})`,
      unchanged: true,
    });
  });

  test("even where the newer one keeps its journal in another way", () => {
    const file = inFolder("momo.db");
    const isMomo = `PRAGMA application_id = ${0x6d6f6d6f}`;
    sql(file, "PRAGMA journal_mode = DELETE", isMomo, "CREATE TABLE later (id INTEGER)", "PRAGMA user_version = 99");
    expect(tryToOpen(file)).toMatchObject({ problem: "newer", unchanged: true });
  });
});

describe("another program's database is refused, and nothing is changed in it", () => {
  test("one with tables", () => {
    const file = inFolder("photos.db");
    sql(file, "CREATE TABLE photos (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO photos (name) VALUES ('a')");
    chmodSync(file, 0o640);
    expect(tryToOpen(file)).toEqual({
      problem: "foreign",
      message: `${file} is not a database of momo's`,
      unchanged: true,
    });
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test("one without tables that says whose it is", () => {
    const file = inFolder("photos.db");
    sql(file, "PRAGMA application_id = 4711");
    expect(tryToOpen(file)).toMatchObject({ problem: "foreign", unchanged: true });
  });

  test("one with tables of the same names", () => {
    const file = inFolder("shop.db");
    sql(
      file,
      "CREATE TABLE merchants (id INTEGER)",
      "CREATE TABLE transactions (id INTEGER)",
      "PRAGMA user_version = 1",
    );
    expect(tryToOpen(file)).toMatchObject({ problem: "foreign", unchanged: true });
  });
});

describe("a file that is damaged or no database is refused, and nothing is changed in it", () => {
  test.each([
    ["a line of text", Buffer.from("hello, I am a shopping list\n")],
    ["two bytes", Buffer.from("xy")],
    ["a page of text", Buffer.from("shopping list\n".repeat(1000))],
    ["random bytes", Buffer.from(seededRandom(1).bytes(20_000))],
    ["zeros", Buffer.alloc(8192)],
  ])("%s", (_what, bytes) => {
    const file = inFolder("momo.db");
    writeFileSync(file, bytes);
    expect(tryToOpen(file)).toEqual({
      problem: "damaged",
      message: `${file} is damaged or not a database`,
      unchanged: true,
    });
  });

  test.each([10, 99, 100, 1000, 4096, 40_000])("a momo database cut off after %p bytes", async (length) => {
    const file = await momoDatabase();
    const whole = readFileSync(file);
    expect(whole.length).toBeGreaterThan(length);
    writeFileSync(file, whole.subarray(0, length));
    expect(tryToOpen(file)).toMatchObject({ problem: "damaged", unchanged: true });
  });

  test("a momo database whose list of tables is overwritten", async () => {
    const file = await momoDatabase();
    const bytes = readFileSync(file);
    bytes.set(seededRandom(2).bytes(3996), 100);
    writeFileSync(file, bytes);
    expect(tryToOpen(file)).toMatchObject({ problem: "damaged", unchanged: true });
  });
});
