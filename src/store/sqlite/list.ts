import type { Database } from "bun:sqlite";
import { once } from "../../domain/once.ts";
import type { TransactionList } from "../store.ts";
import type { LongReads } from "./long-reads.ts";
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
  // Loaded with the first list: that takes 5 ms, and momo exec of a command that reads no list takes 60 ms with it.
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
