import { describe, expect, test } from "bun:test";
import { createVirtualClock, type VirtualClock } from "../../../sandbox/network/clock.ts";
import { Refusal } from "../../../src/domain/error.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

/** Stands here once more, so that another value is noticed. */
const LAST_INSTANT_MS = Date.UTC(9999, 11, 30);

const T = Date.UTC(2026, 10, 20, 7);

/** A virtual clock above a real clock that only the test moves. */
function createClocks() {
  const real = createManualClock(T);
  const clock = createVirtualClock(real);
  const rings: [name: string, atMs: number][] = [];
  const set = (name: string, atMs: number) => clock.alarm(atMs, () => void rings.push([name, clock.nowMs()]));
  return { real, clock, rings, set };
}

describe("what the clock shows, also when it is made again from its state", () => {
  type Move = (clock: VirtualClock, real: ManualClock) => void;
  const MOVES: [name: string, move: Move, aheadMs: number, isFrozen: boolean][] = [
    ["untouched", (_, real) => real.advance(1234), 1234, false],
    ["advanced", (clock) => clock.advance(90_000), 90_000, false],
    ["frozen", (clock) => clock.freeze(), 0, true],
    ["frozen, then some time passes", (clock, real) => [clock.freeze(), real.advance(5000)], 0, true],
    ["frozen, then advanced", (clock) => [clock.freeze(), clock.advance(5)], 5, true],
    ["frozen, then resumed", (clock, real) => [clock.freeze(), real.advance(5000), clock.resume()], 0, false],
    ["frozen, then resumed and restored", (clock, real) => [clock.freeze(), real.advance(9), clock.reset()], 9, false],
    ["advanced, then restored", (clock) => [clock.advance(5), clock.reset()], 0, false],
    ["set to an earlier instant", (clock) => clock.show(T - 1000, false), -1000, false],
    ["set to a later instant, frozen", (clock) => clock.show(T + 1000, true), 1000, true],
    ["set to the state of another clock", (clock) => clock.load({ frozenAtMs: T + 7 }), 7, true],
  ];
  test.each(MOVES)("%s", (_, move, aheadMs, isFrozen) => {
    const { real, clock } = createClocks();
    move(clock, real);
    const copy = createVirtualClock(real, clock.save());
    for (const one of [clock, copy]) expect([one.nowMs() - T, one.isFrozen]).toEqual([aheadMs, isFrozen]);
    real.advance(10);
    for (const one of [clock, copy]) expect(one.nowMs() - T).toBe(aheadMs + (isFrozen ? 0 : 10));
  });

  test("it has run by itself for the time that passed, without moves and without the time while it was frozen", () => {
    const { real, clock } = createClocks();
    real.advance(10);
    clock.advance(90_000);
    real.advance(20);
    clock.freeze();
    real.advance(5000);
    clock.advance(7);
    expect(clock.ranMs()).toBe(30);
    clock.resume();
    real.advance(40);
    clock.show(T - 1000, false);
    real.advance(50);
    expect(clock.ranMs()).toBe(10 + 20 + 40 + 50);
  });

  test("a jump of the clock below it is no move, and the clock has not run for it", () => {
    const real = createManualClock(T);
    let stopwatchMs = 5;
    const clock = createVirtualClock(real, undefined, () => stopwatchMs);
    real.advance(3_600_000);
    stopwatchMs += 10;
    expect([clock.nowMs() - T, clock.ranMs(), clock.movedMs()]).toEqual([3_600_000, 10, 0]);
    clock.advance(90_000);
    expect([clock.ranMs(), clock.movedMs()]).toEqual([10, 90_000]);
  });

  test("moves have passed the time after an instant, but not those that a move back has undone", () => {
    const { real, clock } = createClocks();
    clock.advance(1000);
    real.advance(10);
    clock.advance(5000);
    const passed = [0, 1000, 1010, 3010, 6010].map((ms) => clock.movedPastMs(T + ms));
    expect(passed).toEqual([6000, 5000, 5000, 3000, 0]);
    clock.show(T + 1500, false);
    expect([0, 1000].map((ms) => clock.movedPastMs(T + ms))).toEqual([1000, 0]);
  });

  test("at most the last day but one of the year 9999", () => {
    const { clock } = createClocks();
    clock.advance(LAST_INSTANT_MS - T);
    expect(() => clock.advance(1)).toThrow(Refusal);
    expect(clock.nowMs()).toBe(LAST_INSTANT_MS);
  });
});

