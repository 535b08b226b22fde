import { expect, test } from "bun:test";
import { advanceTogether } from "../../npm/testing.ts";
import { rejectionOf } from "../support/waiting.ts";

test("fake timers and the clock move in the same steps: for a duration, and until a promise settles", async () => {
  const moves: unknown[] = [];
  const timers = { tick: (ms: number) => moves.push(ms) };
  const send = async (_method: string, path: string, body: object) => {
    if (path === "/clock") moves.push(body);
    else throw new Error("the time-out of the wait");
  };
  await advanceTogether(timers, "600ms", send);
  expect(moves.splice(0)).toEqual([{ advance: "500ms" }, 500, { advance: "100ms" }, 100]);

  const order = Promise.withResolvers<string>();
  const shop = { advanceTimersByTime: (ms: number) => moves.push(ms) === 4 && order.resolve("paid") };
  expect(await advanceTogether(shop, order.promise, send)).toBe("paid");
  expect(moves).toHaveLength(4);

  const lost = new Error("lost");
  expect(await rejectionOf(advanceTogether(timers, Promise.reject(lost), send))).toBe(lost);
  expect(await rejectionOf(advanceTogether(timers, "soon", send))).toEqual(
    new Error('advanceWith needs a promise, or a duration such as 5s; it is "soon"'),
  );
});
