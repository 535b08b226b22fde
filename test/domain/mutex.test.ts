import { expect, test } from "bun:test";
import { Rounds } from "../../src/domain/mutex.ts";
import { nextTurn } from "../support/waiting.ts";

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
