import type { Clock } from "../../src/domain/clock.ts";

/** Resolves when others have had their turn. */
export function nextTurn(realClock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  realClock.alarm(realClock.nowMs(), resolve);
  return promise;
}
