import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();
const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe("a new database", () => {
  test("is at this version's schema and says that it is momo's", () => {
    const file = inFolder("momo.db");
    openStore(file).close();
    const database = new Database(file, { readonly: true });
    expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: KNOWN_SCHEMA });
    expect(database.query("PRAGMA application_id").get()).toEqual({ application_id: 0x6d6f6d6f });
    database.close();
  });

  test("is made of an empty file too", () => {
    const file = inFolder("momo.db");
    writeFileSync(file, "");
    openStore(file).close();
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  test("is readable by its owner alone, and so is what SQLite puts beside it", async () => {
    const file = inFolder("momo.db");
    const store = await openStoreWithMerchants(file);
    expect(readdirSync(inFolder("")).sort()).toEqual(["momo.db", "momo.db-shm", "momo.db-wal"]);
    for (const name of readdirSync(inFolder(""))) expect([name, mode(inFolder(name))]).toEqual([name, "600"]);
    store.close();
  });

  test("is one file again after the store is closed", async () => {
    const store = await openStoreWithMerchants(inFolder("momo.db"));
    store.close();
    expect(readdirSync(inFolder(""))).toEqual(["momo.db"]);
  });

  test("commits durably: WAL with synchronous=FULL, and references are checked", () => {
    const { client, close } = openDatabase(inFolder("momo.db"));
    expect(client.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(client.query("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    expect(client.query("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
    close();
  });
});

describe("a database that exists", () => {
  test("opens again with all that was in it", async () => {
    const file = inFolder("momo.db");
    const before = await openStoreWithMerchants(file);
    const { checkoutRequestId } = await insertPending(before);
    const stored = await before.transactions.findByCheckoutRequestId(checkoutRequestId);
    before.close();
    const after = openStore(file, { create: false });
    expect(stored).not.toBeNull();
    expect(await after.transactions.findByCheckoutRequestId(checkoutRequestId)).toEqual(stored);
    after.close();
  });

  test("opened twice at once is one database", async () => {
    const file = inFolder("momo.db");
    const first = await openStoreWithMerchants(file);
    const second = openStore(file);
    const { checkoutRequestId } = await insertPending(second);
    expect(await first.transactions.findByCheckoutRequestId(checkoutRequestId)).not.toBeNull();
    second.close();
    first.close();
  });
});

describe("a missing file", () => {
  test("is not made where it is not wanted", () => {
    const file = inFolder("momo.db");
    expect(() => openStore(file, { create: false })).toThrow(
      expect.objectContaining({ name: "UnusableDatabase", problem: "missing" }),
    );
    expect(readdirSync(inFolder(""))).toEqual([]);
  });

  test("in a missing folder cannot be made", () => {
    const file = inFolder("nowhere/momo.db");
    expect(() => openStore(file)).toThrow(expect.objectContaining({ problem: "unwritable" }));
    expect(existsSync(inFolder("nowhere"))).toBe(false);
  });

  test("a folder in its place cannot be opened", () => {
    mkdirSync(inFolder("momo.db"));
    expect(() => openStore(inFolder("momo.db"))).toThrow(`${inFolder("momo.db")} is not a file`);
  });
});
