import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { continueNumbers, openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();

/** A database that has used so many numbers; `cleared` removes all its transactions. */
async function databaseWith(name: string, count: number, { cleared = false } = {}): Promise<string> {
  const file = inFolder(name);
  const store = await openStoreWithMerchants(file);
  for (let used = 0; used < count; used += 1) await insertPending(store);
  if (cleared) await store.transactions.clear();
  store.close();
  return file;
}

async function nextIn(file: string): Promise<number> {
  const store = openStore(file);
  const { id } = await insertPending(store);
  store.close();
  return id;
}

test("a reset whose commit fails changes neither the numbers nor the transactions", async () => {
  const store = await openStoreWithMerchants(inFolder("momo.db"));
  const kept = await insertPending(store);
  const other = new Database(inFolder("momo.db"));
  other.run("CREATE TRIGGER no BEFORE DELETE ON totals BEGIN SELECT RAISE(ABORT, 'no'); END");
  await store.transactions.clear().catch(() => {});
  expect(other.query("SELECT last_forgotten FROM numbering").get()).toEqual({ last_forgotten: 0 });
  other.close();
  expect(await store.transactions.listPending(10)).toEqual([kept]);
  expect((await insertPending(store)).id).toBe(2);
  store.close();
});

test.each<[string, number, number, "copy" | "database" | null, number]>([
  ["the database has used more", 2, 5, null, 6],
  ["the database has used more, and was reset", 2, 5, "database", 6],
  ["the copy has used more", 5, 2, null, 6],
  ["the copy has used more, and was reset", 5, 2, "copy", 6],
  ["the database has used none", 3, 0, null, 4],
])(
  "a copy continues after the numbers of the database that it replaces: %s",
  async (_what, inCopy, inDatabase, wasReset, next) => {
    const copy = await databaseWith("copy.db", inCopy, { cleared: wasReset === "copy" });
    const database = await databaseWith("momo.db", inDatabase, { cleared: wasReset === "database" });
    expect(continueNumbers(copy, database)).toBe(true);
    expect(await nextIn(copy)).toBe(next);
  },
);

test("a copy keeps its own numbers if the database is missing, or damaged: then the result is false", async () => {
  const copy = await databaseWith("copy.db", 1);
  expect(continueNumbers(copy, inFolder("momo.db"))).toBe(true);
  writeFileSync(inFolder("momo.db"), "damaged");
  expect(continueNumbers(copy, inFolder("momo.db"))).toBe(false);
  expect(await nextIn(copy)).toBe(2);
});

test("numbering is one row, with a key of 32 bytes that no other database has", async () => {
  const [one, other] = [await databaseWith("momo.db", 0), await databaseWith("other.db", 0)].map(
    (file) => new Database(file),
  );
  const keyIn = (client?: Database) => client?.query("SELECT request_id_key FROM numbering").values()[0]?.[0];
  expect(keyIn(one)).toHaveLength(32);
  expect(keyIn(one)).not.toEqual(keyIn(other));
  for (const change of [
    "INSERT INTO numbering VALUES (2, zeroblob(32), 0, 0, 1)",
    "UPDATE numbering SET request_id_key = zeroblob(31)",
    "UPDATE numbering SET last_forgotten = -1",
  ]) {
    expect(() => one?.run(change)).toThrow("CHECK");
  }
  for (const client of [one, other]) client?.close();
});
