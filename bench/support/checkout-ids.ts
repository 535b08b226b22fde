import { Database } from "bun:sqlite";
import { createRequestIds } from "../../src/domain/identifiers.ts";

/** The checkout request ids of some payments in a database, not in the order of creation. */
export function checkoutIdsIn(file: string, count: number): string[] {
  const client = new Database(file, { readonly: true });
  const [numbering] = client.query<{ key: Uint8Array }, []>("SELECT request_id_key AS key FROM numbering").all();
  const rows = client
    .query<{ id: number; at: number; secret: string }, [number]>(
      "SELECT id, created_at_ms AS at, secret FROM transactions ORDER BY id * 2654435761 % 4294967296 LIMIT ?",
    )
    .all(count);
  client.close();
  const requestIds = createRequestIds(numbering?.key ?? new Uint8Array(32));
  return rows.map(({ id, at, secret }) => requestIds.restore(id, at, secret).checkoutRequestId);
}
