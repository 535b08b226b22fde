import type { TransactionFilter } from "../../domain/filters.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import type { Page } from "../../domain/list.ts";
import type { Transaction } from "../../domain/transaction.ts";
import type { Selection } from "../list-query.ts";
import { clientHasGone, createSearchQueue, ReadQueue } from "../read-queue.ts";
import { type TransactionRow, toTransaction } from "../rows.ts";
import { isNamed, numbersIn, rangesOf, type Searched } from "../search.ts";
import { type ListedPage, type TransactionList, Unanswered } from "../store.ts";
import type { Connection, Connections } from "./connections.ts";
import { sqlStateOf } from "./failures.ts";
import { type Answer, allRows, NAMED, pageOf, type Statement } from "./list-statements.ts";
import type { ReadsParts } from "./reads.ts";
import { fromRow, numbers, toStored } from "./rows.ts";

/** The list: who reads when, and for how long. Its statements are in list-statements.ts. */

/** How many pages, and how many searches, are read at once: other requests need connections, too. */
const LANES = 2;

/** How many pages can wait. More would only fail later. */
const MOST_WAITING = 20_000;

/** The server ends a search when its connection has ended. */
const BEGIN_SEARCH = "BEGIN READ ONLY; SET LOCAL client_connection_check_interval = '500ms'";

/** How many rows of an export are fetched at once. */
const ROWS_AT_ONCE = 500;

export function createTransactionList(
  { sql, stopwatch, waitMs }: ReadsParts,
  connections: Connections,
  requestIds: RequestIds,
): TransactionList {
  const limits = { lanes: LANES, waitMs, stopwatch };
  const pages = new ReadQueue({ ...limits, mostWaiting: MOST_WAITING, advice: "try again later" });
  const searches = createSearchQueue(limits);
  const toOwn = (row: TransactionRow) => toTransaction(fromRow(row), requestIds);

  return {
    async list(merchantId, filter, page, signal) {
      try {
        if (filter.search === undefined) return await pages.run(() => readPage(merchantId, filter, page));
        return await searches.run(() => readPage(merchantId, filter, page, signal), signal);
      } catch (error) {
        throw withAdvice(error);
      }
    },

    async *readAll(merchantId, filter) {
      try {
        yield* readParts(allRows(merchantId, await selectionOf(filter)));
      } catch (error) {
        throw withAdvice(error);
      }
    },
  };

  async function selectionOf({ search, findsEnds, ...rest }: TransactionFilter): Promise<Selection> {
    return search === undefined ? rest : { ...rest, search: await searchedBy(search, findsEnds) };
  }

  async function searchedBy(search: string, findsEnds?: boolean): Promise<Searched> {
    const { phone, reference, ends } = rangesOf(search, findsEnds);
    const rows = await sql.read<TransactionRow>(NAMED, [numbers(numbersIn(search, requestIds)), toStored(search)]);
    const named = rows.filter((row) => isNamed(toOwn(row), search)).map(({ id }) => id);
    const range = { from: toStored(reference.from), before: toStored(reference.before) };
    return { phone, reference: range, ends: ends.map(toStored), named };
  }

  async function readPage(
    merchantId: number,
    filter: TransactionFilter,
    page: Page,
    signal?: AbortSignal,
  ): Promise<ListedPage> {
    const statement = pageOf(merchantId, await selectionOf(filter), page);
    // A search with many results takes long, and a retry would take as long.
    const [row] = await sql.reading(
      (connection) => (signal ? searchUntil(signal, connection, statement) : answer(connection, statement)),
      true,
    );
    if (!row) throw new Error("the server returned no page");
    const rows: TransactionRow[] = JSON.parse(row.rows ?? "[]");
    return { rows: rows.map(toOwn), summary: JSON.parse(row.summary) };
  }

  async function* readParts({ text, parameters }: Statement): AsyncGenerator<Transaction[]> {
    const { query, script, end } = await connections.borrow({ openMs: waitMs, workMs: waitMs });
    try {
      await script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await query(`DECLARE selected NO SCROLL CURSOR FOR ${text}`, parameters);
      for (;;) {
        const part = await script<TransactionRow>(`FETCH ${ROWS_AT_ONCE} FROM selected`);
        if (part.length === 0) return;
        yield part.map(toOwn);
      }
    } finally {
      end();
    }
  }

  /** What a client can do about a list that takes too long. Other errors stay what they are. */
  function withAdvice(error: unknown): unknown {
    if (sqlStateOf(error) !== "deadline") return error;
    return new Unanswered(error, `the list took more than ${waitMs / 1000} s: choose fewer days, or more of the text`);
  }
}

const answer = ({ query }: Connection, { text, parameters }: Statement) => query<Answer>(text, parameters);

/** Runs a search until its client has gone. Then its connection ends, and so the server ends the search, too. */
async function searchUntil(signal: AbortSignal, connection: Connection, statement: Statement): Promise<Answer[]> {
  const { script, end } = connection;
  if (signal.aborted) throw clientHasGone();
  signal.addEventListener("abort", end);
  try {
    await script(BEGIN_SEARCH);
    const rows = await answer(connection, statement);
    await script("COMMIT");
    return rows;
  } catch (error) {
    throw signal.aborted ? clientHasGone() : error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
