import type { Page, TransactionFilter } from "../../domain/filter.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import { DAY_MS, endOfDayMs, NAIROBI_OFFSET_MS, startOfDayMs } from "../../domain/timestamp.ts";
import { STATUSES } from "../../domain/transaction.ts";
import { EVER, isNamed, numbersIn, offsetOf, rangesOf } from "../list-query.ts";
import { codeOfKind, codeOfStatus, type StatusSum, type TransactionRow, toSummary, toTransaction } from "../rows.ts";
import { clientHasGone, createSearchQueue } from "../search-queue.ts";
import type { ListedPage, TransactionList } from "../store.ts";
import type { Attempts } from "./attempts.ts";
import type { Connection } from "./connections.ts";
import { createGroup } from "./group.ts";
import { fromRow, numbers, ROW, toStored } from "./rows.ts";

/** Each list is one statement, so that its rows and its counts are of one point in time. */

/** How many pages, and how many searches, are read at once: other requests need connections, too. */
const LANES = 2;

/** The server ends a search when its connection has ended. */
const BEGIN = "BEGIN READ ONLY; SET LOCAL client_connection_check_interval = '500ms'";

const NEWEST = "ORDER BY created_at_ms DESC, id DESC";
const FOLDED = "coalesce(reference_folded, reference)";

interface Sum extends StatusSum {
  readonly kind: number;
}

/** The result of a statement of this file: JSON, so that rows and sums fit into one row. */
interface Answer {
  readonly sums: string | null;
  readonly rows: string | null;
}

/** The rows of a page, and the sums, as the last part of a statement. */
const ANSWER = `SELECT (SELECT json_agg(sums)::text FROM sums) AS sums,
    (SELECT json_agg(shown ${NEWEST})::text FROM (SELECT ${ROW} FROM transactions WHERE id IN (SELECT id FROM page)) AS shown) AS rows`;

interface Asked {
  readonly merchantId: number;
  readonly filter: TransactionFilter;
  readonly page: Page;
}

export function createTransactionList(attempts: Attempts, requestIds: RequestIds): TransactionList {
  const { listNewest, listFound } = createReader(attempts, requestIds);
  const searches = createSearchQueue(LANES);
  const lists = createGroup<Asked, ListedPage>({
    attempts,
    lanes: LANES,
    most: 1,
    run: ([asked]) => Promise.all(asked ? [asked.filter.id === undefined ? listNewest(asked) : listFound(asked)] : []),
  });
  return {
    list(merchantId, filter, page, signal) {
      const asked = { merchantId, filter, page };
      return filter.search === undefined ? lists.add(asked) : searches.run(() => listFound(asked, signal), signal);
    },
  };
}

/** A query can have a number that no bigint column holds: 0 is the id of no transaction. */
const storableId = (id: number): number => (Number.isSafeInteger(id) ? id : 0);

function createReader(attempts: Attempts, requestIds: RequestIds) {
  /** The kinds that the totals have shown so far: a page reads one stream for each. */
  const kinds = new Set<number>([codeOfKind("api")]);

  /** @returns the page, and the sums of all that was found */
  async function read(text: string, parameters: readonly unknown[], signal?: AbortSignal) {
    // A search with many results takes long, and a retry would take as long.
    const [row] = await attempts.reading(
      (connection) =>
        signal ? queryUntil(signal, connection, text, parameters) : connection.query<Answer>(text, parameters),
      true,
    );
    const sums: Sum[] = JSON.parse(row?.sums ?? "[]");
    const rows: TransactionRow[] = JSON.parse(row?.rows ?? "[]");
    const listed = { rows: rows.map((one) => toTransaction(fromRow(one), requestIds)), summary: toSummary(sums) };
    return { listed, sums };
  }

  /** The rows that have this text as an identifier. */
  async function namedBy(search: string): Promise<number[]> {
    const rows = await attempts.read<TransactionRow>(NAMED, [numbers(numbersIn(search, requestIds)), toStored(search)]);
    return rows.filter((row) => isNamed(toTransaction(fromRow(row), requestIds), search)).map(({ id }) => id);
  }

  return {
    async listNewest({ merchantId, filter, page }: Asked): Promise<ListedPage> {
      for (;;) {
        const asked = filter.kind === undefined ? [...kinds] : [codeOfKind(filter.kind)];
        const { listed, sums } = await read(newestPage(filter, asked), [
          merchantId,
          filter.fromDay ?? EVER.first,
          filter.toDay ?? EVER.last,
          page.limit,
          offsetOf(page),
        ]);
        const unknown = sums.filter(({ kind, count }) => count > 0 && !asked.includes(kind));
        if (unknown.length === 0) return listed;
        for (const { kind } of unknown) kinds.add(kind);
      }
    },

    async listFound({ merchantId, filter, page }: Asked, signal?: AbortSignal): Promise<ListedPage> {
      const { search, id, fromDay, toDay } = filter;
      const whole = search === undefined ? [] : await namedBy(search);
      const ranges = search === undefined ? null : rangesOf(search);
      const parameters = [
        merchantId,
        fromDay === undefined ? 0 : startOfDayMs(fromDay),
        toDay === undefined ? Number.MAX_SAFE_INTEGER : endOfDayMs(toDay),
        page.limit,
        offsetOf(page),
        id === undefined ? null : storableId(id),
        toStored(ranges?.reference.from ?? ""),
        toStored(ranges?.reference.before ?? ""),
        ranges?.phone?.from ?? 0,
        ranges?.phone?.before ?? 0,
        numbers(whole),
      ];
      return (await read(foundPage(filter), parameters, signal)).listed;
    },
  };
}

