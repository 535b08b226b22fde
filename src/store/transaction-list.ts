import type { Database } from "bun:sqlite";
import { drizzle as connect } from "drizzle-orm/bun-sqlite";
import type { Page, Summary, TransactionFilter } from "../domain/filter.ts";
import type { Transaction } from "../domain/transaction.ts";
import { onFirstUse } from "./on-first-use.ts";
import { createTotals } from "./totals.ts";
import { createTransactionPages } from "./transaction-pages.ts";
import { createTransactionSearch } from "./transaction-search.ts";

/** What builds the statements of the list. */
export type Drizzle = ReturnType<typeof connect>;

export type TransactionList = ReturnType<typeof createTransactionList>;

/** The list of a merchant's transactions (§4.3). */
export function createTransactionList(client: Database) {
  const drizzle = connect({ client });
  const totals = createTotals(drizzle);
  const pages = createTransactionPages(drizzle);
  const searches = onFirstUse(() => createTransactionSearch(drizzle));

  function read(merchantId: number, filter: TransactionFilter, page: Page): { rows: Transaction[]; summary: Summary } {
    if (filter.search !== undefined || filter.id !== undefined) {
      return searches().search(merchantId, filter, page);
    }
    const start = totals.locate(merchantId, filter, page);
    return {
      rows: start ? pages.read(merchantId, start.span, start.skip, page.limit) : [],
      summary: totals.summarize(merchantId, filter),
    };
  }

  // The rows and the counts are of one point in time, whatever another process writes meanwhile.
  const readAtOnce = client.transaction(read);

  return {
    /** One page of what the filter selects, newest first, and the counts over all of it. Past the end there are no rows. */
    async list(
      merchantId: number,
      filter: TransactionFilter,
      page: Page,
    ): Promise<{ rows: Transaction[]; summary: Summary }> {
      return readAtOnce.deferred(merchantId, filter, page);
    },
  };
}
