import type { Database } from "bun:sqlite";
import { firstOf } from "./database.ts";

/**
 * The list has the order of the rows' ids. The id of a row is the number of its payment, and the numbers rise with time. Only an
 * import can have other numbers: those of several replicas do not rise with time, and can have large gaps. Then the rows get other
 * ids, and keep their numbers in `number`.
 */

/** Whether a database of an earlier version says that its ids do not rise with time. A start mends it. */
export const isMarked = (client: Database): boolean => firstOf(client, "SELECT in_order FROM numbering") === 0;

/** Whether the ids do not rise with time. Reads all rows. */
export const hasDisorder = (client: Database): boolean =>
  firstOf(
    client,
    `SELECT 1 FROM (SELECT created_at_ms < lag(created_at_ms) OVER (ORDER BY id) AS is_back FROM transactions)
    WHERE is_back LIMIT 1`,
  ) === 1;

/** A read takes a step for some blocks of ids, so blocks with a few rows each make a search long. */
const isSparse = (client: Database): boolean =>
  firstOf(client, "SELECT count(DISTINCT id >> 14) > 64 + count(*) / 1024 FROM transactions") === 1;

const NUMBER = "coalesce(transactions.number, transactions.id)";

/** Gives the transactions ids in the order of time, without large gaps. Call it in a transaction, before the totals are counted. */
export function putInOrder(client: Database): void {
  client.run("UPDATE numbering SET in_order = 1");
  const sparse = isSparse(client);
  if (!sparse && !hasDisorder(client)) return;
  const columns = client.query<{ name: string }, []>("SELECT name FROM pragma_table_info('transactions')").all();
  const others = columns.map(({ name }) => name).filter((name) => name !== "id" && name !== "number");
  client.run(`UPDATE numbering SET last_forgotten = max(last_forgotten, (SELECT max(${NUMBER}) FROM transactions))`);
  client.run("CREATE TEMP TABLE places (rank INTEGER PRIMARY KEY, place INTEGER NOT NULL)");
  client.run(`INSERT INTO places SELECT rank, ${sparse ? "rank" : "id"}
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS rank FROM transactions)`);
  // One join, by the primary key: with old statistics in a copy, SQLite scans the inner table of others for each row.
  client.run(`CREATE TEMP TABLE moved AS
    SELECT place, sorted.* FROM (SELECT row_number() OVER (ORDER BY created_at_ms, ${NUMBER}) AS rank,
      ${NUMBER} AS own_number, transactions.* FROM transactions) AS sorted CROSS JOIN places USING (rank)
    WHERE place <> sorted.id`);
  client.run("DROP TABLE temp.places");
  client.run("CREATE UNIQUE INDEX temp.moved_by_id ON moved (id)");
  client.run(
    `UPDATE deliveries SET transaction_id = moved.place FROM moved WHERE moved.id = deliveries.transaction_id`,
  );
  client.run("DELETE FROM transactions WHERE id IN (SELECT id FROM moved)");
  client.run(`INSERT INTO transactions (id, number, ${others})
    SELECT place, nullif(own_number, place), ${others} FROM moved`);
  client.run("DROP TABLE temp.moved");
}
