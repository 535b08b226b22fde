import type { Database } from "bun:sqlite";
import { clientHasGone, createSearchQueue } from "../search-queue.ts";
import { openForReading } from "./database.ts";

/** Long reads, one after another. Each reads one point in time, in steps; other work runs between the steps. */
export interface LongReads {
  /**
   * @param read starts a read on its own connection, and yields between its steps
   * @param signal ends it when its client has gone
   */
  run<T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T>;
  /** How many run or wait. */
  readonly count: number;
  /** Rejects the reads that have not ended. */
  close(): void;
}

/** @param file a database that is open already, and stays open */
export function createLongReads(file: string): LongReads {
  const queue = createSearchQueue(1);
  let connection: ReturnType<typeof openForReading> | undefined;
  let isClosed = false;

  function disconnect(): void {
    connection?.close();
    connection = undefined;
  }

  async function readInSteps<T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
    if (isClosed) throw new Error("the store was closed");
    connection ??= openForReading(file);
    const { client } = connection;
    // The first step fixes the point in time.
    client.run("BEGIN");
    try {
      const reading = read(client);
      for (let step = reading.next(); ; step = reading.next()) {
        if (step.done) return step.value;
        await nextTurn();
        if (isClosed) throw new Error("the store was closed");
        if (signal?.aborted) throw clientHasGone();
      }
    } finally {
      if (!isClosed) client.run("COMMIT");
      if (queue.size === 1) disconnect();
    }
  }

  return {
    run: (read, signal) => queue.run(() => readInSteps(read, signal), signal),
    get count() {
      return queue.size;
    },
    close() {
      isClosed = true;
      disconnect();
    },
  };
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
