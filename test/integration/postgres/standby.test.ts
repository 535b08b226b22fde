import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PendingTransaction } from "../../../src/domain/transaction.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { OutcomeUnknown } from "../../../src/store/store.ts";
import { startChild } from "../../support/child.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { startForwarder } from "../../support/connection.ts";
import { findProgram, testWith } from "../../support/needs.ts";
import {
  asNobody,
  describePostgres,
  freePort,
  giveToNobody,
  holdTransaction,
  newDatabase,
  openEngine,
  openReplica,
  runSql,
  sharedServer,
  untilBlocked,
  urlOf,
  type Version,
} from "../../support/postgres.ts";
import { addMerchants, CREATED_AT_MS, identified, insertPending, paid } from "../../support/shop.ts";
import { rejectionOf, SLACK_MS, TEST_TIMEOUT_MS, until } from "../../support/waiting.ts";
import { makeStandby, type Node, promote, startNode, startPrimary, stopNode, urlAt } from "../failover/cluster.ts";

/** An answered payment is on the standby. PostgreSQL can answer a commit that the standby does not have, in two known ways. */

describePostgres(defineTests, ["15"]);

function defineTests(): void {
  let primary: Node;
  let standby: Node;
  let store: PostgresStore;
  beforeAll(async () => {
    ({ primary, standby } = await startPrimary());
    await makeStandby(primary, standby, true);
    store = await openReplica(urlAt(primary), { requireReplica: true, commitDeadlineMs: 60_000 });
    await addMerchants(store, 1);
  }, TEST_TIMEOUT_MS);
  afterAll(cleanUp);

  /** Waits until a statement waits for the standby. */
  const untilWaiting = async (statement: string) => {
    const waiting = () =>
      runSql<{ pid: number }>(
        urlAt(primary),
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%${statement}%' AND pid <> pg_backend_pid()`,
      );
    const [row] = await until(waiting, (rows) => rows.length > 0);
    return row?.pid ?? 0;
  };
  const select = (id: number) => `SELECT 1 FROM transactions WHERE id = ${id}`;
  /** The standby shows a little later what it has on disk, the tables too. */
  const untilOnStandby = (id: number) =>
    until(
      () => runSql(urlAt(standby), select(id)).catch(() => []),
      (rows) => rows.length === 1,
    );

  test("a payment that is answered is on the standby, and the store says that it waits for one", async () => {
    expect(await store.vitals.measure()).toMatchObject({ durability: "standby (*)" });
    await untilOnStandby((await insertPending(store)).id);
  });

  test("the standby itself is refused: it takes no writes", async () => {
    const message = expect.stringContaining("is a standby, and takes no writes");
    expect(await rejectionOf(openEngine(urlAt(standby)))).toMatchObject({ problem: "standby", message });
  });

  test("at its deadline a write is rejected as unknown: its connection is closed, and nothing is cancelled", async () => {
    const impatient = await openReplica(urlAt(primary), { commitDeadlineMs: 2000 });
    const pending = await identified(impatient);
    const log = Bun.file(join(primary.folder, "log"));
    const cancelled = async () => (await log.text()).split("canceling wait").length;
    const before = await cancelled();
    await stopNode(standby);
    expect(await rejectionOf(impatient.transactions.insert(pending))).toBeInstanceOf(OutcomeUnknown);
    expect(impatient.vitals.work.unknownOutcomes).toBe(1);
    await startNode(standby);
    // It is stored when the standby is back, so "unknown" was right.
    await untilOnStandby(pending.id);
    expect(await cancelled()).toBe(before);
  });

  test("outcomes whose commits had no answer are written when the standby is back, and none is returned twice", async () => {
    for (const [goneMs, length] of [
      [1400, 40],
      [4500, 40],
      [4500, 1],
    ] as const) {
      const impatient = await openReplica(urlAt(primary), { commitDeadlineMs: 3000 });
      const dueMs = CREATED_AT_MS + 9000;
      const due = await Promise.all(Array.from({ length }, () => insertPending(impatient)));
      await stopNode(standby);
      const back = Bun.sleep(goneMs).then(() => startNode(standby));
      const returned: number[] = [];
      const resolveAll = async () => {
        const changed = await impatient.transactions
          .resolveDue(dueMs, 500, async (claimed) => claimed.map((one) => paid(one)))
          .catch(() => []);
        return returned.push(...changed.map(({ id }) => id));
      };
      const isPending = async ({ checkoutRequestId }: PendingTransaction) =>
        (await impatient.transactions.findByCheckoutRequestId(checkoutRequestId))?.status === "pending";
      const countPending = async () => (await Promise.all(due.map(isPending))).filter(Boolean).length;
      await back;
      await until(
        () => resolveAll().then(countPending),
        (count) => count === 0,
      );
      expect(returned.length).toBe(new Set(returned).size);
      expect(await areTotalsTrue(impatient.sql.read)).toBe(true);
    }
  });

  test("a payment whose connection dies while it waits is left unknown, although its row is visible", async () => {
    const pending = await identified(store);
    await stopNode(standby);
    const storing = rejectionOf(store.transactions.insert(pending));
    await runSql(urlAt(primary), `SELECT pg_terminate_backend(${await untilWaiting("momo_insert")})`);
    await until(async () => (await runSql(urlAt(primary), select(pending.id))).length === 1);
    expect(await storing).toBeInstanceOf(OutcomeUnknown);
    await startNode(standby);
    await untilOnStandby(pending.id);
  });

  test("a replaced primary that still answers: a payment that it does not have is found, and the next is stored in time", async () => {
    const forwarder = await startForwarder(primary.port);
    later(() => forwarder.close());
    const left = await openReplica(urlOf(forwarder.port, "postgres"), { connections: 8 });
    // Eight idle connections to the old primary.
    const release = await holdTransaction(urlAt(primary), "SELECT pg_advisory_xact_lock(7)");
    const reads = Array.from({ length: 8 }, () => left.sql.read("SELECT pg_advisory_xact_lock_shared(7)"));
    await untilBlocked(urlAt(primary), 8);
    await release();
    await Promise.all(reads);
    await promote(standby);
    forwarder.redirect(standby.port);
    const paid = await insertPending(await openReplica(urlAt(standby)));
    const startedMs = performance.now();
    expect(await left.transactions.findByCheckoutRequestId(paid.checkoutRequestId)).toEqual(paid);
    const stored = await insertPending(left);
    expect(performance.now() - startedMs).toBeLessThan(5000 + SLACK_MS);
    expect(await runSql(urlAt(standby), select(stored.id))).toHaveLength(1);
  });
}

/** Replicas behind PgBouncer in transaction mode. */

afterAll(cleanUp);

/** PgBouncer gives each transaction another connection: what belongs to a session is lost, or belongs to another client. */
async function startPooler(port: number): Promise<number> {
  const folder = newFolder();
  const listen = freePort();
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
    at.transactions.resolveDue(CREATED_AT_MS + 9000, limit, async (due) => due.map((one) => paid(one)));
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
