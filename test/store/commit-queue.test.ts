import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type CommitQueue, createCommitQueue } from "../../src/store/sqlite/commit-queue.ts";
import { type OpenDatabase, openDatabase } from "../../src/store/sqlite/database.ts";
import { createSnapshot } from "../../src/store/sqlite/snapshot.ts";
import { createTotalsChange } from "../../src/store/sqlite/totals.ts";
import { useFolder } from "../support/cleanup.ts";
import { rejectionOf } from "../support/rejection.ts";
import { nextTurn } from "../support/turns.ts";

const inFolder = useFolder();
let database: OpenDatabase;
let commits: CommitQueue;
/** Another connection: it sees what is committed and nothing else. */
let other: Database;
beforeEach(() => {
  const file = inFolder("momo.db");
  database = openDatabase(file);
  database.client.run("PRAGMA busy_timeout = 20");
  commits = createCommitQueue(database.client, createSnapshot(database.client), createTotalsChange(database.client));
  other = new Database(file);
});
afterEach(() => {
  other.close();
  database.close();
});

const add = (name: string) =>
  database.client.query("INSERT INTO merchants (name, created_at_ms) VALUES (?, 1)").run(name).lastInsertRowid;
const namesIn = (connection: Database) =>
  connection
    .query<{ name: string }, []>("SELECT name FROM merchants ORDER BY id")
    .all()
    .map(({ name }) => name);

describe("a write is answered only after its commit", () => {
  test("another connection sees it when the answer is there, and not before", async () => {
    const seenDuring: string[][] = [];
    const answer = commits.run(() => {
      add("a");
      seenDuring.push(namesIn(other));
      return "done";
    });
    expect(namesIn(other)).toEqual([]);
    const seenAtAnswer = answer.then(() => namesIn(other));
    expect(await answer).toBe("done");
    expect(seenDuring).toEqual([[]]);
    expect(await seenAtAnswer).toEqual(["a"]);
  });

  test("the writes of one turn share a commit, in their order, and each gets its own answer", async () => {
    const seen: [own: number, others: number][] = [];
    const answers = ["a", "b", "c"].map((name) =>
      commits.run(() => {
        const id = add(name);
        seen.push([namesIn(database.client).length, namesIn(other).length]);
        return id;
      }),
    );
    expect(await Promise.all(answers)).toEqual([1, 2, 3]);
    expect(seen).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(namesIn(other)).toEqual(["a", "b", "c"]);
  });

  test("what the next turns bring shares it as well, while each brings more, for three turns at most", async () => {
    const seen: number[] = [];
    const write = (name: string) =>
      commits.run(() => {
        seen.push(namesIn(other).length);
        return add(name);
      });
    const answers = [write("a")];
    for (const name of ["b", "c", "d", "e"]) {
      await nextTurn();
      answers.push(write(name));
    }
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5]);
    expect(seen).toEqual([0, 0, 0, 3, 3]);
  });

  test("a write that follows an answer gets the next commit", async () => {
    const second = commits.run(() => add("a")).then(() => commits.run(() => add("b")));
    expect(await second).toBe(2);
    expect(namesIn(other)).toEqual(["a", "b"]);
  });
});

describe("one bad write does not spoil its neighbours", () => {
  test.each([
    ["that the database refuses", () => add("")],
    [
      "that throws after it has written",
      () => {
        add("half");
        throw new Error("changed my mind");
      },
    ],
  ])("%s", async (_what, bad) => {
    const settled = await Promise.allSettled([
      commits.run(() => add("a")),
      commits.run(bad),
      commits.run(() => add("c")),
      commits.run(bad),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect(namesIn(other)).toEqual(["a", "c"]);
  });

  test("it learns what it threw", async () => {
    const cause = new Error("changed my mind");
    const bad = commits.run(() => {
      throw cause;
    });
    expect(await rejectionOf(bad)).toBe(cause);
    expect(String(await rejectionOf(commits.run(() => add(""))))).toContain("CHECK constraint failed");
  });

  test("alone, a write that throws leaves nothing, and the queue goes on", async () => {
    const bad = commits.run(() => {
      add("half");
      throw new Error("changed my mind");
    });
    expect(String(await rejectionOf(bad))).toContain("changed my mind");
    expect(namesIn(database.client)).toEqual([]);
    expect(await commits.run(() => add("next"))).toBe(1);
  });
});

describe("while another process holds the database", () => {
  test("all of the commit are refused after one wait, nothing is written, and afterwards it works", async () => {
    other.run("BEGIN IMMEDIATE");
    let calls = 0;
    const write = (name: string) => () => {
      calls += 1;
      return add(name);
    };
    const settled = await Promise.allSettled(["a", "b", "c"].map((name) => commits.run(write(name))));
    expect(settled.map((result) => result.status === "rejected" && (result.reason as { code?: string }).code)).toEqual([
      "SQLITE_BUSY",
      "SQLITE_BUSY",
      "SQLITE_BUSY",
    ]);
    expect(calls).toBe(0);
    other.run("ROLLBACK");
    expect(namesIn(other)).toEqual([]);
    expect(await commits.run(write("a"))).toBe(1);
    expect(namesIn(other)).toEqual(["a"]);
  });

  test("each of them alone would only wait again: sixty writes wait once, not sixty times", async () => {
    database.client.run("PRAGMA busy_timeout = 500");
    other.run("BEGIN IMMEDIATE");
    const startedMs = performance.now();
    const settled = await Promise.allSettled(Array.from({ length: 60 }, () => commits.run(() => add("a"))));
    expect(performance.now() - startedMs).toBeLessThan((60 * 500) / 2);
    expect(settled.every(({ status }) => status === "rejected")).toBe(true);
    other.run("ROLLBACK");
  });

  test("reading goes on", async () => {
    await commits.run(() => add("a"));
    other.run("BEGIN IMMEDIATE");
    other.run("INSERT INTO merchants (name, created_at_ms) VALUES ('uncommitted', 1)");
    expect(namesIn(database.client)).toEqual(["a"]);
    other.run("ROLLBACK");
  });
});
