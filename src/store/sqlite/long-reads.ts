import type { Database } from "bun:sqlite";
import { openForReading } from "./database.ts";

/** Reads that take long, one after the other: each at one point in time, and in steps, between which all else has its turn. */
export interface LongReads {
  /** @param read begins a read on a connection of its own; it yields between its steps */
  run<T>(read: (client: Database) => Generator<unknown, T>): Promise<T>;
  /** Rejects what is under way. */
  close(): void;
}

/** @param file of a database that is open already, and stays so */
export function createLongReads(file: string): LongReads {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let connection: ReturnType<typeof openForReading> | undefined;
  let isClosed = false;

  function disconnect(): void {
    connection?.close();
    connection = undefined;
  }

  async function readInSteps<T>(read: (client: Database) => Generator<unknown, T>): Promise<T> {
    if (isClosed) throw new Error("the store was closed");
    connection ??= openForReading(file);
    const { client } = connection;
    // Its first step chooses the point in time.
    client.run("BEGIN");
    try {
      const reading = read(client);
      for (let step = reading.next(); ; step = reading.next()) {
        if (step.done) return step.value;
        await nextTurn();
        if (isClosed) throw new Error("the store was closed");
      }
    } finally {
      if (!isClosed) client.run("COMMIT");
    }
  }

  return {
    run(read) {
      waiting += 1;
      const answer = last
        .then(() => readInSteps(read))
        .finally(() => {
          waiting -= 1;
          if (waiting === 0) disconnect();
        });
      last = answer.catch(() => {});
      return answer;
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
