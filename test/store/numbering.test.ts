import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { continueNumbers, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/cleanup.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();

const numberOf = async (store: Store) => (await insertPending(store)).id;

/** A database that has given so many numbers; all transactions of it are forgotten where that is asked for. */
async function databaseWith(name: string, count: number, { forgotten = false } = {}): Promise<string> {
  const file = inFolder(name);
  const store = await openStoreWithMerchants(file);
  for (let given = 0; given < count; given += 1) await insertPending(store);
  if (forgotten) await store.transactions.clear();
  store.close();
  return file;
}

async function nextIn(file: string): Promise<number> {
  const store = openStore(file);
  const number = await numberOf(store);
  store.close();
  return number;
}

describe("a number is never used twice in a database", () => {
  test("not after a reset and a restart", async () => {
    expect(await nextIn(await databaseWith("momo.db", 3, { forgotten: true }))).toBe(4);
  });

  test("a reset whose commit fails changes neither the numbers nor the transactions", async () => {
    const store = await openStoreWithMerchants(inFolder("momo.db"));
    const kept = await insertPending(store);
    const other = new Database(inFolder("momo.db"));
    other.run("CREATE TRIGGER no BEFORE DELETE ON day_totals BEGIN SELECT RAISE(ABORT, 'no'); END");
    await store.transactions.clear().catch(() => {});
    expect(other.query("SELECT last_forgotten FROM numbering").get()).toEqual({ last_forgotten: 0 });
    other.close();
    expect(await store.transactions.listPending(10)).toEqual([kept]);
    expect(await numberOf(store)).toBe(2);
    store.close();
  });
});

describe("the numbers of a copy go on after those of the database whose place it takes", () => {
  test.each<[string, number, number, boolean, number]>([
    ["the database has used more", 2, 5, false, 6],
    ["the database has used more, and forgotten them", 2, 5, true, 6],
    ["the copy has used more", 5, 2, false, 6],
    ["the database has used none", 3, 0, false, 4],
  ])("%s", async (_what, inCopy, inDatabase, forgotten, next) => {
    const copy = await databaseWith("copy.db", inCopy);
    expect(continueNumbers(copy, await databaseWith("momo.db", inDatabase, { forgotten }))).toBe(true);
    expect(await nextIn(copy)).toBe(next);
  });

  test("there is no database yet", async () => {
    expect(continueNumbers(await databaseWith("copy.db", 1), inFolder("momo.db"))).toBe(true);
  });

  test("the database is damaged: its numbers are not known, and that is said", async () => {
    writeFileSync(inFolder("momo.db"), "wreck");
    const copy = await databaseWith("copy.db", 1);
    expect(continueNumbers(copy, inFolder("momo.db"))).toBe(false);
    expect(await nextIn(copy)).toBe(2);
  });
});

test("numbering is one row, with a key of 32 bytes that no other database has", async () => {
  const [one, other] = await Promise.all(["momo.db", "other.db"].map((name) => databaseWith(name, 0)));
  const keyIn = (file = "") => {
    const client = new Database(file, { readonly: true });
    const key = client.query<{ key: Uint8Array }, []>("SELECT request_id_key AS key FROM numbering").get()?.key;
    client.close();
    return key;
  };
  expect(keyIn(one)?.length).toBe(32);
  expect(keyIn(one)).not.toEqual(keyIn(other));
  const client = new Database(one);
  expect(() => client.run("INSERT INTO numbering VALUES (2, zeroblob(32), 0)")).toThrow("CHECK");
  expect(() => client.run("UPDATE numbering SET request_id_key = zeroblob(31)")).toThrow("CHECK");
  expect(() => client.run("UPDATE numbering SET last_forgotten = -1")).toThrow("CHECK");
  client.close();
});