describe("an alarm", () => {
  test("rings once, at its instant", () => {
    const { real, rings, set } = createClocks();
    set("a", T + 3000);
    real.advance(2999);
    expect(rings).toEqual([]);
    real.advance(10_000);
    expect(rings).toEqual([["a", T + 3000]]);
  });

  test("for the present or the past rings soon, but not before the caller has returned", () => {
    const { real, rings, set } = createClocks();
    set("a", T - 1);
    set("b", T);
    expect(rings).toEqual([]);
    real.advance(0);
    expect(rings.map(([name]) => name)).toEqual(["a", "b"]);
  });

  test("rings earlier when the clock is advanced, and rings soon when it is due", () => {
    const { real, clock, rings, set } = createClocks();
    set("a", T + 60_000);
    clock.advance(59_000);
    real.advance(999);
    expect(rings).toEqual([]);
    real.advance(1);
    expect(rings).toEqual([["a", T + 60_000]]);
    set("b", T + 120_000);
    clock.advance(600_000);
    expect(rings).toHaveLength(1);
    real.advance(0);
    expect(rings[1]).toEqual(["b", T + 660_000]);
  });

  test.each([0, 2000])("rings later when the clock is set back, also if it was due: advanced by %d", (durationMs) => {
    const { real, clock, rings, set } = createClocks();
    set("a", T + 1000);
    clock.advance(durationMs);
    clock.show(T - 500, false);
    real.advance(1499);
    expect(rings).toEqual([]);
    real.advance(1);
    expect(rings).toEqual([["a", T + 1000]]);
  });

  test("does not ring earlier while the clock is frozen, and needs no real alarm", () => {
    const { real, clock, rings, set } = createClocks();
    set("a", T + 1000);
    clock.freeze();
    set("b", T + 2000);
    expect(real.alarmsAtMs).toEqual([]);
    real.advance(100_000);
    expect(rings).toEqual([]);
    clock.advance(1000);
    real.advance(0);
    expect(rings).toEqual([["a", T + 1000]]);
    clock.resume();
    real.advance(1000);
    expect(rings[1]).toEqual(["b", T + 2000]);
  });

  test("that is due keeps its real alarm when the clock is moved again, so it rings in the end", () => {
    const real = createManualClock(T);
    let canceled = 0;
    const clock = createVirtualClock({
      nowMs: real.nowMs,
      alarm(atMs, ring) {
        const cancel = real.alarm(atMs, ring);
        return () => {
          canceled += 1;
          cancel();
        };
      },
    });
    clock.freeze();
    let rings = 0;
    clock.alarm(T + 100, () => (rings += 1));
    for (let step = 0; step < 5; step += 1) clock.advance(100);
    real.advance(1);
    expect([canceled, rings]).toEqual([0, 1]);
  });

  test.each([false, true])("rings in the order of the instants; one advance passes both: %p", (isAdvanced) => {
    const { real, clock, rings, set } = createClocks();
    if (isAdvanced) clock.freeze();
    set("late", T + 5000);
    set("early", T + 2000);
    if (isAdvanced) clock.advance(10_000);
    real.advance(10_000);
    expect(rings.map(([name]) => name)).toEqual(["early", "late"]);
  });

  test.each([false, true])("that is cancelled does not ring; cancelled while the clock is frozen: %p", (isFrozen) => {
    const { real, clock, rings, set } = createClocks();
    const cancel = [set("a", T + 1000), set("b", T + 1000)];
    if (isFrozen) clock.freeze();
    cancel[0]?.();
    cancel[0]?.();
    clock.resume();
    real.advance(1000);
    cancel[1]?.();
    clock.advance(5000);
    real.advance(5000);
    expect(rings.map(([name]) => name)).toEqual(["b"]);
    expect(real.alarmsAtMs).toEqual([]);
  });
});
