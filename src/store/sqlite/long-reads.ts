import type { Database } from "bun:sqlite";
import { clientHasGone, createSearchQueue, type ReadQueue } from "../read-queue.ts";
import { type OpenDatabase, openForReading } from "./database.ts";

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
    this.#open.add(opened);
    try {
      this.#assertFileInPlace();
      return opened;
    } catch (error) {
      this.#disconnect(opened);
      throw error;
    }
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
