import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type CommitQueue, createCommitQueue } from "../../src/store/sqlite/commit-queue.ts";
import { type OpenDatabase, openDatabase } from "../../src/store/sqlite/database.ts";
import { CAPACITY, createLookupCache } from "../../src/store/sqlite/lookup-cache.ts";
import { createReadSnapshot, type ReadSnapshot } from "../../src/store/sqlite/read-snapshot.ts";
import { createTotalsChange } from "../../src/store/sqlite/totals.ts";
import { Meter } from "../../src/store/vitals.ts";
import { useFolder } from "../support/cleanup.ts";
import { nextTurn } from "../support/waiting.ts";

const inFolder = useFolder();
let database: OpenDatabase;
let readSnapshot: ReadSnapshot;
let commits: CommitQueue;
let meter: Meter;
/** Another connection: it sees only what is committed. */
let other: Database;
beforeEach(() => {
  const file = inFolder("momo.db");
  database = openDatabase(file, { busyTimeoutMs: 20 });
  readSnapshot = createReadSnapshot(database.client);
  meter = new Meter();
  commits = createCommitQueue({
    client: database.client,
    readSnapshot,
    totals: createTotalsChange(database.client),
    meter,
    stopwatch: () => 0,
    assertFileInPlace: () => {},
  });
  other = new Database(file);
});
afterEach(() => {
  readSnapshot.close();
  other.close();
  database.close();
});

const add = (name: string, client = database.client) =>
  client.query("INSERT INTO merchants (name, created_at_ms) VALUES (?, 1)").run(name).lastInsertRowid;
const namesIn = (client: Database) =>
  client
    .query<{ name: string }, []>("SELECT name FROM merchants ORDER BY id")
    .all()
    .map(({ name }) => name);

describe("group commit", () => {
  test("the writes of a turn share a commit, in their order; each gets its answer when all are on disk", async () => {
    const seen: [own: number, others: number][] = [];
    const answers = ["a", "b", "c"].map((name) =>
      commits.run(() => {
        const id = add(name);
        seen.push([namesIn(database.client).length, namesIn(other).length]);
        return id;
      }),
    );
    const seenAtAnswer = answers[0]?.then(() => namesIn(other));
    expect(namesIn(other)).toEqual([]);
    expect(await Promise.all(answers)).toEqual([1, 2, 3]);
    expect(seen).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(await seenAtAnswer).toEqual(["a", "b", "c"]);
    expect([meter.commits, meter.rows]).toEqual([1, 3]);
  });

  test("a commit waits three turns at most for further writes", async () => {
    let isOver = false;
    const first = commits
      .run(() => add("first"))
      .then(() => {
        isOver = true;
      });
    const others: Promise<unknown>[] = [];
    while (!isOver && others.length < 50) {
      others.push(commits.run(() => add("another")));
      await nextTurn();
    }
    expect(others.length).toBeWithin(1, 10);
    await Promise.all([first, ...others]);
  });

  const cause = new Error("it fails");
  test.each([
    ["that the database refuses", () => add(""), expect.objectContaining({ code: "SQLITE_CONSTRAINT_CHECK" })],
    [
      "that throws after it has written",
      () => {
        add("half");
        throw cause;
      },
      cause,
    ],
  ])(
    "a write %s is rejected with its error; alone or with others, only this write is lost, and it is not counted",
    async (_what, bad, reason) => {
      const rejected = { status: "rejected" as const, reason };
      expect(await Promise.allSettled([commits.run(bad)])).toEqual([rejected]);
      const settled = await Promise.allSettled(
        [() => add("a"), bad, () => add("c"), bad].map((write) => commits.run(write)),
      );
      expect(settled).toEqual([
        { status: "fulfilled" as const, value: 1 },
        rejected,
        { status: "fulfilled" as const, value: 2 },
        rejected,
      ]);
      expect(namesIn(other)).toEqual(["a", "c"]);
      expect([meter.commits, meter.rows, ...meter.retries]).toEqual([2, 2, ["batch", 4]]);
    },
  );

  test("while another process holds the database, a whole commit is refused after one wait, and reads still work", async () => {
    expect(database.client.query("PRAGMA busy_timeout").values()).toEqual([[20]]);
    add("a", other);
    other.run("BEGIN IMMEDIATE");
    add("uncommitted", other);
    const settled = await Promise.allSettled(["b", "c"].map((name) => commits.run(() => add(name))));
    const busy = { status: "rejected" as const, reason: expect.objectContaining({ code: "SQLITE_BUSY" }) };
    expect(settled).toEqual([busy, busy]);
    expect(meter.retries.size).toBe(0);
    expect(namesIn(database.client)).toEqual(["a"]);
    other.run("ROLLBACK");
    expect(await commits.run(() => add("b"))).toBe(2);
    expect(namesIn(other)).toEqual(["a", "b"]);
  });
});

describe("the reads of a turn", () => {
  test("are of one point in time, until the turn or a commit ends; the next one sees what another process has written", async () => {
    const version = readSnapshot.open();
    add("Elsewhere", other);
    expect(readSnapshot.open()).toBe(version);
    expect(namesIn(database.client)).toEqual([]);
    await nextTurn();
    expect(database.client.inTransaction).toBe(false);
    const next = readSnapshot.open();
    expect(next).not.toBe(version);
    await commits.run(() => add("Here"));
    expect(readSnapshot.open()).toBe(next);
    expect(namesIn(database.client)).toEqual(["Elsewhere", "Here"]);
  });

  test("if it cannot begin, nothing stays open: the next write is on disk", async () => {
    const { client } = database;
    const query = client.query.bind(client);
    client.query = ((sql: string) =>
      query(sql.includes("data_version") ? "SELECT json('{')" : sql)) as unknown as typeof client.query;
    const broken = createReadSnapshot(client);
    expect(() => broken.open()).toThrow("malformed JSON");
    expect(client.inTransaction).toBe(false);
    await commits.run(() => add("Here"));
    expect(namesIn(other)).toEqual(["Here"]);
  });
});

test("a row is read once until it is written to, a missing row each time; a cache keeps 16,000, and one more evicts the older half", () => {
  let [version, reads]: [number, number[]] = [1, []];
  const cache = createLookupCache({ open: () => version, close: () => {} }, (key: number) => {
    reads.push(key);
    return key < 0 ? null : `row ${key}`;
  });
  /** Finds all keys, and returns those that were read from the database. */
  const readFor = (...keys: number[]) => {
    reads = [];
    for (const key of keys) expect(cache.find(key)).toBe(key < 0 ? null : `row ${key}`);
    return reads;
  };
  expect(readFor(1, 2, 1, 2, -1, -1)).toEqual([1, 2, -1, -1]);
  cache.forget(1);
  expect(readFor(1, 2)).toEqual([1]);
  cache.clear();
  expect(readFor(1, 2)).toEqual([1, 2]);
  version = 2; // another connection has written
  const keys = Array.from({ length: 16_000 }, (_, key) => key);
  expect(CAPACITY).toBe(keys.length);
  expect(readFor(...keys)).toEqual(keys);
  expect(readFor(...keys)).toEqual([]);
  expect(readFor(16_000, 16_000, 8000, 0, 7999)).toEqual([16_000, 0, 7999]);
  cache.forget(8001);
  expect(readFor(8001)).toEqual([8001]);
  version = 3;
  expect(readFor(9000, 16_000)).toEqual([9000, 16_000]);
});
