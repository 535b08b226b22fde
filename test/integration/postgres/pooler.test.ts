import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolve } from "../../../src/domain/state-machine.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { startChild } from "../../support/child.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { findProgram, testWith } from "../../support/needs.ts";
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
import { addMerchants, CREATED_AT_MS, insertPending, paidAt } from "../../support/shop.ts";

/** Replicas behind PgBouncer in transaction mode. */

afterAll(cleanUp);

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
  const resolveSome = (at: PostgresStore, limit: number) =>
    at.transactions.resolveDue(CREATED_AT_MS + 9000, limit, async (due) =>
      due.map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `P${one.id}`))),
    );
  const resolved = await Promise.all([resolveSome(store, 300), resolveSome(other, 300)]);
  resolved.push(await resolveSome(store, 500));
  const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id).sort();
  expect(ids(resolved.flat())).toEqual(ids(pending));
  const { summary } = await store.transactionList.list(1, {}, { number: 1, limit: 10 });
  expect(summary).toMatchObject({ totalItems: 400, completedCount: 400, pendingCount: 0 });
  expect(await areTotalsTrue(store.sql.read)).toBe(true);
}

describePostgres(
  (version) => testWith(["PgBouncer"], "every query gets its own rows", () => payBehindPooler(version)),
  ["15"],
);
