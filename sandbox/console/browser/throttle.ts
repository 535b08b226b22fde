import { after } from "./system.ts";

/**
 * Runs something at once, and then at most once in a while however often it is asked for; never twice at the same time. The
 * last wish is always granted.
 * @param intervalMs from its end to the next time; it may grow with what there is to do
 */
export function throttled(intervalMs: () => number, run: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;

  async function start(): Promise<void> {
    isBusy = true;
    isWanted = false;
    try {
      await run();
    } finally {
      after(intervalMs(), () => {
        isBusy = false;
        if (isWanted) void start();
      });
    }
  }

  return () => {
    isWanted = true;
    if (!isBusy) void start();
  };
}
