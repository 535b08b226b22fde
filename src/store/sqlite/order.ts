import type { Database } from "bun:sqlite";
import { once } from "../../domain/once.ts";
import { firstOf } from "./database.ts";

/**
 * The list has the order of the rows' ids, because the numbers of payments rise with time. There are two exceptions:
 *
 * A payment that is on its way during a reset, which sets the clock back, is stored after it with a later time than the next ones.
 * Then the database is marked, and its list is sorted by time until the next reset.
 *
 * The numbers of several replicas do not rise with time. When their payments are imported, the same numbers are given to the rows as
 * ids in the order of time. A row whose number is not its id has it in `number`.
 */

interface Neighbours {
  readonly beforeMs: number | null;
  readonly afterMs: number | null;
}

export type OrderChange = ReturnType<typeof createOrderChange>;

export function createOrderChange(client: Database) {
  const statement = once(() =>
    client.query<Neighbours, [number, number]>(
      `SELECT (SELECT created_at_ms FROM transactions WHERE id < ? ORDER BY id DESC LIMIT 1) AS beforeMs,
        (SELECT created_at_ms FROM transactions WHERE id > ? ORDER BY id LIMIT 1) AS afterMs`,
    ),
  );
  /** The newest row; unknown at first. */
  let [newestId, newestMs] = [Number.POSITIVE_INFINITY, 0];
  return {
    /** Marks the database if a new transaction is out of order. Call it after the insert, in the same commit. */
    add({ id, createdAtMs }: { readonly id: number; readonly createdAtMs: number }): void {
      if (id < newestId || createdAtMs < newestMs) {
        const { beforeMs, afterMs } = statement().get(id, id) ?? { beforeMs: null, afterMs: null };
        if ((beforeMs ?? createdAtMs) > createdAtMs || (afterMs ?? createdAtMs) < createdAtMs) noteDisorder(client);
        if (afterMs !== null) return;
      }
      [newestId, newestMs] = [id, createdAtMs];
    },
  };
}

export function noteDisorder(client: Database): void {
  client.run("UPDATE numbering SET in_order = 0");
}

/** Reads all rows. */
export const hasDisorder = (client: Database): boolean =>
  firstOf(
    client,
    `SELECT 1 FROM (SELECT created_at_ms < lag(created_at_ms) OVER (ORDER BY id) AS is_back FROM transactions)
    WHERE is_back LIMIT 1`,
  ) === 1;

const NUMBER = "coalesce(transactions.number, transactions.id)";

/** Gives all transactions ids in the order of time. Call it in a transaction, before the totals are counted. */
export function putInOrder(client: Database): void {
  client.run("UPDATE numbering SET in_order = 1");
  if (!hasDisorder(client)) return;
  const columns = client.query<{ name: string }, []>("SELECT name FROM pragma_table_info('transactions')").all();
  const others = columns.map(({ name }) => name).filter((name) => name !== "id" && name !== "number");
  client.run(`CREATE TEMP TABLE moved AS WITH
    places AS (SELECT id AS place, row_number() OVER (ORDER BY id) AS rank FROM transactions),
    sorted AS (SELECT id, row_number() OVER (ORDER BY created_at_ms, ${NUMBER}) AS rank FROM transactions)
    SELECT place, ${NUMBER} AS own_number, transactions.*
    FROM sorted JOIN places USING (rank) JOIN transactions ON transactions.id = sorted.id WHERE place <> sorted.id`);
  client.run("DELETE FROM transactions WHERE id IN (SELECT place FROM moved)");
  client.run(`INSERT INTO transactions (id, number, ${others})
    SELECT place, nullif(own_number, place), ${others} FROM moved`);
  client.run("DROP TABLE temp.moved");
}

/** Finds transactions with the number of another one: the numbers must be the ids in another order. */
export const SAME_NUMBERS = `SELECT count(*) FROM transactions WHERE number IS NOT NULL
  AND number NOT IN (SELECT id FROM transactions WHERE number IS NOT NULL)`;
