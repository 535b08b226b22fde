import { describe, expect, test } from "bun:test";
import { createEngineClock } from "../../../src/store/postgres/engine-clock.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const HOST_MS = 1_800_000_000_000;

/** A host whose clock is wrong by so much, and time that only the test lets pass. */
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
    /** The engine shows the right time, and perhaps more. */
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

describe("a later measurement that differs", () => {
  test("is approached by a tenth of the time that passes, forwards and backwards, and never by a step back", () => {
    for (const engineAheadMs of [500, -500]) {
      const { clock, measure, pass, rightMs } = openClock(0);
      measure();
      pass(1000);
      measure(engineAheadMs);
      expect(clock.state).toBe("known");
      let before = clock.nowMs();
      for (let step = 1; step <= 50; step += 1) {
        pass(100);
        const nowMs = clock.nowMs();
        expect(nowMs - before).toBeGreaterThanOrEqual(89);
        expect(nowMs - before).toBeLessThanOrEqual(111);
        before = nowMs;
      }
      expect(Math.abs(before - rightMs() - engineAheadMs)).toBeLessThanOrEqual(1);
    }
  });

  test("by more than a second is a jump until it is made up for", () => {
    const { clock, measure, pass } = openClock(0);
    measure();
    measure(3000);
    expect(clock.state).toBe("jumped");
    pass(19_000);
    expect(clock.state).toBe("jumped");
    pass(2000);
    expect(clock.state).toBe("known");
  });
});

test("without a measurement for half a minute it is unknown", () => {
  const { clock, measure, pass } = openClock(0);
  measure();
  pass(30_000);
  expect(clock.state).toBe("known");
  pass(1);
  expect(clock.state).toBe("unknown");
  measure();
  expect(clock.state).toBe("known");
});
