import { after } from "./system.ts";

/**
 * Runs a function at once, and then at most once per interval, never twice at the same time. After the last call it always runs
 * once more.
 * @param intervalMs from the end of a run to the next one; it may grow with the amount of work
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
