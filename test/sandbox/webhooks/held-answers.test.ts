import { expect, test } from "bun:test";
import { createHeldAnswers, MAX_HELD, MAX_HELD_MS } from "../../../sandbox/webhooks/webhooks.ts";
import { createManualClock } from "../../support/manual-clock.ts";

test("pushes that wait for an early webhook: 5 s at most; one too many does not wait", async () => {
  const clock = createManualClock(0);
  const heldAnswers = createHeldAnswers(clock);
  const held = Array.from({ length: MAX_HELD }, (_, index) => heldAnswers.waitFor(`ws_CO_${index}`));
  expect(held).not.toContain(null);
  expect(heldAnswers.waitFor("ws_CO_late")).toBeNull();
  heldAnswers.release("ws_CO_7");
  await held[7];
  expect(clock.alarmsAtMs).toHaveLength(MAX_HELD - 1);
  clock.advance(MAX_HELD_MS);
  for (const one of held) await one;
  expect(clock.alarmsAtMs).toEqual([]);
  const next = heldAnswers.waitFor("ws_CO_next");
  expect(next).not.toBeNull();
  heldAnswers.releaseAll();
  await next;
});
