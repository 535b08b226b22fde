import { Refusal } from "../domain/error.ts";

/** How many searches can wait. With each taking seconds, more clients would only give up. */
const MOST_WAITING = 50;

/** Nobody reads this answer. */
export const clientHasGone = (): Refusal => new Refusal("unavailable", "the client has gone");

/**
 * Runs long searches, a few at a time. A search whose client has gone leaves the queue.
 * @param lanes how many run at once
 */
export function createSearchQueue(lanes: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Resolves when a search that ends leaves its lane to this one. */
  function turn(signal: AbortSignal | undefined): Promise<void> {
    if (waiting.length >= MOST_WAITING) {
      throw new Refusal(
        "unavailable",
        `${MOST_WAITING} long searches wait already: search for more of the text, or later`,
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const leave = () => {
      const place = waiting.indexOf(resolve);
      if (place >= 0) waiting.splice(place, 1);
      reject(clientHasGone());
    };
    signal?.addEventListener("abort", leave);
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  return {
    /** @throws Refusal `unavailable` if too many wait, or the client has gone */
    async run<T>(search: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (signal?.aborted) throw clientHasGone();
      if (running < lanes) running += 1;
      else await turn(signal);
      try {
        return await search();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
    /** How many searches wait or run. */
    get size() {
      return waiting.length + running;
    },
  };
}
