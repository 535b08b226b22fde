import { expect, test } from "bun:test";
import { createEngineClock } from "../../src/store/postgres/engine-clock.ts";
import { fromStored, toStored } from "../../src/store/postgres/rows.ts";
import { createManualClock } from "../support/manual-clock.ts";

/** The parts of the PostgreSQL engine that need no server: its clock, and texts with NUL. */

const HOST_MS = 1_800_000_000_000;

/** A host whose clock is `aheadMs` wrong; time passes only when the test calls `pass`. */
function openClock(aheadMs: number) {
  const host = createManualClock(HOST_MS + aheadMs);
  let passedMs = 0;
  const clock = createEngineClock(host, () => passedMs);
  return {
    clock,
    host,
    pass(durationMs: number) {
      passedMs += durationMs;
      host.advance(durationMs);
    },
    /** A measurement, in which the engine's clock is `engineAheadMs` wrong. */
    measure: (engineAheadMs = 0) =>
      clock.correct({ engineMs: HOST_MS + passedMs + engineAheadMs, stopwatchMs: passedMs }),
    rightMs: () => HOST_MS + passedMs,
  };
}

test("hosts whose clocks are five seconds apart show the engine's time", () => {
  for (const aheadMs of [-5000, 0, 5000]) {
    const { clock, measure, pass, rightMs } = openClock(aheadMs);
    expect(clock.state).toBe("unknown");
    measure();
    pass(1234);
    expect(clock.nowMs()).toBe(rightMs());
    expect([clock.state, clock.offsetMs]).toEqual(["known", 0 - aheadMs]);
  }
});

test("an alarm rings when the engine's clock shows its time, not when the host's does", () => {
  const { clock, measure, pass, rightMs } = openClock(5000);
  measure();
  let rungAtMs = 0;
  clock.alarm(rightMs() + 3000, () => {
    rungAtMs = clock.nowMs();
  });
  pass(2999);
  expect(rungAtMs).toBe(0);
  pass(1);
  expect(rungAtMs).toBe(rightMs());
});

test.each([500, -500])(
  "after a measurement that differs by %p ms, the clock runs at most a tenth faster or slower, and never jumps",
  (aheadMs) => {
    const { clock, measure, pass, rightMs } = openClock(0);
    measure();
    pass(1000);
    measure(aheadMs);
    expect(clock.state).toBe("known");
    let before = clock.nowMs();
    for (let step = 1; step <= 50; step += 1) {
      pass(100);
      const nowMs = clock.nowMs();
      expect(Math.abs(nowMs - before - 100)).toBeLessThanOrEqual(11);
      before = nowMs;
    }
    expect(Math.abs(before - rightMs() - aheadMs)).toBeLessThanOrEqual(1);
  },
);

test("the state is unknown after half a minute without a measurement, and jumped while the clock is more than a second wrong", () => {
  const { clock, measure, pass } = openClock(0);
  expect(clock.state).toBe("unknown");
  measure();
  pass(30_000);
  expect(clock.state).toBe("known");
  pass(1);
  expect(clock.state).toBe("unknown");
  measure();
  expect(clock.state).toBe("known");
  measure(3000);
  expect(clock.state).toBe("jumped");
  pass(19_000);
  expect(clock.state).toBe("jumped");
  pass(2000);
  expect(clock.state).toBe("known");
});

test.each(["", "a", "\0", "\u0001", "\u0002", "\0\u0001\u0002\u0001\0", "a\0\0b\u0001\u0001c"])(
  "a text is stored without NUL, is read back unchanged, and each start of it is a start of the stored text: %j",
  (text) => {
    expect(toStored(text)).not.toContain("\0");
    expect(fromStored(toStored(text))).toBe(text);
    for (let length = 0; length <= text.length; length += 1) {
      expect(toStored(text)).toStartWith(toStored(text.slice(0, length)));
    }
  },
);
