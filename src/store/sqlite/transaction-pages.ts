import { and, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { KINDS, type Kind, STATUSES, type Status, type Transaction } from "../../domain/transaction.ts";
import { transactions } from "./schema.ts";
import type { Drizzle } from "./transaction-reader.ts";
import { toTransaction } from "./transactions.ts";

/** Which rows a page is cut from. */
export interface Span {
  readonly kind?: Kind;
  readonly status?: Status;
  readonly fromMs: number;
  readonly beforeMs: number;
}

const placeholder = sql.placeholder;

/**
 * Pages of a merchant's transactions, newest first. Rows of one kind and status lie in the order of the list in one index; where
 * several kinds or statuses are asked for, SQLite merges their streams, and reads no further than the page goes.
 */
export function createTransactionPages(drizzle: Drizzle) {
  const prepared = new Map<string, ReturnType<typeof prepare>>();

  /** The rows of one span, by its index alone. */
  function stream(kind?: Kind, status?: Status) {
    return drizzle
      .select({ id: transactions.id, createdAtMs: transactions.createdAtMs })
      .from(transactions)
      .where(
        and(
          eq(transactions.merchantId, placeholder("merchantId")),
          kind && eq(transactions.kind, kind),
          status && eq(transactions.status, status),
          gte(transactions.createdAtMs, placeholder("fromMs")),
          lt(transactions.createdAtMs, placeholder("beforeMs")),
        ),
      );
  }

  function prepare(kind?: Kind, status?: Status) {
    const page = pageOf(kind, status).as("page");
    return drizzle
      .select()
      .from(transactions)
      .where(inArray(transactions.id, drizzle.select({ id: page.id }).from(page)))
      .orderBy(desc(transactions.createdAtMs), desc(transactions.id))
      .prepare();
  }

  function pageOf(kind?: Kind, status?: Status) {
    const order = [desc(transactions.createdAtMs), desc(transactions.id)];
    const limit = placeholder("limit");
    const offset = placeholder("offset");
    if (!kind && !status)
      return stream()
        .orderBy(...order)
        .limit(limit)
        .offset(offset);
    const [first, second, ...rest] = (kind ? [kind] : KINDS).flatMap((oneKind) =>
      (status ? [status] : STATUSES).map((oneStatus) => stream(oneKind, oneStatus)),
    );
    if (!first) throw new Error("there are kinds and statuses");
    if (!second)
      return first
        .orderBy(...order)
        .limit(limit)
        .offset(offset);
    return unionAll(first, second, ...rest)
      .orderBy(...order)
      .limit(limit)
      .offset(offset);
  }

  return {
    /** At most `limit` rows of a span, after the first `skip`. */
    read(merchantId: number, { kind, status, fromMs, beforeMs }: Span, skip: number, limit: number): Transaction[] {
      const shape = `${kind} ${status}`;
      const statement = prepared.get(shape) ?? prepare(kind, status);
      prepared.set(shape, statement);
      return statement.all({ merchantId, fromMs, beforeMs, limit, offset: skip }).map(toTransaction);
    },
  };
}
