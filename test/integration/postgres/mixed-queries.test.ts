import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { available, newDatabase, sharedServer } from "../../support/postgres.ts";

/** Earlier versions of Bun gave one query the rows of another. */
const QUERIES = 8000;

for (const version of available()) {
  describe(`PostgreSQL ${version}`, () => {
    test(`of ${QUERIES} queries at once on one connection, each gets its own rows`, async () => {
      const { hostname, port, username, pathname } = new URL(await newDatabase(await sharedServer(version)));
      const login = { hostname, port, username, database: pathname.slice(1) };
      const client = new SQL({ adapter: "postgres", ...login, max: 1, prepare: false });
      const shapes = [
        (n: number) => ({ text: "SELECT $1::int AS n", parameters: [n] as unknown[], rows: [{ n }] as object[] }),
        (n: number) => ({
          text: "SELECT $1::text AS n, 1 AS one",
          parameters: [`${n}`],
          rows: [{ n: `${n}`, one: 1 }],
        }),
        (n: number) => ({ text: `SELECT ${n} AS n`, parameters: [], rows: [{ n }] }),
        (n: number) => ({ text: "SELECT $1::int AS n WHERE false", parameters: [n], rows: [] }),
        (n: number) => ({
          text: "SELECT x.n FROM json_to_recordset($1::text::json) AS x(n int)",
          parameters: [JSON.stringify([{ n }, { n: n + 1 }])],
          rows: [{ n }, { n: n + 1 }],
        }),
      ];
      const asked = Array.from({ length: QUERIES }, (_, n) => shapes[n % shapes.length]?.(n));
      const answers = await Promise.all(asked.map((one) => client.unsafe(one?.text ?? "", one?.parameters)));
      const wrong = answers.filter((rows, n) => JSON.stringify([...rows]) !== JSON.stringify(asked[n]?.rows));
      expect(wrong).toEqual([]);
      await client.close({ timeout: 0 });
    });
  });
}
