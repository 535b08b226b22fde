import { describe, expect, test } from "bun:test";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const T = Date.UTC(2026, 10, 20, 7);

/** A virtual clock over a real one that only the test moves, and a book of what rang when. */
function clocks(start?: Parameters<typeof createVirtualClock>[1]) {
  const real = createManualClock(T);
  const clock = createVirtualClock(real, start);
  const rang: [name: string, atMs: number][] = [];
  const set = (name: string, atMs: number) => clock.alarm(atMs, () => void rang.push([name, clock.nowMs()]));
  return { real, clock, rang, set };
}

describe("a clock that can be stopped and moved by hand", () => {
  test("until somebody does, it shows the time of the clock below it", () => {
    const { real, clock } = clocks();
    expect([clock.nowMs(), clock.isFrozen]).toEqual([T, false]);
    real.advance(1234);
    expect(clock.nowMs()).toBe(T + 1234);
  });

  test("frozen it stands still", () => {
    const { real, clock } = clocks();
    clock.freeze();
    real.advance(5000);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([T, true]);
  });

  test("shown an instant, earlier or later, it goes on from there or stands still", () => {
    const { real, clock, rang, set } = clocks();
    real.advance(60_000);
    clock.show(T, false);
    set("a", T + 1000);
    real.advance(999);
    expect([clock.nowMs(), rang]).toEqual([T + 999, []]);
    real.advance(1);
    expect(rang).toEqual([["a", T + 1000]]);
    clock.show(T - 5, true);
    real.advance(10);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([T - 5, true]);
  });

  test("resumed it goes on from the instant it shows", () => {
    const { real, clock } = clocks();
    clock.freeze();
    real.advance(5000);
    clock.resume();
    expect([clock.nowMs(), clock.isFrozen]).toEqual([T, false]);
    real.advance(10);
    expect(clock.nowMs()).toBe(T + 10);
  });

  test("advanced it moves forward, frozen or not", () => {
    const { real, clock } = clocks();
    clock.advance(90_000);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([T + 90_000, false]);
    real.advance(10);
    expect(clock.nowMs()).toBe(T + 90_010);
    clock.freeze();
    clock.advance(5);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([T + 90_015, true]);
    clock.resume();
    real.advance(5);
    expect(clock.nowMs()).toBe(T + 90_020);
  });

  test("another one that begins with its state shows the same time", () => {
    const { real, clock } = clocks();
    clock.advance(7000);
    expect(createVirtualClock(real, clock.state()).nowMs()).toBe(T + 7000);
    clock.freeze();
    real.advance(500);
    const copy = createVirtualClock(real, clock.state());
    expect([copy.nowMs(), copy.isFrozen]).toEqual([T + 7000, true]);
  });
});

describe("an alarm rings once, when the clock shows its instant or later", () => {
  test("never before", () => {
    const { real, rang, set } = clocks();
    set("a", T + 3000);
    real.advance(2999);
    expect(rang).toEqual([]);
    real.advance(1);
    expect(rang).toEqual([["a", T + 3000]]);
    real.advance(10_000);
    expect(rang).toHaveLength(1);
  });

  test("soon where the clock shows it already, never before the caller has returned", () => {
    const { real, rang, set } = clocks();
    set("a", T - 1);
    set("b", T);
    expect(rang).toEqual([]);
    real.advance(0);
    expect(rang.map(([name]) => name)).toEqual(["a", "b"]);
  });

  test("also where somebody moves the clock on and on, faster than real time passes", () => {
    const real = createManualClock(T);
    const canceled: number[] = [];
    const clock = createVirtualClock({
      ...real,
      nowMs: real.nowMs,
      alarm(atMs, ring) {
        const cancel = real.alarm(atMs, ring);
        return () => {
          canceled.push(atMs);
          cancel();
        };
      },
    });
    clock.freeze();
    let rang = 0;
    clock.alarm(T + 100, () => (rang += 1));
    for (let step = 0; step < 5; step += 1) clock.advance(100);
    expect(canceled).toEqual([]);
    real.advance(1);
    expect(rang).toBe(1);
  });

  test("an advance brings it near, or rings it", () => {
    const { real, clock, rang, set } = clocks();
    set("a", T + 60_000);
    clock.advance(59_000);
    real.advance(999);
    expect(rang).toEqual([]);
    real.advance(1);
    expect(rang).toEqual([["a", T + 60_000]]);
    set("b", T + 120_000);
    clock.advance(600_000);
    expect(rang).toHaveLength(1);
    real.advance(0);
    expect(rang[1]).toEqual(["b", T + 660_000]);
  });

  test("while the clock stands still, what lies ahead does not come nearer, and no alarm below it is set", () => {
    const { real, clock, rang, set } = clocks();
    set("a", T + 1000);
    clock.freeze();
    set("b", T + 2000);
    expect(real.alarmsAtMs).toEqual([]);
    real.advance(100_000);
    expect(rang).toEqual([]);
    clock.advance(1000);
    real.advance(0);
    expect(rang).toEqual([["a", T + 1000]]);
    clock.resume();
    real.advance(999);
    expect(rang).toHaveLength(1);
    real.advance(1);
    expect(rang[1]).toEqual(["b", T + 2000]);
  });
});

describe("alarms", () => {
  test("ring in the order of their instants as time passes", () => {
    const { real, rang, set } = clocks();
    set("late", T + 5000);
    set("early", T + 2000);
    real.advance(10_000);
    expect(rang.map(([name]) => name)).toEqual(["early", "late"]);
  });

  test("ring in the order of their instants where one advance passes them all", () => {
    const { real, clock, rang, set } = clocks({ frozenAtMs: T });
    set("late", T + 5000);
    set("early", T + 2000);
    clock.advance(10_000);
    real.advance(0);
    expect(rang.map(([name]) => name)).toEqual(["early", "late"]);
  });

  test("cancelled do not ring; cancelling again, or after the ring, is harmless", () => {
    const { real, clock, rang, set } = clocks();
    const cancelA = set("a", T + 1000);
    const cancelB = set("b", T + 1000);
    cancelA();
    cancelA();
    real.advance(1000);
    cancelB();
    clock.advance(5000);
    real.advance(5000);
    expect(rang.map(([name]) => name)).toEqual(["b"]);
    expect(real.alarmsAtMs).toEqual([]);
  });

  test("cancelled while the clock stands still do not ring when it goes on", () => {
    const { real, clock, rang, set } = clocks();
    const cancel = set("a", T + 1000);
    clock.freeze();
    cancel();
    clock.resume();
    clock.advance(5000);
    real.advance(5000);
    expect(rang).toEqual([]);
  });
});