const NAMED = `SELECT ${ROW} FROM transactions WHERE id = ANY($1::text::bigint[])
  UNION SELECT ${ROW} FROM transactions WHERE lower(receipt_number) = lower($2::text COLLATE "C") AND receipt_number IS NOT NULL`;

/** Runs a search until its client has gone. Then its connection ends, and so the server ends the search, too. */
async function queryUntil(
  signal: AbortSignal,
  { query, script, end }: Connection,
  text: string,
  parameters: readonly unknown[],
) {
  if (signal.aborted) throw clientHasGone();
  signal.addEventListener("abort", end);
  try {
    await script(BEGIN);
    const rows = await query<Answer>(text, parameters);
    await script("COMMIT");
    return rows;
  } catch (error) {
    end();
    throw signal.aborted ? clientHasGone() : error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * The totals say on which day the page begins. From there, one stream for each kind and status is read from the index in the order
 * of the list, and the streams are merged.
 */
function newestPage({ kind, status, fromDay }: TransactionFilter, kinds: readonly number[]): string {
  const statuses = status === undefined ? STATUSES.map(codeOfStatus) : [codeOfStatus(status)];
  const counted = [
    "merchant_id = $1::bigint AND day BETWEEN $2::int AND $3::int",
    ...(kind === undefined ? [] : [`kind = ${codeOfKind(kind)}`]),
    ...(status === undefined ? [] : [`status = ${codeOfStatus(status)}`]),
  ].join(" AND ");
  const from = fromDay === undefined ? "" : `AND created_at_ms >= ${startOfDayMs(fromDay)}`;
  const streams = kinds.flatMap((kindCode) =>
    statuses.map(
      (statusCode) => `(SELECT created_at_ms, id FROM transactions
        WHERE merchant_id = $1::bigint AND kind = ${kindCode} AND status = ${statusCode}
          AND created_at_ms < (SELECT before_ms FROM start) ${from} ${NEWEST})`,
    ),
  );
  return `WITH counts AS MATERIALIZED (
      SELECT day, kind, status, sum(count) AS count, sum(amount_cents) AS amount FROM day_totals WHERE ${counted} GROUP BY 1, 2, 3
    ), sums AS (SELECT kind, status, sum(count)::float8 AS count, sum(amount)::float8 AS "amountCents" FROM counts GROUP BY 1, 2),
    days AS (SELECT day, sum(count) AS count FROM counts GROUP BY day HAVING sum(count) > 0),
    places AS (SELECT day, count, sum(count) OVER (ORDER BY day DESC) AS upto FROM days),
    start AS (
      SELECT (day + 1)::bigint * ${DAY_MS} - ${NAIROBI_OFFSET_MS} AS before_ms, ($5::bigint - (upto - count))::bigint AS skip
      FROM places WHERE upto > $5::bigint ORDER BY day DESC LIMIT 1
    ), page AS (
      SELECT id FROM (${streams.join(" UNION ALL ")}) AS streams ${NEWEST} LIMIT $4::int OFFSET (SELECT skip FROM start)
    ) ${ANSWER}`;
}

/** Finds rows by an id or by a search, and counts them. */
function foundPage({ kind, status, search }: TransactionFilter): string {
  const texts = `(${FOLDED} >= $7::text AND ${FOLDED} < $8::text AND reference IS NOT NULL)`;
  const phones = "(phone >= $9::bigint AND phone < $10::bigint)";
  const where = [
    "merchant_id = $1::bigint AND created_at_ms >= $2::bigint AND created_at_ms < $3::bigint",
    "($6::bigint IS NULL OR id = $6::bigint)",
    `(${search === undefined} OR ${texts} OR ${phones} OR id = ANY($11::text::bigint[]))`,
    ...(kind === undefined ? [] : [`kind = ${codeOfKind(kind)}`]),
    ...(status === undefined ? [] : [`status = ${codeOfStatus(status)}`]),
  ];
  return `WITH found AS MATERIALIZED (
      SELECT id, created_at_ms, kind, status, amount_cents FROM transactions WHERE ${where.join(" AND ")}
    ), sums AS (
      SELECT kind, status, count(*)::float8 AS count, sum(amount_cents)::float8 AS "amountCents" FROM found GROUP BY 1, 2
    ), page AS (SELECT id FROM found ${NEWEST} LIMIT $4::int OFFSET $5::bigint) ${ANSWER}`;
}
