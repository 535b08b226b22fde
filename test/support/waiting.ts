/**
 * How long tests wait. Only a failing test waits so long, so the values are generous: a busy machine must not fail a test.
 */

/** For a whole test; longer than PATIENCE_MS, so that a test can say what it waited for. */
export const TEST_TIMEOUT_MS = 400_000;

/** For a text, an answer, or the end of a process. */
export const PATIENCE_MS = 120_000;

/** For a program that runs to its end: one of others may compile its library first. */
export const RUN_MS = 300_000;

/** Extra time for a busy machine, on top of a documented duration. */
export const SLACK_MS = 5000;

/** How long {@link until} waits between two looks: a tenth of the time so far, so that a long wait takes little of the processor. */
const LOOK_MS = { least: 5, most: 50 };

/** Polls a state that has no event: until a condition holds, or until what is read is enough. */
export async function until<T>(
  read: () => T | Promise<T>,
  isEnough: (found: Awaited<T>) => boolean = Boolean,
): Promise<Awaited<T>> {
  const startedMs = performance.now();
  for (;;) {
    const found = await read();
    if (isEnough(found)) return found;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > PATIENCE_MS) throw new Error(`it took too long: ${read}; the last state: ${JSON.stringify(found)}`);
    await Bun.sleep(Math.min(Math.max(LOOK_MS.least, waitedMs / 10), LOOK_MS.most));
  }
}

/** What `work` gives; after PATIENCE_MS an error that says what did not come. */
export async function inTime<T>(work: Promise<T>, late: () => string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late())), PATIENCE_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** The reason with which a promise is rejected; null if it is not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return null;
  } catch (error) {
    return error;
  }
}

/** Resolves in the next turn of the event loop, after all work at the end of this turn. */
export const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(() => resolve());
  });

/** Lets turns of the event loop pass, for work that needs a few and no time. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** How many turns of the event loop pass before `work` is done. */
export async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}
