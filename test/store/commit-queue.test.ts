import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type CommitQueue, createCommitQueue } from "../../src/store/sqlite/commit-queue.ts";
import { type OpenDatabase, openDatabase } from "../../src/store/sqlite/database.ts";
import { createTotalsChange } from "../../src/store/sqlite/totals.ts";
import { createTurnReads, type TurnReads } from "../../src/store/sqlite/turn-reads.ts";
import { Meter } from "../../src/store/vitals.ts";
import { useFolder } from "../support/cleanup.ts";
import { nextTurn } from "../support/waiting.ts";

const inFolder = useFolder();
let database: OpenDatabase;
let turnReads: TurnReads;
let commits: CommitQueue;
let meter: Meter;
/** Another connection: it sees only what is committed. */
let other: Database;
beforeEach(() => {
  const file = inFolder("momo.db");
  database = openDatabase(file, { busyTimeoutMs: 20 });
  turnReads = createTurnReads(database.client);
  meter = new Meter();
  commits = createCommitQueue(database.client, turnReads, [createTotalsChange(database.client)], {
    meter,
    stopwatch: () => 0,
  });
  other = new Database(file);
});
afterEach(() => {
  turnReads.end();
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

  test("writes of the next turns join the commit while each turn brings one, three turns at most", async () => {
    const seen: number[] = [];
    const answers: Promise<unknown>[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      answers.push(
        commits.run(() => {
          seen.push(namesIn(other).length);
          return add(name);
        }),
      );
      await nextTurn();
    }
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5]);
    expect(seen).toEqual([0, 0, 0, 3, 3]);
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
    "a write %s is rejected with its error; alone or with others, only this write is lost",
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
    },
  );

  test("while another process holds the database, a whole commit is refused after one wait, and reads still work", async () => {
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

describe("the turnReads of a turn", () => {
  test("all reads of a turn are of one point in time; the next turn sees what another process has written", async () => {
    const version = turnReads.enter();
    expect(namesIn(database.client)).toEqual([]);
    add("Elsewhere", other);
    expect(turnReads.enter()).toBe(version);
    expect(namesIn(database.client)).toEqual([]);
    await nextTurn();
    expect(database.client.inTransaction).toBe(false);
    expect(turnReads.enter()).not.toBe(version);
    expect(namesIn(database.client)).toEqual(["Elsewhere"]);
  });

  test("a commit ends it; the version stays if only this process wrote", async () => {
    const version = turnReads.enter();
    await commits.run(() => add("Here"));
    expect(turnReads.enter()).toBe(version);
    expect(namesIn(database.client)).toEqual(["Here"]);
  });

  test("if it cannot begin, nothing stays open: the next write is on disk", async () => {
    const { client } = database;
    const query = client.query.bind(client);
    client.query = ((sql: string) =>
      query(sql.includes("data_version") ? "SELECT json('{')" : sql)) as unknown as typeof client.query;
    const broken = createTurnReads(client);
    expect(() => broken.enter()).toThrow("malformed JSON");
    expect(client.inTransaction).toBe(false);
    await commits.run(() => add("Here"));
    expect(namesIn(other)).toEqual(["Here"]);
  });
});
