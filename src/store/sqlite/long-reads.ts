import type { Database } from "bun:sqlite";
import { clientHasGone, createSearchQueue } from "../search-queue.ts";
import { openForReading } from "./database.ts";

export interface LongReads {
  /**
   * @param read starts a read on its own connection, and yields between its steps
   * @param signal ends it when its client has gone
   */
  readonly run: <T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal) => Promise<T>;
  /** How many run or wait. */
  readonly count: number;
  /** Rejects the reads that have not ended. */
  close(): void;
}

/**
 * Long reads, one after another. Each reads one point in time, in steps; other work runs between the steps. Their connection stays
 * open: a new one would prepare all statements again, and read all pages of the file again.
 * @param file a database that is open already, and stays open
 * @param assertFileInPlace throws if another file is in its place
 */
export function createLongReads(file: string, assertFileInPlace: () => void = () => {}): LongReads {
  const queue = createSearchQueue(1);
  let connection: ReturnType<typeof openForReading> | undefined;
  let isClosed = false;

  function disconnect(): void {
    connection?.close();
    connection = undefined;
  }

  /** A connection to the same file. The path may lead to another file, before it is opened here or while it is. */
  function connect() {
    const opened = openForReading(file);
    try {
      assertFileInPlace();
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  async function readInSteps<T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
    if (isClosed) throw new Error("the store was closed");
    assertFileInPlace();
    connection ??= connect();
    const { client } = connection;
    try {
      // The first step fixes the point in time.
      client.run("BEGIN");
      const reading = read(client);
      let step = reading.next();
      while (!step.done) {
        await nextTurn();
        if (isClosed) throw new Error("the store was closed");
        if (signal?.aborted) throw clientHasGone();
        step = reading.next();
      }
      client.run("COMMIT");
      return step.value;
    } catch (error) {
      // This ends its transaction, too.
      disconnect();
      throw error;
    }
  }

  return {
    run: <T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> =>
      queue.run(() => readInSteps(read, signal), signal),
    get count() {
      return queue.size;
    },
    close(): void {
      isClosed = true;
      disconnect();
    },
  };
}

export const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
