import { expect, test } from "bun:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { createConnections } from "../../src/store/postgres/connections.ts";
import { createGroup } from "../../src/store/postgres/group.ts";
import { createRecent } from "../../src/store/postgres/recent.ts";
import { systemClock } from "../../src/system.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

/** The queues in front of PostgreSQL, without a server. */

test("writes to the same rows keep their order, also behind one that waits for another row", async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const group = createGroup<{ name: string; keys: number[] }, null>({
    attempts: { isStuck: false } as Parameters<typeof createGroup>[0]["attempts"],
    ...{ lanes: 3, most: 1, keysOf: ({ keys }) => keys },
    async run(items) {
      started.push(...items.map(({ name }) => name));
      await new Promise<void>((resolve) => {
        ends.push(resolve);
      });
      return items.map(() => null);
    },
  });
  const added = [
    group.add({ name: "first", keys: [1] }),
    group.add({ name: "waits for it", keys: [1, 2] }),
    group.add({ name: "waits for that one", keys: [2] }),
    group.add({ name: "free", keys: [3] }),
  ];
  for (const running of [["first", "free"], ["waits for it"], ["waits for that one"]]) {
    await nextTurn();
    await nextTurn();
    expect(started.splice(0)).toEqual(running);
    for (const end of ends.splice(0)) end();
  }
  await Promise.all(added);
  await group.whenEmpty();
});

test("who waits for a connection gets an error when the store is closed", async () => {
  const connections = createConnections(parseAddress("postgres://momo@127.0.0.1:1/momo", null, "test"), 0, systemClock);
  const waiting = rejectionOf(connections.use(1000, async () => {}));
  await connections.close();
  const still = nextTurn().then(() => "it still waits");
  expect(String(await Promise.race([waiting, still]))).toBe("Error: the store was closed");
});

test("rows that were just read are read again after a second, or when there are more than 4,000 of them", async () => {
  let [nowMs, reads] = [0, 0];
  const recent = createRecent(
    () => nowMs,
    async (key: number) => {
      reads += 1;
      return key;
    },
  );
  const readsOf = async (...keys: number[]) => {
    const before = reads;
    for (const key of keys) await recent.find(key);
    return reads - before;
  };
  const all = Array.from({ length: 4000 }, (_, key) => key);
  expect([await readsOf(...all), await readsOf(0)]).toEqual([4000, 0]);
  expect([await readsOf(4000), await readsOf(0), await readsOf(0)]).toEqual([1, 1, 0]);
  nowMs += 999;
  expect(await readsOf(0)).toBe(0);
  nowMs += 1;
  expect(await readsOf(0)).toBe(1);
});
