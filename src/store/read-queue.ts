import { Refusal } from "../domain/error.ts";

interface QueueOptions {
  /** How many reads run at once. */
  readonly lanes: number;
  /** How many can wait. With each taking seconds, more clients would only give up. */
  readonly mostWaiting: number;
  /** How long one waits. It is refused when the next read ends. */
  readonly waitMs: number;
  /** Milliseconds that never go back. */
  readonly stopwatch: () => number;
  /** What a client that is refused can do. */
  readonly advice: string;
}

interface Turn extends PromiseWithResolvers<void> {
  readonly sinceMs: number;
}

/** Nobody reads this answer. */
export const clientHasGone = (): Refusal => new Refusal("unavailable", "the client has gone");

/** Runs long reads, a few at a time. */
export class ReadQueue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<Turn>();
  #running = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** How many reads wait or run. */
  get size(): number {
    return this.#waiting.size + this.#running;
  }

  /**
   * @param signal aborted when the client has gone: then the read leaves the queue
   * @throws Refusal `unavailable` if too many wait, if it waits too long, or if the client has gone
   */
  async run<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw clientHasGone();
    if (this.#running < this.#options.lanes) this.#running += 1;
    else await this.#takeTurn(signal);
    try {
      return await read();
    } finally {
      this.#leaveLane();
    }
  }

  /** Resolves when a read that ends leaves its lane to this one. */
  async #takeTurn(signal?: AbortSignal): Promise<void> {
    const { mostWaiting, stopwatch } = this.#options;
    if (this.#waiting.size >= mostWaiting) throw this.#refusal(`${mostWaiting} others wait already`);
    const turn = { sinceMs: stopwatch(), ...Promise.withResolvers<void>() };
    this.#waiting.add(turn);
    const leave = () => {
      this.#waiting.delete(turn);
      turn.reject(clientHasGone());
    };
    signal?.addEventListener("abort", leave);
    await turn.promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  #leaveLane(): void {
    const { waitMs, stopwatch } = this.#options;
    for (const turn of this.#waiting) {
      this.#waiting.delete(turn);
      if (stopwatch() - turn.sinceMs <= waitMs) {
        turn.resolve();
        return;
      }
      turn.reject(this.#refusal(`others took ${waitMs / 1000} s`));
    }
    this.#running -= 1;
  }

  #refusal(reason: string): Refusal {
    return new Refusal("unavailable", `${reason}: ${this.#options.advice}`);
  }
}

/** The queue of reads that look at many payments, such as searches. */
export const createSearchQueue = (options: Pick<QueueOptions, "lanes" | "waitMs" | "stopwatch">): ReadQueue =>
  new ReadQueue({ ...options, mostWaiting: 50, advice: "choose fewer days, or more of the text, or try later" });
