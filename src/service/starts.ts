import { atMost, type Clock } from "../domain/clock.ts";
import { Refusal } from "../domain/error.ts";
import { createMutex } from "../domain/mutex.ts";

/**
 * The payments that are being started. The list has the order of their numbers, so the numbers must rise with time, also when a
 * reset or a restore sets the clock back: each payment gets its number and is stored either before it or after it.
 */
export function createStarts(realClock: Clock) {
  const mutex = createMutex();
  let paused: Promise<unknown> | null = null;
  let [unstored, pauses] = [0, 0];
  let whenNone = () => {};

  return {
    /** @param start calls its argument immediately before it stores the payment */
    async run<T>(start: (requireUnchanged: () => void) => Promise<T>): Promise<T> {
      while (paused) await paused;
      const before = pauses;
      let isCounted = true;
      const leave = () => {
        if (isCounted) unstored -= 1;
        isCounted = false;
        if (unstored === 0) whenNone();
      };
      unstored += 1;
      try {
        return await start(() => {
          if (pauses !== before) throw new Refusal("unavailable", LATE);
          leave();
        });
      } finally {
        leave();
      }
    },

    /**
     * Runs `work` while no payment is being started. It waits for one turn of the event loop, in which the simulated network accepts
     * a prompt. A payment whose network takes longer is refused.
     */
    async pause<T>(work: () => Promise<T>): Promise<T> {
      const working = mutex.run(async () => {
        const none = new Promise<void>((resolve) => {
          whenNone = resolve;
        });
        if (unstored > 0) await atMost(realClock, 0, none);
        pauses += 1;
        return work();
      });
      const pause = working.catch(() => {});
      paused = pause;
      try {
        return await working;
      } finally {
        if (paused === pause) paused = null;
      }
    },
  };
}

const LATE =
  "the sandbox was reset, or a snapshot restored, before the network accepted the prompt: nothing is stored, start the payment again";
