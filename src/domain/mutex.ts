/** Runs one piece of work after another. */
export function createMutex() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run<T>(work: () => Promise<T>): Promise<T> {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
    /** Resolves when all work has ended that was given so far. */
    whenIdle: async (): Promise<void> => void (await last),
  };
}

export type Mutex = ReturnType<typeof createMutex>;
