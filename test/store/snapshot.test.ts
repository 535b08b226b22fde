import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createCommitQueue } from "../../src/store/sqlite/commit-queue.ts";
import { type OpenDatabase, openDatabase } from "../../src/store/sqlite/database.ts";
import { createSnapshot, type Snapshot } from "../../src/store/sqlite/snapshot.ts";
import { createTotalsChange } from "../../src/store/sqlite/totals.ts";
import { useFolder } from "../support/cleanup.ts";
import { nextTurn } from "../support/turns.ts";

const inFolder = useFolder();
let database: OpenDatabase;
let snapshot: Snapshot;
let other: Database;
beforeEach(() => {
  const file = inFolder("momo.db");
  database = openDatabase(file);
  snapshot = createSnapshot(database.client);
  other = new Database(file);
});
afterEach(() => {
  snapshot.end();
  other.close();
  database.close();
});

const register = (client: Database, name: string) =>
  client.run("INSERT INTO merchants (name, created_at_ms) VALUES (?, 1)", [name]);

const count = () => database.client.query<{ n: number }, []>("SELECT count(*) AS n FROM merchants").get()?.n;

test("what one turn reads is of one point in time; the next turn sees what another process wrote meanwhile", async () => {
  const version = snapshot.enter();
  expect(count()).toBe(0);
  register(other, "Elsewhere");
  expect(snapshot.enter()).toBe(version);
  expect(count()).toBe(0);
  await nextTurn();
  expect(snapshot.enter()).not.toBe(version);
  expect(count()).toBe(1);
});

test("writes of the same turn wait for its end, and are seen after it", async () => {
  const commits = createCommitQueue(database.client, snapshot, createTotalsChange(database.client));
  const version = snapshot.enter();
  await commits.run(() => register(database.client, "Here"));
  expect(snapshot.enter()).toBe(version); // no other has written
  expect(count()).toBe(1);
});

test("it ends with its turn: nothing keeps the log of writes from being emptied", async () => {
  snapshot.enter();
  count();
  expect(database.client.inTransaction).toBe(true);
  await nextTurn();
  expect(database.client.inTransaction).toBe(false);
});

test("one that cannot begin to read leaves nothing open: what is written next is on disk", async () => {
  const { client } = database;
  const query = client.query.bind(client);
  const broken = createSnapshot(
    Object.assign(Object.create(client), {
      query: (sql: string) =>
        sql.includes("data_version") ? { get: () => query("SELECT * FROM nowhere").get() } : query(sql),
    }),
  );
  expect(() => broken.enter()).toThrow("no such table");
  expect(client.inTransaction).toBe(false);
  await createCommitQueue(client, broken, createTotalsChange(client)).run(() => register(client, "Here"));
  expect(other.query("SELECT name FROM merchants").values()).toEqual([["Here"]]);
});
