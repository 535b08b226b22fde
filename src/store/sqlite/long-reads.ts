import type { Database } from "bun:sqlite";
import { clientHasGone, createSearchQueue, type ReadQueue } from "../read-queue.ts";
import { type OpenDatabase, openForReading } from "./database.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";

/** Reads in steps, so that other work runs between them. */

/** How long a read waits for its turn: clients of the API do not wait much longer. */
const WAIT_MS = 10_000;

/** Long reads, each at one point in time, in steps. Other work runs between the steps. */
export class LongReads {
  readonly #file: string;
  readonly #assertFileInPlace: () => void;
  readonly #queue: ReadQueue;
  readonly #open = new Set<OpenDatabase>();
  /** That of {@link run}. A new one would prepare all statements again, and read all pages of the file again. */
  #kept: OpenDatabase | null = null;
  #isClosed = false;

  /** @param file a database that is open already, and stays open */
  constructor(file: string, stopwatch: () => number, assertFileInPlace: () => void = () => {}) {
    this.#file = file;
    this.#queue = createSearchQueue({ lanes: 1, waitMs: WAIT_MS, stopwatch });
    this.#assertFileInPlace = assertFileInPlace;
  }

  /** Runs a read, which yields between its steps, after those before it. The signal ends it when its client has gone. */
  run<T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
    return this.#queue.run(() => this.#readInSteps(read, signal), signal);
  }

  /** How many of these reads run or wait. */
  get count(): number {
    return this.#queue.size;
  }

  /** A read whose parts the caller takes one by one. It has a connection of its own, which the end of the generator closes. */
  async *stream<T>(read: (client: Database) => Generator<T>): AsyncGenerator<T> {
    const own = this.#connect();
    try {
      own.client.run("BEGIN");
      for (const part of read(own.client)) {
        yield part;
        await nextTurn();
        this.#requireOpen();
      }
    } finally {
      this.#disconnect(own);
    }
  }

  /** Reads that have not ended reject at their next step. */
  close(): void {
    this.#isClosed = true;
    for (const one of this.#open) this.#disconnect(one);
  }

  async #readInSteps<T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
    this.#requireOpen();
    this.#assertFileInPlace();
    this.#kept ??= this.#connect();
    const kept = this.#kept;
    try {
      // The first step fixes the point in time.
      kept.client.run("BEGIN");
      const reading = read(kept.client);
      let step = reading.next();
      while (!step.done) {
        await nextTurn();
        this.#requireOpen();
        if (signal?.aborted) throw clientHasGone();
        step = reading.next();
      }
      kept.client.run("COMMIT");
      return step.value;
    } catch (error) {
      // This ends its transaction, too.
      this.#disconnect(kept);
      this.#kept = null;
      throw error;
    }
  }

  /** A connection to the same file. The path may lead to another file, before it is opened here or while it is. */
  #connect(): OpenDatabase {
    this.#requireOpen();
    const opened = openForReading(this.#file);
    try {
      this.#assertFileInPlace();
    } catch (error) {
      opened.close();
      throw error;
    }
    this.#open.add(opened);
    return opened;
  }

  #disconnect(one: OpenDatabase): void {
    if (this.#open.delete(one)) one.close();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error("the store was closed");
  }
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

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
