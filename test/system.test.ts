import { expect, jest, spyOn, test } from "bun:test";
import { clockBy, durationClock, sleep, steadyTime, stopwatch, systemClock } from "../src/system.ts";
import { nextTurn } from "./support/waiting.ts";

/** A host whose two clocks a test moves. */
function host() {
  let wallMs = 1_790_000_000_000;
  let elapsedMs = 5;
  const nowMs = steadyTime(
    () => Math.floor(wallMs),
    () => elapsedMs,
  );
  return {
    nowMs,
    startMs: wallMs,
    /** Both clocks count. */
    pass(ms: number) {
      wallMs += ms;
      elapsedMs += ms;
    },
    /** Only the wall clock, as when a person sets it or the machine has slept. */
    jump(ms: number) {
      wallMs += ms;
    },
  };
}

test("it shows the host's time, to the millisecond", () => {
  const { nowMs, pass, startMs } = host();
  for (let passed = 0.3; passed < 100; passed += 0.3) {
    pass(0.3);
    expect(nowMs()).toBe(Math.floor(startMs + passed + 1e-6));
  }
});

test("when the host's clock is set back, it goes on by the time that passes", () => {
  const { nowMs, pass, jump, startMs } = host();
  jump(-7_200_000);
  expect(nowMs()).toBe(startMs);
  pass(60_000);
  expect(nowMs() - startMs).toBeWithin(59_900, 60_001);
});

test("so does the clock of the program", () => {
  const startMs = systemClock.nowMs();
  const hostNow = spyOn(Date, "now").mockReturnValue(startMs - 3_600_000);
  expect(systemClock.nowMs() - startMs).toBeWithin(0, 60_000);
  hostNow.mockRestore();
});

test("a jump of the host's clock neither moves a clock for durations nor ends a sleep", async () => {
  const durations = durationClock(1000, stopwatch);
  const hostNow = spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
  const ended = new AbortController();
  let isOver = false;
  const sleeping = sleep(60_000, ended.signal).then(() => {
    isOver = true;
  });
  await nextTurn();
  expect([durations.nowMs() < 60_000, isOver]).toEqual([true, false]);
  hostNow.mockRestore();
  ended.abort();
  await sleeping;
});

test("when the host's clock was set forward and is set back, it goes on from where it was", () => {
  const { nowMs, pass, jump, startMs } = host();
  jump(7_200_000);
  nowMs();
  jump(-7_200_000);
  pass(60_000);
  expect(nowMs() - startMs).toBeWithin(7_259_900, 7_260_001);
});

test("it jumps forward with the host, and after -2 h and +3 h it is an hour ahead of where it was", () => {
  const { nowMs, jump, startMs } = host();
  jump(-7_200_000);
  nowMs();
  jump(10_800_000);
  expect(nowMs()).toBe(startMs + 3_600_000);
});

test("if it is ahead of the host, the host's time catches up with it", () => {
  const { nowMs, pass, jump, startMs } = host();
  jump(-1000);
  nowMs();
  for (let step = 0; step < 100; step++) {
    pass(20_000);
    nowMs();
  }
  expect(nowMs()).toBe(startMs + 2_000_000 - 1000);
});

test("an alarm rings within 2 s after the time has jumped past it, and not after it was cancelled", () => {
  jest.useFakeTimers();
  try {
    let nowMs = 0;
    const clock = clockBy(() => nowMs);
    const ring = jest.fn();
    clock.alarm(3_600_000, ring);
    const cancel = clock.alarm(3_600_000, () => expect.unreachable());
    jest.advanceTimersByTime(2000);
    nowMs = 3_600_000;
    expect(ring).not.toHaveBeenCalled();
    cancel();
    jest.advanceTimersByTime(2001); // one more for the timer that rings
    expect(ring).toHaveBeenCalledTimes(1);
  } finally {
    jest.useRealTimers();
  }
});

test("a sleep ends at once when its signal is aborted, also if it was before", async () => {
  const stop = new AbortController();
  const sleeps = () => Promise.race([sleep(60_000, stop.signal).then(() => "ended"), nextTurn().then(() => "sleeps")]);
  expect(await sleeps()).toBe("sleeps");
  stop.abort();
  expect(await sleeps()).toBe("ended");
});
