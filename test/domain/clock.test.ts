import { expect, test } from "bun:test";
import { Alarm, atMost, pause } from "../../src/domain/clock.ts";
import { Rounds } from "../../src/domain/mutex.ts";
import { createRepeater } from "../../src/domain/repeater.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

const isOver = (work: Promise<unknown>) => Promise.race([work.then(() => true), nextTurn().then(() => false)]);

test("a pause ends at its time or when it is aborted, and leaves no alarm", async () => {
  const clock = createManualClock(0);
  const [early, late] = [new AbortController(), new AbortController()];
  const pauses = [pause(clock, 1000), pause(clock, 1000, early.signal), pause(clock, 1000, late.signal)] as const;
  early.abort();
  expect(await Promise.all(pauses.map(isOver))).toEqual([false, true, false]);
  expect(clock.alarmsAtMs).toEqual([1000, 1000]);
  clock.advance(1000);
  expect(await Promise.all(pauses.map(isOver))).toEqual([true, true, true]);
  expect(await isOver(pause(clock, 1000, early.signal))).toBe(true);
  expect(clock.alarmsAtMs).toEqual([]);
});

test("work is waited for until its time-out, and leaves no alarm when it ends or fails before", async () => {
  const clock = createManualClock(0);
  expect(await atMost(clock, 1000, Promise.resolve("done"))).toBe("done");
  const failing = atMost(clock, 1000, Promise.reject(new Error("it fails")));
  expect(String(await rejectionOf(failing))).toBe("Error: it fails");
  await nextTurn();
  expect(clock.alarmsAtMs).toEqual([]);
  const late = atMost(clock, 1000, new Promise(() => {}));
  clock.advance(999);
  expect(await isOver(late)).toBe(false);
  clock.advance(1);
  expect(await late).toBeNull();
});

test("an alarm rings once, at the earliest time that it was set to; after it has rung or was cancelled, it can be set later", () => {
  const clock = createManualClock(0);
  const rang: number[] = [];
  const alarm = new Alarm(clock, () => rang.push(clock.nowMs()));
  for (const atMs of [300, 100, 200]) alarm.wakeAt(atMs);
  clock.advance(99);
  expect([alarm.isDue, ...rang]).toEqual([false]);
  clock.advance(901);
  expect([alarm.isDue, ...rang]).toEqual([false, 100]);
  alarm.wakeAt(2000);
  alarm.cancel();
  alarm.wakeAt(3000);
  expect(clock.alarmsAtMs).toEqual([3000]);
  clock.advance(5000);
  expect(rang).toEqual([100, 3000]);
});

test("requests during a round share the next one, because this one may have read its input already", async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const rounds = new Rounds(() => {
    const round = Promise.withResolvers<void>();
    begun.push(round);
    return round.promise;
  });
  const first = rounds.request();
  await nextTurn();
  const next = [rounds.request(), rounds.request()];
  begun[0]?.resolve();
  await first;
  await nextTurn();
  expect(begun).toHaveLength(2);
  expect(rounds.isRequested).toBe(false);
  begun[1]?.resolve();
  await Promise.all(next);
  expect([begun.length, rounds.isOpen]).toEqual([2, false]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("it fails");
    },
  ],
  ["rejects", () => Promise.reject(new Error("it fails"))],
])("repeated work that %s is repeated, and its error is reported", async (_what, work) => {
  const clock = createManualClock(0);
  const errors: string[] = [];
  const repeater = createRepeater({ clock, everyMs: 100, work, onError: (error) => void errors.push(String(error)) });
  repeater.start();
  for (const _ of [1, 2]) {
    clock.advance(100);
    await nextTurn();
  }
  repeater.stop();
  expect(errors).toEqual(["Error: it fails", "Error: it fails"]);
});
