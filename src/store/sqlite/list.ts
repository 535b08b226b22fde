import type { Database } from "bun:sqlite";
import type { RequestIds } from "../../domain/identifiers.ts";
import { once } from "../../domain/once.ts";
import type { TransactionList } from "../store.ts";
import type { ListReader } from "./list-reader.ts";
import type { LongReads, SteppedReads } from "./long-reads.ts";

export function createTransactionList(
  read: SteppedReads,
  longReads: LongReads,
  requestIds: RequestIds,
): TransactionList {
  // Loaded with the first list: that takes 5 ms, and momo exec of a command that reads no list takes 60 ms with it.
  const reader = once(() => import("./list-reader.ts"));
  const readers = new WeakMap<Database, ListReader>();
  return {
    async list(merchantId, filter, page, signal) {
      const { ListReader } = await reader();
      const readerOf = (client: Database): ListReader => {
        const own = readers.get(client) ?? new ListReader(client, requestIds);
        readers.set(client, own);
        return own;
      };
      return read((client) => readerOf(client).read(merchantId, filter, page), signal);
    },

    async *readAll(merchantId, filter) {
      const { ListReader } = await reader();
      yield* longReads.stream((client) => new ListReader(client, requestIds).readParts(merchantId, filter));
    },
  };
}
