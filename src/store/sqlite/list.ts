import type { Database } from "bun:sqlite";
import { once } from "../../domain/once.ts";
import { clientHasGone, createSearchQueue } from "../list-query.ts";
import type { TransactionList } from "../store.ts";
import { openForReading } from "./database.ts";
import type { Numbering } from "./numbering.ts";
import type { TurnReads } from "./turn-reads.ts";

/** How many steps of half a millisecond run without a pause. A read that needs more starts again as a long read. */
const STEPS_AT_ONCE = 8;

export function createTransactionList(
  client: Database,
  turnReads: TurnReads,
  longReads: LongReads,
  numbering: Numbering,
): TransactionList {
  // Loaded with the first list, because the reader and drizzle take 1.5 ms to load: a server starts faster without them.
  const readers = once(async () => {
    const { ListReader, LOOKED_UP_AT_ONCE } = await import("./list-reader.ts");
    return { here: new ListReader(client, numbering), ListReader, LOOKED_UP_AT_ONCE };
  });

  return {
    async list(merchantId, filter, page, signal) {
      const asked = [merchantId, filter, page] as const;
      const { here, ListReader, LOOKED_UP_AT_ONCE } = await readers();
      turnReads.enter();
      // A search that finds more would delay other requests.
      const reading = here.read(...asked, LOOKED_UP_AT_ONCE);
      for (let step = 0; step < STEPS_AT_ONCE; step += 1) {
        const { done, value } = reading.next();
        if (done) return value;
        if (value === "long") break;
      }
      return longReads.run((other) => new ListReader(other, numbering).read(...asked), signal);
    },
  };
}

export type LongReads = ReturnType<typeof createLongReads>;

/**
 * Long reads, one after another. Each reads one point in time, in steps; other work runs between the steps.
 * @param file a database that is open already, and stays open
 * @param demandFile throws if another file is in its place
 */
export function createLongReads(file: string, demandFile: () => void = () => {}) {
  const queue = createSearchQueue(1);
  let connection: ReturnType<typeof openForReading> | undefined;
  let isClosed = false;

  function disconnect(): void {
    connection?.close();
    connection = undefined;
  }

  /** A connection to the same file. The path may lead to another file, before it is opened here or while it is. */
  function connect() {
    demandFile();
    const opened = openForReading(file);
    try {
      demandFile();
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  async function readInSteps<T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
    if (isClosed) throw new Error("the store was closed");
    connection ??= connect();
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
    /**
     * @param read starts a read on its own connection, and yields between its steps
     * @param signal ends it when its client has gone
     */
    run: <T>(read: (client: Database) => Generator<unknown, T>, signal?: AbortSignal): Promise<T> =>
      queue.run(() => readInSteps(read, signal), signal),
    /** How many run or wait. */
    get count() {
      return queue.size;
    },
    /** Rejects the reads that have not ended. */
    close(): void {
      isClosed = true;
      disconnect();
    },
  };
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
