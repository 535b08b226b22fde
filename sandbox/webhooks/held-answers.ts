import type { Clock } from "../../src/domain/clock.ts";

export type HeldAnswers = ReturnType<typeof createHeldAnswers>;

/** How long an answer can wait, in real time. */
export const MAX_HELD_MS = 5000;

export const MAX_HELD = 1000;

/** Pushes whose answer waits for the webhook of their payment. */
export function createHeldAnswers(realClock: Clock) {
  const held = new Map<string, () => void>();
  return {
    /** Resolves after the first attempt, or after {@link MAX_HELD_MS} at the latest; null if too many wait. */
    waitFor(checkoutRequestId: string): Promise<void> | null {
      if (held.size >= MAX_HELD) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      const release = () => {
        cancelAlarm();
        held.delete(checkoutRequestId);
        resolve();
      };
      const cancelAlarm = realClock.alarm(realClock.nowMs() + MAX_HELD_MS, release);
      held.set(checkoutRequestId, release);
      return promise;
    },
    release: (checkoutRequestId: string) => held.get(checkoutRequestId)?.(),
    releaseAll(): void {
      for (const release of [...held.values()]) release();
    },
  };
}
