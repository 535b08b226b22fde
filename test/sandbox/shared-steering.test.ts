import { expect, test } from "bun:test";
import { SharedSteering } from "../../sandbox/shared-steering.ts";
import type { State, StatePart } from "../../sandbox/steering.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { rejectionOf } from "../support/rejection.ts";

test("a change that could not be stored is taken back at the next look, although the stored version is the same", async () => {
  let [rules, fails] = ["none", false];
  let stored = { version: 1, document: "{}" };
  const steering = new SharedSteering({
    table: {
      read: async () => stored,
      async edit(edit) {
        const next = { version: stored.version + 1, document: edit(stored) };
        if (fails) throw new Error("the engine is down");
        stored = next;
        return stored;
      },
      join: async () => stored,
      ...{ confirm: async () => {}, behind: async () => [], leave: async () => {} },
    },
    ...{ realClock: createManualClock(0), stopwatch: () => 0 },
  });
  const unchanged: StatePart = { save: () => null, load: () => {}, reset: () => {} };
  const state: State = {
    ...{ default: unchanged, faults: unchanged, webhook: unchanged, clock: unchanged, reset: unchanged },
    rules: {
      ...unchanged,
      save: () => rules,
      load: (saved) => {
        rules = String(saved);
      },
    },
  };
  const change = (to: string) =>
    steering.change(() => {
      rules = to;
    });
  await steering.start(state, () => {});
  await change("first");
  fails = true;
  expect(String(await rejectionOf(change("second")))).toBe("Error: the engine is down");
  await steering.refresh();
  expect(rules).toBe("first");
  await steering.stop();
});
