import { Database } from "bun:sqlite";

/** The checkout request ids of some payments in a database, in no order that they were made in. */
export function checkoutIdsIn(file: string, count: number): string[] {
  const client = new Database(file);
  const rows = client
    .query<{ id: string }, [number]>(
      "SELECT checkout_request_id AS id FROM transactions ORDER BY merchant_request_id LIMIT ?",
    )
    .all(count);
  client.close();
  return rows.map(({ id }) => id);
}
