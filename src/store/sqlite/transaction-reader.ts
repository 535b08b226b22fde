import type { Database } from "bun:sqlite";
import { drizzle as connect } from "drizzle-orm/bun-sqlite";
import type { Page, Summary, TransactionFilter } from "../../domain/filter.ts";
import { parsePhonePrefix } from "../../domain/phone.ts";
import type { Transaction } from "../../domain/transaction.ts";
import { onFirstUse } from "./on-first-use.ts";
import { createPhoneTotals, KEPT_DIGITS } from "./phone-totals.ts";
import { createTotals } from "./totals.ts";
import { createTransactionPages } from "./transaction-pages.ts";
import { createTransactionSearch, type Lookup, type Slice, type Way } from "./transaction-search.ts";
import { offsetOf } from "./transactions.ts";

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

/** A walk is taken to go by at least this part of all rows: what is searched for may not be spread evenly. */
const LEAST_WALK = 1 / 20;

/** Reads the list of a merchant's transactions, by the way that costs least. Nothing else happens in the thread meanwhile. */
export function createTransactionReader(client: Database) {
  const drizzle = connect({ client });
  const totals = createTotals(drizzle);
  const phones = createPhoneTotals(drizzle);
  const pages = createTransactionPages(drizzle);
  const searches = onFirstUse(() => createTransactionSearch(drizzle));

  function read(merchantId: number, filter: TransactionFilter, page: Page): ListedPage {
    const { search, id, ...rest } = filter;
    const findsAll = search === undefined || searches().findsAll(merchantId, search);
    if (id !== undefined || !findsAll) return readFound(merchantId, filter, page);
    const start = totals.locate(merchantId, rest, page);
    return {
      rows: start ? pages.read(merchantId, start.span, start.skip, page.limit) : [],
      summary: totals.summarize(merchantId, rest),
    };
  }

  /** The counts come first: they tell from which end a page is nearer, and how far a walk to it goes. */
  function readFound(merchantId: number, filter: TransactionFilter, page: Page): ListedPage {
    const summary = summarizeFound(merchantId, filter);
    const slice = sliceOf(page, summary.totalItems);
    if (slice.limit <= 0) return { rows: [], summary };
    const share = (slice.skip + slice.limit) / summary.totalItems;
    const way = wayOf(merchantId, filter, "lookup", Math.max(share, LEAST_WALK));
    return { rows: searches().read(merchantId, filter, slice, way), summary };
  }

  /** A broad range of phones is counted already; what the same text finds in other columns is mostly nothing. */
  function summarizeFound(merchantId: number, filter: TransactionFilter): Summary {
    const prefix = phonesAskedFor(filter);
    if (prefix !== null) {
      const beside = wayOf(merchantId, filter, "lookup beside phones");
      if (beside !== "walk") {
        const { totalItems } = totals.summarize(merchantId, {});
        const counted = phones.summarize(merchantId, prefix, filter.status, totalItems);
        return add(counted, searches().summarize(merchantId, filter, beside));
      }
    }
    return searches().summarize(merchantId, filter, wayOf(merchantId, filter, "lookup"));
  }

  /** @param share which part of all rows a walk would go by */
  function wayOf(merchantId: number, filter: TransactionFilter, lookup: Lookup, share = 1): Way {
    const { search, id } = filter;
    if (search === undefined || id !== undefined) return "walk"; // to the one row that has the id
    if (!findsMany(merchantId, search, lookup, FEW_ROWS)) return lookup;
    const dear = (rowsWalked(merchantId, filter) * share) / LOOKUP_COSTS;
    return findsMany(merchantId, search, lookup, dear) ? "walk" : lookup;
  }

  /** A walk goes through days; of each row that it comes by, it asks the rest of the filter. */
  function rowsWalked(merchantId: number, { fromDay, toDay }: TransactionFilter): number {
    const days = { ...(fromDay !== undefined && { fromDay }), ...(toDay !== undefined && { toDay }) };
    return totals.summarize(merchantId, days).totalItems;
  }

  function findsMany(merchantId: number, search: string, lookup: Lookup, rows: number): boolean {
    return searches().count(merchantId, search, lookup, Math.floor(rows) + 1) > rows;
  }

  /** Whether a page begins after many rows of its day. */
  function isDeep(merchantId: number, filter: TransactionFilter, page: Page): boolean {
    return offsetOf(page) > FEW_ROWS && (totals.locate(merchantId, filter, page)?.skip ?? 0) > FEW_ROWS;
  }

  // The rows and the counts are of one point in time, whatever another connection writes meanwhile.
  const readAtOnce = client.transaction(read);

  return {
    /** One page of what the filter selects, newest first, and the counts over all of it. Past the end there are no rows. */
    read(merchantId: number, filter: TransactionFilter, page: Page): ListedPage {
      return readAtOnce.deferred(merchantId, filter, page);
    },

    /** Whether more than {@link FEW_ROWS} would be read, looked up, walked or passed over. */
    isLong(merchantId: number, filter: TransactionFilter, page: Page): boolean {
      const { search, id, ...rest } = filter;
      if (id !== undefined) return false;
      if (search === undefined) return isDeep(merchantId, rest, page);
      return (
        findsMany(merchantId, search, "lookup", FEW_ROWS) &&
        (searches().findsAll(merchantId, search)
          ? isDeep(merchantId, rest, page)
          : rowsWalked(merchantId, filter) > FEW_ROWS)
      );
    },
  };
}

/** The start of a phone, where that is all that is asked for, with or without a status, and counts of it are kept; otherwise null. */
function phonesAskedFor({ search, status: _, ...rest }: TransactionFilter): string | null {
  const prefix = search === undefined ? null : parsePhonePrefix(search);
  const isAlone = Object.values(rest).every((member) => member === undefined);
  return isAlone && prefix !== null && prefix.length <= KEPT_DIGITS ? prefix : null;
}

/** The rows of a page, from the end of the list that is nearer; past the end their number is not above 0. */
function sliceOf(page: Page, totalItems: number): Slice {
  const before = offsetOf(page);
  const limit = Math.min(page.limit, totalItems - before);
  const after = totalItems - before - limit;
  return after < before ? { from: "oldest", skip: after, limit } : { from: "newest", skip: before, limit };
}

function add(one: Summary, other: Summary): Summary {
  return {
    totalItems: one.totalItems + other.totalItems,
    completedAmountCents: one.completedAmountCents + other.completedAmountCents,
    completedCount: one.completedCount + other.completedCount,
    pendingCount: one.pendingCount + other.pendingCount,
    failedCount: one.failedCount + other.failedCount,
  };
}
