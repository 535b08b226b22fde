import { type AnyColumn, and, desc, eq, gte, inArray, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { FilterName, TransactionFilter } from "../domain/filters.ts";
import type { Page, Summary } from "../domain/list.ts";
import { DAY_MS, endOfDayMs, NAIROBI_OFFSET_MS, startOfDayMs } from "../domain/timestamp.ts";
import type { Status } from "../domain/transaction.ts";
import { codeOfKind, codeOfStatus } from "./rows.ts";
import type { Searched } from "./search.ts";

/** The list of both engines: which rows a filter selects, in which order, and on which days a page is. */

/** How an engine declares a column for drizzle. */
type Column<B> = (name: string) => B;

/** The columns that the list reads. The tables are declared in the `migrations/` of each engine; a test compares the two. */
export const columnsOfTransactions = <Whole, Text>(whole: Column<Whole>, text: Column<Text>) => ({
  id: whole("id"),
  merchantId: whole("merchant_id"),
  kind: whole("kind"),
  status: whole("status"),
  amountCents: whole("amount_cents"),
  phone: whole("phone"),
  reference: text("reference"),
  referenceFolded: text("reference_folded"),
  createdAtMs: whole("created_at_ms"),
});

export const columnsOfDayTotals = <Whole>(whole: Column<Whole>) => ({
  merchantId: whole("merchant_id"),
  day: whole("day"),
  kind: whole("kind"),
  status: whole("status"),
  count: whole("count"),
  amountCents: whole("amount_cents"),
});

type Rows = Readonly<Record<keyof ReturnType<typeof columnsOfTransactions>, AnyColumn>>;
type Totals = Readonly<Record<keyof ReturnType<typeof columnsOfDayTotals>, AnyColumn>>;

/** A filter whose search is known in detail. */
export interface Selection extends Omit<TransactionFilter, "search" | "findsEnds"> {
  readonly search?: Searched | undefined;
}

/** Whether a text ends with one of some ends, which all have one length. Each engine has its own functions of text. */
type IsEndIn = (text: SQL, ends: readonly string[]) => SQL;

interface Demand<V> {
  /** What it demands of a transaction. */
  ofRow(rows: Rows, value: V, selection: Selection, isEndIn: IsEndIn): SQL | undefined;
  /** What it demands of the totals of a day; null if they do not tell, so that transactions must be counted. */
  readonly ofDay: ((totals: Totals, value: V) => SQL) | null;
}

type Demands = { readonly [Name in FilterName]: Demand<NonNullable<Selection[Name]>> };

/** A line for each filter. */
const DEMANDS = {
  type: {
    ofRow: ({ kind }, value) => eq(kind, codeOfKind(value)),
    ofDay: ({ kind }, value) => eq(kind, codeOfKind(value)),
  },
  status: {
    ofRow: ({ status }, value) => eq(status, codeOfStatus(value)),
    ofDay: ({ status }, value) => eq(status, codeOfStatus(value)),
  },
  date_from: {
    ofRow: ({ createdAtMs }, day, { dayOffsetMs }) => gte(createdAtMs, startOfDayMs(day, dayOffsetMs)),
    ofDay: (totals, day) => gte(totals.day, day),
  },
  date_to: {
    ofRow: ({ createdAtMs }, day, { dayOffsetMs }) => lt(createdAtMs, endOfDayMs(day, dayOffsetMs)),
    ofDay: (totals, day) => lt(totals.day, day + 1),
  },
  // 0 is the id of no transaction. A query can have a number that no column holds.
  id: { ofRow: (rows, id) => eq(rows.id, Number.isSafeInteger(id) ? id : 0), ofDay: null },
  search: { ofRow: (rows, searched, _, isEndIn) => isFound(rows, searched, isEndIn), ofDay: null },
} satisfies Demands;

const NAMES = Object.keys(DEMANDS) as (keyof Demands)[];

const demandOf = (name: keyof Demands): Demand<unknown> => DEMANDS[name] as Demand<unknown>;

const isSet = (selection: Selection) => (name: keyof Demands) => selection[name] !== undefined;

/** Whether the totals of days, which are those of Nairobi, count what a filter selects. */
export const isCounted = (selection: Selection): boolean =>
  selection.dayOffsetMs === undefined && NAMES.filter(isSet(selection)).every((name) => demandOf(name).ofDay !== null);

/** The reference that a search compares, as the indexes have it. */
const folded = ({ reference, referenceFolded }: Rows): SQL => sql`coalesce(${referenceFolded}, ${reference})`;

const isReferenceIn = (rows: Rows, { from, before }: Searched["reference"]): SQL | undefined =>
  and(gte(folded(rows), from), lt(folded(rows), before), sql`${rows.reference} IS NOT NULL`);

const isFound = (rows: Rows, { phone, reference, ends, named }: Searched, isEndIn: IsEndIn): SQL | undefined =>
  or(
    inArray(rows.id, [...named]),
    isReferenceIn(rows, reference),
    ends.length > 0 ? isEndIn(folded(rows), ends) : undefined,
    phone ? and(gte(rows.phone, phone.from), lt(rows.phone, phone.before)) : undefined,
  );

/** The columns of a {@link Summary}, from rows that have these. One pass without groups takes half the time of one with them. */
export function summaryOf(status: SQLWrapper, count: SQLWrapper, amountCents: SQLWrapper): SQL {
  const sumOf = (value: SQLWrapper, of: Status) =>
    sql`coalesce(sum(${value}) FILTER (WHERE ${status} = ${sql.raw(`${codeOfStatus(of)}`)}), 0)`;
  const columns: Record<keyof Summary, SQL> = {
    totalItems: sql`coalesce(sum(${count}), 0)`,
    completedAmountCents: sumOf(amountCents, "completed"),
    completedCount: sumOf(count, "completed"),
    pendingCount: sumOf(count, "pending"),
    failedCount: sumOf(count, "failed"),
    cancelledCount: sumOf(count, "cancelled"),
    expiredCount: sumOf(count, "expired"),
  };
  const named = Object.entries(columns).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`);
  return sql.join(named, sql`, `);
}

/** The parts of the statements of an engine, on its tables. */
export function createListQuery(rows: Rows, totals: Totals, isEndIn: IsEndIn) {
  const selectedDays = (merchantId: number, selection: Selection): SQL | undefined =>
    and(
      eq(totals.merchantId, merchantId),
      ...NAMES.filter(isSet(selection)).map((name) => demandOf(name).ofDay?.(totals, selection[name])),
    );

  return {
    /** The transactions of a merchant that a filter selects. */
    selected: (merchantId: number, selection: Selection): SQL | undefined =>
      and(
        eq(rows.merchantId, merchantId),
        ...NAMES.filter(isSet(selection)).map((name) =>
          demandOf(name).ofRow(rows, selection[name], selection, isEndIn),
        ),
      ),

    /** The order of the list. */
    newest: sql`ORDER BY ${desc(rows.createdAtMs)}, ${desc(rows.id)}`,

    isReferenceIn: (range: Searched["reference"]) => isReferenceIn(rows, range),

    /** The summary of all that is selected, from the totals of its days. */
    daySummary: (merchantId: number, selection: Selection): SQL => sql`
      SELECT ${summaryOf(totals.status, totals.count, totals.amountCents)}
      FROM ${totals.status.table} WHERE ${selectedDays(merchantId, selection)}`,

    /**
     * The days that have the rows of a page, newest first: their times, and in `skip` how many rows of the day come before the page.
     * It is negative for each day but the first.
     */
    pageDays: (merchantId: number, selection: Selection, offset: number | SQL, limit: number | SQL): SQL => sql`
      WITH days AS (
        SELECT ${totals.day} AS day, sum(${totals.count}) AS count FROM ${totals.day.table}
        WHERE ${selectedDays(merchantId, selection)} GROUP BY ${totals.day}
      ), places AS (
        SELECT day * CAST(${sql.raw(`${DAY_MS}`)} AS bigint) - ${sql.raw(`${NAIROBI_OFFSET_MS}`)} AS from_ms,
          count, sum(count) OVER (ORDER BY day DESC) AS upto FROM days WHERE count > 0
      )
      SELECT from_ms, from_ms + ${sql.raw(`${DAY_MS}`)} AS before_ms, CAST(${offset} - (upto - count) AS bigint) AS skip
      FROM places WHERE upto > ${offset} AND upto - count < ${offset} + ${limit} ORDER BY from_ms DESC`,
  };
}

/** How many rows come before a page. The limit keeps it a safe integer. */
export const offsetOf = ({ number, limit }: Page): number => Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER);

/** The times of a filter's days: the first millisecond, and the one after the last. */
export const timesOf = ({ date_from, date_to, dayOffsetMs }: Selection) => ({
  fromMs: date_from === undefined ? 0 : startOfDayMs(date_from, dayOffsetMs),
  beforeMs: date_to === undefined ? Number.MAX_SAFE_INTEGER : endOfDayMs(date_to, dayOffsetMs),
});
