import type { Database } from "bun:sqlite";
import type { RequestIds } from "../../domain/identifiers.ts";
import { onFirstUse } from "../../domain/on-first-use.ts";
import type { TransactionList } from "../store.ts";
import type { ListReader } from "./list-reader.ts";
import type { LongReads } from "./long-reads.ts";
import type { Snapshot } from "./snapshot.ts";

/** So many steps of a read are taken at once, half a millisecond each; what takes more is begun anew as a long read. */
const STEPS_AT_ONCE = 8;

export function createTransactionList(
  client: Database,
  snapshot: Snapshot,
  longReads: LongReads,
  requestIds: () => RequestIds,
): TransactionList {
  // With drizzle, which nothing else needs: it takes 2 ms to load, and a server is ready sooner without.
  const readers = onFirstUse(async () => {
    const { createListReader } = await import("./list-reader.ts");
    return { here: createListReader(client, requestIds()), createListReader };
  });
  return {
    async list(...asked: Parameters<ListReader["read"]>) {
      const { here, createListReader } = await readers();
      snapshot.enter();
      const reading = here.read(...asked);
      for (let step = 0; step <= STEPS_AT_ONCE; step += 1) {
        const { done, value } = reading.next();
        if (done) return value;
        if (value === "long") break;
      }
      return longReads.run((other) => createListReader(other, requestIds()).read(...asked));
    },
  };
}
