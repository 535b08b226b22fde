import type { Database } from "bun:sqlite";
import { createRequestIds, MAX_NUMBER, type RequestIds } from "../../domain/identifiers.ts";
import { onFirstUse } from "../../domain/on-first-use.ts";

/** Numbers transactions, and writes the numbers as request ids under the key of this database. */
export interface Numbering {
  readonly requestIds: () => RequestIds;
  /** A number that no transaction of this database has or had. */
  next(): number;
  /** In the commit in which all transactions are forgotten: their numbers are not given again after a restart either. */
  keepFloor(): void;
}

/** Numbers are given in memory. One whose payment was never stored may come again after a restart: nobody was told of it. */
export function createNumbering(client: Database): Numbering {
  const last = client.query<{ last: number }, []>(
    "SELECT max(last_forgotten, coalesce((SELECT max(id) FROM transactions), 0)) AS last FROM numbering",
  );
  let given: number | undefined;
  const lastGiven = () => (given ??= last.get()?.last ?? 0);

  return {
    requestIds: onFirstUse(() => {
      const row = client.query<{ key: Uint8Array }, []>("SELECT request_id_key AS key FROM numbering").get();
      if (!row) throw new Error("the database has no key for request ids");
      return createRequestIds(row.key);
    }),
    next() {
      if (lastGiven() >= MAX_NUMBER) throw new Error("every number is given");
      given = lastGiven() + 1;
      return given;
    },
    keepFloor() {
      client.run("UPDATE numbering SET last_forgotten = max(last_forgotten, ?)", [lastGiven()]);
    },
  };
}
