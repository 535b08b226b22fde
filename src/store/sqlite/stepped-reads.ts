import type { Database } from "bun:sqlite";
import type { LongReads } from "./long-reads.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";

/** How many steps run without a pause. A read that needs more starts again as a long read. */
const STEPS_AT_ONCE = 2;

/** Where a read can be interrupted; `long` if the rest takes many steps. */
export type Pause = "long" | undefined;

/** Runs a read at one point in time. It yields between its steps. The signal ends a long one when its client has gone. */
export type SteppedReads = <T>(start: (client: Database) => Generator<Pause, T>, signal?: AbortSignal) => Promise<T>;

/** Reads that mostly need a step or two, and may need many. */
export function createSteppedReads(client: Database, readSnapshot: ReadSnapshot, longReads: LongReads): SteppedReads {
  return async (start, signal) => {
    readSnapshot.open();
    const reading = start(client);
    for (let step = 0; step < STEPS_AT_ONCE; step += 1) {
      const { done, value } = reading.next();
      if (done) return value;
      if (value === "long") break;
    }
    return longReads.run(start, signal);
  };
}
