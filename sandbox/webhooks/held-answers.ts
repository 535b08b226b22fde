import type { Clock } from "../../src/domain/clock.ts";

/** Pushes whose answer waits for the webhook of their payment. */
export interface HeldAnswers {
  /** Resolves after the first attempt, or after {@link MAX_HELD_MS} at the latest; null if too many wait. */
  waitFor(checkoutRequestId: string): Promise<void> | null;
  release(checkoutRequestId: string): void;
  releaseAll(): void;
}

/** How long an answer is held back, in real time. */
export const MAX_HELD_MS = 5000;

export const MAX_HELD = 1000;

export function createHeldAnswers(realClock: Clock): HeldAnswers {
  const held = new Map<string, () => void>();
  return {
    waitFor(checkoutRequestId) {
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
    release: (checkoutRequestId) => held.get(checkoutRequestId)?.(),
    releaseAll() {
      for (const release of [...held.values()]) release();
    },
  };
}
