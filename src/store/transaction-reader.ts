import type { Database } from "bun:sqlite";
import { drizzle as connect } from "drizzle-orm/bun-sqlite";
import type { Page, Summary, TransactionFilter } from "../domain/filter.ts";
import type { Transaction } from "../domain/transaction.ts";
import { onFirstUse } from "./on-first-use.ts";
import { createTotals } from "./totals.ts";
import { createTransactionPages } from "./transaction-pages.ts";
import { createTransactionSearch, type Way } from "./transaction-search.ts";

/** What builds the statements of the list. */
export type Drizzle = ReturnType<typeof connect>;

/** One page of the list and the counts over all that the filter selects. */
export interface ListedPage {
  readonly rows: Transaction[];
  readonly summary: Summary;
}

export type TransactionReader = ReturnType<typeof createTransactionReader>;

/** So many rows are read in a few milliseconds. */
export const FEW_ROWS = 2000;

/** To look a row up that an index names takes about as long as to walk over so many that lie together. */
const LOOKUP_COSTS = 5;

/** Reads the list of a merchant's transactions, by the way that costs least. Nothing else happens in the thread meanwhile. */
export function createTransactionReader(client: Database) {
  const drizzle = connect({ client });
  const totals = createTotals(drizzle);
  const pages = createTransactionPages(drizzle);
  const searches = onFirstUse(() => createTransactionSearch(drizzle));

  function read(merchantId: number, filter: TransactionFilter, page: Page): ListedPage {
    const { search, id, ...rest } = filter;
    const findsAll = search === undefined || searches().findsAll(merchantId, search);
    if (id !== undefined || !findsAll) return searches().read(merchantId, filter, page, wayOf(merchantId, filter));
    const start = totals.locate(merchantId, rest, page);
    return {
      rows: start ? pages.read(merchantId, start.span, start.skip, page.limit) : [],
      summary: totals.summarize(merchantId, rest),
    };
  }

  function wayOf(merchantId: number, filter: TransactionFilter): Way {
    const { search, id } = filter;
    if (search === undefined || id !== undefined) return "walk"; // to the one row that has the id
    if (!findsMany(merchantId, search, FEW_ROWS)) return "lookup";
    return findsMany(merchantId, search, rowsWalked(merchantId, filter) / LOOKUP_COSTS) ? "walk" : "lookup";
  }

  /** A walk goes through days; of each row that it comes by, it asks the rest of the filter. */
  function rowsWalked(merchantId: number, { fromDay, toDay }: TransactionFilter): number {
    const days = { ...(fromDay !== undefined && { fromDay }), ...(toDay !== undefined && { toDay }) };
    return totals.summarize(merchantId, days).totalItems;
  }

  function findsMany(merchantId: number, search: string, rows: number): boolean {
    return searches().count(merchantId, search, Math.floor(rows) + 1) > rows;
  }

  // The rows and the counts are of one point in time, whatever another connection writes meanwhile.
  const readAtOnce = client.transaction(read);

  return {
    /** One page of what the filter selects, newest first, and the counts over all of it. Past the end there are no rows. */
    read(merchantId: number, filter: TransactionFilter, page: Page): ListedPage {
      return readAtOnce.deferred(merchantId, filter, page);
    },

    /** Whether more than {@link FEW_ROWS} would be read, looked up or walked. */
    isLong(merchantId: number, filter: TransactionFilter): boolean {
      const { search, id } = filter;
      return (
        search !== undefined &&
        id === undefined &&
        findsMany(merchantId, search, FEW_ROWS) &&
        !searches().findsAll(merchantId, search) &&
        rowsWalked(merchantId, filter) > FEW_ROWS
      );
    },
  };
}
