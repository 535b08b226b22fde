import { and, asc, desc, eq, gte, inArray, lt, not, or, type SQL, sql } from "drizzle-orm";
import { type SQLiteColumn, unionAll } from "drizzle-orm/sqlite-core";
import { foldCase, type Summary, type TransactionFilter } from "../../domain/filter.ts";
import { parsePhonePrefix } from "../../domain/phone.ts";
import { type Day, endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import { MAX_REFERENCE_LENGTH, type Transaction } from "../../domain/transaction.ts";
import { onFirstUse } from "./on-first-use.ts";
import { transactions } from "./schema.ts";
import { EVER } from "./totals.ts";
import type { Drizzle } from "./transaction-reader.ts";
import { toTransaction } from "./transactions.ts";

const placeholder = sql.placeholder;

/**
 * How the rows are come by. `lookup`: what is searched for is found by its own indexes, and the rest of the filter asked of those
 * rows alone; `lookup beside phones` leaves out what is found by its phone. `walk`: the list is gone through in its order, and the
 * search asked of each row; better where many fit, because neighbours in the list are neighbours in the file.
 */
export type Way = Lookup | "walk";
export type Lookup = "lookup" | "lookup beside phones";

/** Which rows are read: those after the first `skip`, from the newest or from the oldest. */
export interface Slice {
  readonly from: "newest" | "oldest";
  readonly skip: number;
  readonly limit: number;
}

/** The list where an id or a text is asked for. */
export function createTransactionSearch(drizzle: Drizzle) {
  const statementsFor = createStatementCache(drizzle);
  const counts = {
    lookup: onFirstUse(() => countOfEntries(drizzle, "lookup")),
    "lookup beside phones": onFirstUse(() => countOfEntries(drizzle, "lookup beside phones")),
  };
  const ends = onFirstUse(() => endsOfIndexes(drizzle));

  return {
    /** How many entries of the indexes a text finds, of all merchants together; counted up to `atMost`. */
    count(merchantId: number, search: string, lookup: Lookup, atMost: number): number {
      return counts[lookup]().get({ merchantId, ...rangesOf(search), atMost })?.count ?? 0;
    },

    /** Whether a text finds every row of a merchant by one column alone: then the first and the last of its index fit. */
    findsAll(merchantId: number, search: string): boolean {
      const values = { merchantId, ...rangesOf(search) };
      return ends().some((firstAndLast) => firstAndLast.every((end) => end.get(values)?.fits === 1));
    },

    /** A part of what the filter selects, newest first. */
    read(merchantId: number, filter: TransactionFilter, { from, skip, limit }: Slice, way: Way): Transaction[] {
      const values = { merchantId, ...valuesOf(filter), limit, offset: skip };
      const rows = statementsFor(filter, way)[from]().all(values).map(toTransaction);
      return from === "newest" ? rows : rows.reverse();
    },

    /** The counts over all that the filter selects; beside phones, over what no phone is found for. */
    summarize(merchantId: number, filter: TransactionFilter, way: Way): Summary {
      const [summary] = statementsFor(filter, way)
        .summary()
        .all({ merchantId, ...valuesOf(filter) });
      if (!summary) throw new Error("a count has one row");
      return summary;
    },
  };
}

/** Whose rows. The plus keeps SQLite from taking an index for it: a merchant has nearly all rows, what is searched for has few. */
const ofMerchant = eq(transactions.merchantId, placeholder("merchantId"));
const hereOfMerchant = sql`+${ofMerchant}`;

type Member = keyof TransactionFilter;

/** For each member of a filter, what it asks of a row. Days are asked for in any case, see {@link createStatementCache}. */
const CONDITIONS: Record<Exclude<Member, "fromDay" | "toDay">, (drizzle: Drizzle, way: Way) => SQL | undefined> = {
  kind: () => sql`+${transactions.kind} = ${placeholder("kind")}`,
  status: () => sql`+${transactions.status} = ${placeholder("status")}`,
  search: (drizzle, way) => {
    if (way === "walk") return or(...SEARCHED.map(asked));
    const isFound = inArray(transactions.id, entriesFound(drizzle, way));
    return way === "lookup" ? isFound : and(isFound, not(asked(PHONE)));
  },
  id: () => eq(transactions.id, placeholder("id")),
};

/** What a filter puts in the places that {@link CONDITIONS} name. */
function valuesOf(filter: TransactionFilter): Record<string, unknown> {
  const { kind, status, id, search, fromDay = EVER.first as Day, toDay = EVER.last as Day } = filter;
  return {
    kind,
    status,
    id,
    fromMs: startOfDayMs(fromDay),
    beforeMs: endOfDayMs(toDay),
    ...(search !== undefined && rangesOf(search)),
  };
}

type Range = "phone" | "reference" | "identifier";

/** A column that is searched, and the range that it is searched for. */
type Searched = readonly [SQLiteColumn, Range];

const PHONE: Searched = [transactions.phone, "phone"];
const BESIDE_PHONES: readonly Searched[] = [
  [transactions.referenceFolded, "reference"],
  [transactions.transactionCode, "identifier"],
  [transactions.receiptNumber, "identifier"],
  [transactions.checkoutRequestId, "identifier"],
  [transactions.merchantRequestId, "identifier"],
];
const SEARCHED = [PHONE, ...BESIDE_PHONES];

/** Asked of a row, not of an index. */
const asked = ([column, range]: Searched): SQL => sql`(${within(sql`+${column}`, range)})`;

/** Whether a column lies in the range that {@link rangeOf} gives. */
export const within = (column: SQL | SQLiteColumn, range: Range): SQL =>
  sql`${column} >= ${placeholder(`${range}From`)} AND ${column} < ${placeholder(`${range}Before`)}`;

function rangesOf(search: string): Record<string, string> {
  return {
    ...rangeOf("identifier", search),
    ...rangeOf("reference", foldCase(search)),
    ...rangeOf("phone", parsePhonePrefix(search)),
  };
}

/** No text of ours goes on with anything later: it is longer than each, of the last character. */
export const LAST_TEXT = "\u{10FFFF}".repeat(MAX_REFERENCE_LENGTH + 1);

/** Every text that starts with `prefix` lies in this range of an index; for null the range is empty. */
export function rangeOf<R extends Range>(range: R, prefix: string | null) {
  return {
    [`${range}From`]: prefix ?? "",
    [`${range}Before`]: prefix === null ? "" : prefix + LAST_TEXT,
  } as Record<`${R}From` | `${R}Before`, string>;
}

/** Two of these indexes begin with the merchant; the others hold the identifiers of all. */
const leadOf = (range: Range): SQL | undefined => (range === "identifier" ? undefined : ofMerchant);

/** The ids that a search finds, by one range of one index for each column; a row may be found by several. */
function entriesFound(drizzle: Drizzle, lookup: Lookup) {
  const [first, second, ...rest] = (lookup === "lookup" ? SEARCHED : BESIDE_PHONES).map(([column, range]) =>
    drizzle
      .select({ id: transactions.id })
      .from(transactions)
      .where(and(leadOf(range), within(column, range))),
  );
  if (!first || !second) throw new Error("several columns are searched");
  return unionAll(first, second, ...rest);
}

function countOfEntries(drizzle: Drizzle, lookup: Lookup) {
  const entries = entriesFound(drizzle, lookup).limit(placeholder("atMost")).as("entries");
  return drizzle.select({ count: sql<number>`count(*)` }).from(entries).prepare();
}

/** Of each column that every row has, the first and the last of its index, and whether a search finds it. */
function endsOfIndexes(drizzle: Drizzle) {
  return SEARCHED.filter(([column]) => column.notNull).map(([column, range]) =>
    [asc(column), desc(column)].map((order) =>
      drizzle
        .select({ fits: sql<number>`${within(column, range)}` })
        .from(transactions)
        .where(leadOf(range))
        .orderBy(order)
        .limit(1)
        .prepare(),
    ),
  );
}

/** Statements are prepared once for each way and each set of members that filters have. */
function createStatementCache(drizzle: Drizzle) {
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  const countOf = (status: string) =>
    sql<number>`count(*) FILTER (WHERE ${transactions.status} = ${sql.raw(`'${status}'`)})`;

  function prepare(members: readonly (keyof typeof CONDITIONS)[], way: Way) {
    // A walk goes by the index of merchant and time, whose order is that of the list.
    const selected = and(
      way === "walk" ? ofMerchant : hereOfMerchant,
      gte(transactions.createdAtMs, placeholder("fromMs")),
      lt(transactions.createdAtMs, placeholder("beforeMs")),
      ...members.map((member) => CONDITIONS[member](drizzle, way)),
    );
    const pageIn = (order: typeof asc) =>
      onFirstUse(() =>
        drizzle
          .select()
          .from(transactions)
          .where(selected)
          .orderBy(order(transactions.createdAtMs), order(transactions.id))
          .limit(placeholder("limit"))
          .offset(placeholder("offset"))
          .prepare(),
      );
    return {
      newest: pageIn(desc),
      oldest: pageIn(asc),
      summary: onFirstUse(() =>
        drizzle
          .select({
            totalItems: sql<number>`count(*)`,
            completedAmountCents: sql<number>`coalesce(sum(${transactions.amountCents}) FILTER (WHERE ${transactions.status} = 'completed'), 0)`,
            completedCount: countOf("completed"),
            pendingCount: countOf("pending"),
            failedCount: countOf("failed"),
          })
          .from(transactions)
          .where(selected)
          .prepare(),
      ),
    };
  }

  return (filter: TransactionFilter, way: Way) => {
    const members = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
      (member) => filter[member] !== undefined,
    );
    const shape = `${way} ${members.join(" ")}`;
    const statements = prepared.get(shape) ?? prepare(members, way);
    prepared.set(shape, statements);
    return statements;
  };
}
