import type { Database } from "bun:sqlite";
import type { Page, TransactionFilter } from "../../domain/filter.ts";
import type { SearchThread } from "./search-thread.ts";
import { createTransactionReader, type ListedPage } from "./transaction-reader.ts";

export type TransactionList = ReturnType<typeof createTransactionList>;

/** The list of a merchant's transactions (§4.3). What takes long is read in a thread of its own, so that no payment waits for it. */
export function createTransactionList(client: Database, thread: Pick<SearchThread, "read">) {
  const here = createTransactionReader(client);

  return {
    /** One page of what the filter selects, newest first, and the counts over all of it. Past the end there are no rows. */
    async list(merchantId: number, filter: TransactionFilter, page: Page): Promise<ListedPage> {
      const reader = here.isLong(merchantId, filter, page) ? thread : here;
      return reader.read(merchantId, filter, page);
    },
  };
}
