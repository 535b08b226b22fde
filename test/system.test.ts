import { expect, test } from "bun:test";
import { steadyTime } from "../src/system.ts";

/** A host whose two clocks a test moves. */
function host() {
  let wallMs = 1_790_000_000_000;
  let elapsedMs = 5;
  const nowMs = steadyTime(
    () => Math.floor(wallMs),
    () => elapsedMs,
  );
  const startMs = wallMs;
  return {
    /** How far the time has gone since the start. */
    shownMs: () => nowMs() - startMs,
    pass(ms: number) {
      wallMs += ms;
      elapsedMs += ms;
    },
    /** The wall clock is set, or the machine has slept. */
    jump(ms: number) {
      wallMs += ms;
    },
  };
}

test("it shows the host's time, to the millisecond", () => {
  const { shownMs, pass } = host();
  for (let passed = 0.3; passed < 100; passed += 0.3) {
    pass(0.3);
    expect(shownMs()).toBe(Math.floor(passed + 1e-6));
  }
});

test("when the host's clock is set back, it goes on by the time that passes", () => {
  const { shownMs, pass, jump } = host();
  jump(-7_200_000);
  expect(shownMs()).toBe(0);
  pass(60_000);
  expect(shownMs()).toBeWithin(59_900, 60_001);
});

test("it jumps forward with the host: after -2 h and +3 h it is an hour ahead", () => {
  const { shownMs, jump } = host();
  jump(-7_200_000);
  shownMs();
  jump(10_800_000);
  expect(shownMs()).toBe(3_600_000);
});

test("when it is ahead of the host, the host's time catches up", () => {
  const { shownMs, pass, jump } = host();
  jump(-1000);
  shownMs();
  for (let step = 0; step < 100; step++) {
    pass(20_000);
    shownMs();
  }
  expect(shownMs()).toBe(2_000_000 - 1000);
});
