import { expect, test } from "bun:test";
import { createGroup } from "../../src/store/postgres/group.ts";
import { nextTurn } from "../support/waiting.ts";

/** Group commit on PostgreSQL: what shares a statement, what waits, and what is refused. */

const REFUSED = Object.assign(new Error("out of range"), { errno: "22003" });

/** A group whose statements the test ends, and the items of those that run. */
function openGroup({ lanes = 1, most = 1 } = {}) {
  const running: PromiseWithResolvers<string[]>[] = [];
  const started: (readonly string[])[] = [];
  let nowMs = 0;
  const group = createGroup<string, string>({
    lanes,
    most,
    waitMs: 1000,
    stopwatch: () => nowMs,
    run: (items) => {
      const end = Promise.withResolvers<string[]>();
      started.push(items);
      running.push(end);
      if (items.includes("refused")) end.reject(REFUSED);
      return end.promise;
    },
  });
  return {
    group,
    started,
    pass: (durationMs: number) => {
      nowMs += durationMs;
    },
    /** Ends all statements that run now. */
    async endAll() {
      await nextTurn();
      await nextTurn();
      const items = started.slice(-running.length);
      for (const [index, { resolve }] of running.splice(0).entries()) resolve([...(items[index] ?? [])]);
      await nextTurn();
    },
  };
}

test("the items of a turn are one statement; who waits for the queue waits for all", async () => {
  const { group, started, endAll } = openGroup({ most: 2 });
  const added = ["1", "2", "3"].map(group.add);
  let isEmpty = false;
  const empty = group.whenEmpty().then(() => {
    isEmpty = true;
  });
  await endAll();
  expect(isEmpty).toBe(false);
  await endAll();
  await empty;
  expect(started).toEqual([["1", "2"], ["3"]]);
  expect(await Promise.all(added)).toEqual(["1", "2", "3"]);
});

test("an item that the server refuses does not fail those beside it", async () => {
  const { group, started, endAll } = openGroup({ most: 3 });
  const added = ["1", "refused", "2"].map((item) => group.add(item).catch((error: unknown) => error));
  for (let round = 0; round < 4; round += 1) await endAll();
  expect(await Promise.all(added)).toEqual(["1", REFUSED, "2"]);
  expect(started).toEqual([["1", "refused", "2"], ["1"], ["refused"], ["2"]]);
});

test("an item waits for its turn as long as a statement may take; then it is refused, and nothing of it was sent", async () => {
  const { group, started, endAll, pass } = openGroup();
  const added = ["1", "2"].map((item) => group.add(item).catch(String));
  await nextTurn();
  pass(999);
  added.push(group.add("3").catch(String));
  pass(2);
  for (let round = 0; round < 2; round += 1) await endAll();
  const tooBusy = "Refusal: the database server was too busy for 1 s: try again later";
  expect(await Promise.all(added)).toEqual(["1", tooBusy, "3"]);
  expect(started).toEqual([["1"], ["3"]]);
});

test("20,000 writes can wait; one more is refused at once, and says why", async () => {
  const { group, endAll } = openGroup();
  const added = Array.from({ length: 20_001 }, (_, item) => group.add(`${item}`).catch(String));
  const waits = nextTurn().then(() => "it waits, too");
  expect(await Promise.race([added.at(-1), waits])).toBe(
    "Refusal: 20000 others wait for the database server: try again later",
  );
  await endAll();
  expect(await added[0]).toBe("0");
});
