import { expect, test } from "bun:test";
import { createStarts } from "../../src/service/starts.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { rejectionOf } from "../support/waiting.ts";

test("a reset does not wait for a slow network: then its payment is refused, and the next ones start after the reset", async () => {
  const starts = createStarts(createManualClock(0));
  const network = Promise.withResolvers<void>();
  const events: string[] = [];
  const late = starts.run(async (requireUnchanged) => {
    await network.promise;
    requireUnchanged();
    events.push("stored");
  });
  const reset = starts.pause(async () => void events.push("reset"));
  const next = starts.run(async (requireUnchanged) => {
    requireUnchanged();
    events.push("next");
  });
  await Promise.all([reset, next]);
  network.resolve();
  expect(await rejectionOf(late)).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("nothing is stored"),
  });
  expect(events).toEqual(["reset", "next"]);
});

test("a reset that fails lets payments start again", async () => {
  const starts = createStarts(createManualClock(0));
  const failed = starts.pause(() => Promise.reject(new Error("the disk is full")));
  const next = starts.run(async () => "started");
  expect(String(await rejectionOf(failed))).toBe("Error: the disk is full");
  expect(await next).toBe("started");
});
