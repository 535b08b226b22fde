import { expect, test } from "bun:test";
import { Alarm } from "../../src/domain/clock.ts";
import { createManualClock } from "../support/manual-clock.ts";

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
