import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { resolve } from "../../../src/domain/state-machine.ts";
import type { PendingTransaction } from "../../../src/domain/transaction.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { startChild } from "../../support/child.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { findProgram, testWith } from "../../support/needs.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import {
  asNobody,
  describePostgres,
  freePort,
  giveToNobody,
  newDatabase,
  openReplica,
  sharedServer,
  type Version,
} from "../../support/postgres.ts";
import { addMerchants, insertPending } from "../../support/shop.ts";

/** Every query gets its own result, on one connection and behind a pooler. */

afterAll(cleanUp);

const QUERIES = 4000;

/** PgBouncer gives each transaction another connection: what belongs to a session is lost, or belongs to another client. */
async function startPooler(port: number): Promise<number> {
  const folder = newFolder();
  const listen = await freePort();
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    `[databases]\n* = host=127.0.0.1 port=${port} user=momo\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listen}
auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nunix_socket_dir =\n`,
  );
  giveToNobody(folder);
  const child = startChild([...asNobody, findProgram("pgbouncer") ?? "", join(folder, "pgbouncer.ini")], {
    env: {},
    cwd: "/",
  });
  later(async () => {
    child.signal("SIGKILL");
    await child.exited;
  });
  await child.stderr.until(/process up/);
  return listen;
}

const pay = (due: readonly PendingTransaction[]) =>
  due.map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `P${one.id}`)));

describePostgres(
  (version) => {
    // Earlier versions of Bun gave one query the rows of another.
    test(`of ${QUERIES} queries at once on one connection, each gets its own rows`, async () => {
      const { hostname, port, username, pathname } = new URL(await newDatabase(await sharedServer(version)));
      const login = { hostname, port, username, database: pathname.slice(1) };
      const client = new SQL({ adapter: "postgres", ...login, max: 1, prepare: false });
      const shapes: ((n: number) => { text: string; parameters: unknown[]; rows: object[] })[] = [
        (n) => ({ text: "SELECT $1::int AS n", parameters: [n], rows: [{ n }] }),
        (n) => ({ text: "SELECT $1::text AS n, 1 AS one", parameters: [`${n}`], rows: [{ n: `${n}`, one: 1 }] }),
        (n) => ({ text: `SELECT ${n} AS n`, parameters: [], rows: [{ n }] }),
        (n) => ({ text: "SELECT $1::int AS n WHERE false", parameters: [n], rows: [] }),
        (n) => ({
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

    testWith(["PgBouncer"], "behind PgBouncer in transaction mode", () => payBehindPooler(version));
  },
  ["15"],
);

/** Two replicas behind PgBouncer store, find and resolve 400 payments. */
async function payBehindPooler(version: Version): Promise<void> {
  const server = await sharedServer(version);
  const url = new URL(await newDatabase(server));
  url.port = String(await startPooler(server.port));
  const [store, other] = [await openReplica(url.href), await openReplica(url.href)];
  await addMerchants(store, 1);
  const pending = await Promise.all(
    Array.from({ length: 400 }, (_, n) => insertPending(n % 2 === 0 ? store : other, { reference: `R-${n}` })),
  );
  const found = await Promise.all(
    pending.flatMap(({ checkoutRequestId }, n) => [
      Promise.resolve((n % 2 === 0 ? other : store).transactions.findByCheckoutRequestId(checkoutRequestId)),
      store.transactions.findByReference(`R-${n}`),
    ]),
  );
  expect(found).toEqual(pending.flatMap((one) => [one, one]));
  const resolved = await Promise.all(
    [store, other].map(({ transactions }) =>
      transactions.resolveDue(CREATED_AT_MS + 9000, 300, async (due) => pay(due)),
    ),
  );
  resolved.push(await store.transactions.resolveDue(CREATED_AT_MS + 9000, 500, async (due) => pay(due)));
  const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id).sort();
  expect(ids(resolved.flat())).toEqual(ids(pending));
  const { summary } = await store.transactionList.list(1, {}, { number: 1, limit: 10 });
  expect(summary).toMatchObject({ totalItems: 400, completedCount: 400, pendingCount: 0 });
  expect(await areTotalsTrue(store.sql.read)).toBe(true);
}
