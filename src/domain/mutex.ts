/** Runs one piece of work after another. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run<T>(work: () => Promise<T>): Promise<T> {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
    whenIdle: async (): Promise<void> => void (await last),
  };
}

export interface Mutex {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all work has ended that was given so far. */
  readonly whenIdle: () => Promise<void>;
}

/**
 * Rounds of the same work, one after another. Requests during a round share the next one, because the current round may have read its
 * input already.
 */
export class Rounds {
  readonly #mutex = createMutex();
  readonly #work: () => Promise<void>;
  #next: Promise<void> | null = null;
  #open = 0;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Whether a round was requested that has not ended. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** Whether a round was requested that has not begun. */
  get isRequested(): boolean {
    return this.#next !== null;
  }

  /** @returns the end of the next round; rejects with its error */
  request(): Promise<void> {
    if (this.#next) return this.#next;
    this.#open += 1;
    this.#next = this.#mutex.run(async () => {
      this.#next = null;
      try {
        await this.#work();
      } finally {
        this.#open -= 1;
      }
    });
    return this.#next;
  }

  /** Runs other work between two rounds. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }

  /** Resolves when all requested rounds have ended. */
  whenIdle(): Promise<void> {
    return this.#mutex.whenIdle();
  }
}
