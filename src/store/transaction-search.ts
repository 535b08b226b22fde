import { and, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type SQLiteColumn, union } from "drizzle-orm/sqlite-core";
import { foldCase, type Page, type Summary, type TransactionFilter } from "../domain/filter.ts";
import { parsePhonePrefix } from "../domain/phone.ts";
import { endOfDayMs, startOfDayMs } from "../domain/timestamp.ts";
import { MAX_REFERENCE_LENGTH, type Transaction } from "../domain/transaction.ts";
import { transactions } from "./schema.ts";
import { toSummary } from "./totals.ts";
import type { Drizzle } from "./transaction-list.ts";
import { offsetOf, toTransaction } from "./transactions.ts";

const placeholder = sql.placeholder;

/**
 * Whose rows, said so that SQLite takes no index for it (the plus): a merchant has nearly all rows, what is searched for has few.
 */
const ofMerchant = sql`+${transactions.merchantId} = ${placeholder("merchantId")}`;

/** The list where an id or a text is asked for: few rows fit, so they are found first, and then filtered and counted. */
export function createTransactionSearch(drizzle: Drizzle) {
  const statementsFor = createStatementCache(drizzle);

  return {
    search(merchantId: number, filter: TransactionFilter, page: Page): { rows: Transaction[]; summary: Summary } {
      const statements = statementsFor(filter);
      const values = { merchantId, ...valuesOf(filter) };
      const rows = statements.page.all({ ...values, limit: page.limit, offset: offsetOf(page) });
      return { rows: rows.map(toTransaction), summary: toSummary(statements.counts.all(values)) };
    },
  };
}

/** For each member of a filter, what it asks of a row. */
const CONDITIONS: Record<keyof TransactionFilter, (drizzle: Drizzle) => SQL | undefined> = {
  kind: () => sql`+${transactions.kind} = ${placeholder("kind")}`,
  status: () => sql`+${transactions.status} = ${placeholder("status")}`,
  fromDay: () => gte(transactions.createdAtMs, placeholder("fromMs")),
  toDay: () => lt(transactions.createdAtMs, placeholder("beforeMs")),
  search: (drizzle) => inArray(transactions.id, idsFound(drizzle)),
  id: () => eq(transactions.id, placeholder("id")),
};

/** What a filter puts in the places that {@link CONDITIONS} name. */
function valuesOf(filter: TransactionFilter): Record<string, unknown> {
  const { kind, status, id } = filter;
  return {
    kind,
    status,
    id,
    ...(filter.fromDay !== undefined && { fromMs: startOfDayMs(filter.fromDay) }),
    ...(filter.toDay !== undefined && { beforeMs: endOfDayMs(filter.toDay) }),
    ...(filter.search !== undefined && {
      ...rangeOf("identifier", filter.search),
      ...rangeOf("reference", foldCase(filter.search)),
      ...rangeOf("phone", parsePhonePrefix(filter.search)),
    }),
  };
}

/** No text of ours goes on with anything later: it is longer than each, of the last character. */
const LAST_TEXT = "\u{10FFFF}".repeat(MAX_REFERENCE_LENGTH + 1);

/** Every text that starts with `prefix` lies in this range of an index; for null the range is empty. */
function rangeOf(name: string, prefix: string | null): Record<string, string> {
  return { [`${name}From`]: prefix ?? "", [`${name}Before`]: prefix === null ? "" : prefix + LAST_TEXT };
}

/** The ids that a search finds: one range of one index for each column that is searched. */
function idsFound(drizzle: Drizzle) {
  const within = (column: SQLiteColumn, name: string, whose = ofMerchant) =>
    drizzle
      .select({ id: transactions.id })
      .from(transactions)
      .where(and(whose, gte(column, placeholder(`${name}From`)), lt(column, placeholder(`${name}Before`))));
  return union(
    // These two indexes begin with the merchant.
    within(transactions.phone, "phone", eq(transactions.merchantId, placeholder("merchantId"))),
    within(transactions.referenceFolded, "reference", eq(transactions.merchantId, placeholder("merchantId"))),
    within(transactions.transactionCode, "identifier"),
    within(transactions.receiptNumber, "identifier"),
    within(transactions.checkoutRequestId, "identifier"),
    within(transactions.merchantRequestId, "identifier"),
  );
}

/** Statements are prepared once for each set of members that filters have. */
function createStatementCache(drizzle: Drizzle) {
  const prepared = new Map<string, ReturnType<typeof prepare>>();

  function prepare(members: readonly (keyof TransactionFilter)[]) {
    const selected = and(ofMerchant, ...members.map((member) => CONDITIONS[member](drizzle)));
    return {
      page: drizzle
        .select()
        .from(transactions)
        .where(selected)
        .orderBy(desc(transactions.createdAtMs), desc(transactions.id))
        .limit(placeholder("limit"))
        .offset(placeholder("offset"))
        .prepare(),
      counts: drizzle
        .select({
          status: transactions.status,
          count: sql<number>`count(*)`,
          amountCents: sql<number>`sum(${transactions.amountCents})`,
        })
        .from(transactions)
        .where(selected)
        .groupBy(transactions.status)
        .prepare(),
    };
  }

  return (filter: TransactionFilter) => {
    const members = (Object.keys(CONDITIONS) as (keyof TransactionFilter)[]).filter(
      (member) => filter[member] !== undefined,
    );
    const shape = members.join(" ");
    const statements = prepared.get(shape) ?? prepare(members);
    prepared.set(shape, statements);
    return statements;
  };
}
