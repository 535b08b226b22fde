import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { Clock } from "../../../src/domain/clock.ts";
import type { PendingTransaction } from "../../../src/domain/transaction.ts";
import { parseAddress } from "../../../src/store/postgres/address.ts";
import { type Connection, Connections } from "../../../src/store/postgres/connections.ts";
import { sqlStateOf } from "../../../src/store/postgres/failures.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { OutcomeUnknown } from "../../../src/store/store.ts";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { startForwarder } from "../../support/connection.ts";
import {
  describePostgres,
  holdTransaction,
  newDatabase,
  openReplica,
  openShop,
  runSql,
  sharedServer,
  untilBlocked,
} from "../../support/postgres.ts";
import { addMerchants, CREATED_AT_MS, identified, insertPending, paid } from "../../support/shop.ts";
import { PATIENCE_MS, rejectionOf, turns, until } from "../../support/waiting.ts";

/** What happens while a server fails for some time. */

const AT_MOST = { openMs: PATIENCE_MS, workMs: PATIENCE_MS };

afterEach(cleanUp);

const terminateOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND datname = current_database()`;

describePostgres((version) => {
  test("if connections are ended again and again, no payment is lost or stored twice", async () => {
    // On a busy machine, an attempt can lose its connection many times before one lasts.
    const { url, store } = await openShop(version, { commitDeadlineMs: 20_000 });
    let isOver = false;
    const ending = (async () => {
      while (!isOver) await runSql(url, terminateOthers, "SELECT pg_sleep(0.01)");
    })();
    const answered: number[] = [];
    const resolved: number[] = [];
    let unknown = 0;
    for (let round = 0; round < 10 || (unknown === 0 && round < 200); round += 1) {
      for (const end of await Promise.allSettled(Array.from({ length: 20 }, () => insertPending(store)))) {
        if (end.status === "fulfilled") answered.push(end.value.id);
        else if (end.reason instanceof OutcomeUnknown) unknown += 1;
        else throw end.reason;
      }
      const decide = async (due: readonly PendingTransaction[]) => due.map((one) => paid(one));
      const changed = await store.transactions.resolveDue(CREATED_AT_MS + 9000, 500, decide);
      resolved.push(...changed.map(({ id }) => id));
    }
    isOver = true;
    await ending;
    await store.transactions.resolveDue(CREATED_AT_MS + 9000, 500, async (due) => due.map((one) => paid(one)));
    const stored = (await runSql<{ id: number }>(url, "SELECT id::float8 AS id FROM transactions")).map(({ id }) => id);
    expect(answered.filter((id) => !stored.includes(id))).toEqual([]);
    expect(new Set(answered).size).toBe(answered.length);
    expect(stored.length).toBeLessThanOrEqual(answered.length + unknown);
    expect(new Set(resolved).size).toBe(resolved.length);
    const { summary } = await store.transactionList.list(1, {}, { number: 1, limit: 1 });
    expect(summary).toMatchObject({ totalItems: stored.length, completedCount: stored.length });
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
    expect(unknown).toBeGreaterThan(0);
  });

  test("transactions that are serializable by default conflict, and are retried", async () => {
    const { url, store } = await openShop(version);
    const name = new URL(url).pathname.slice(1);
    await runSql(url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const replicas = [await openReplica(url), await openReplica(url)];
    const pending = await Promise.all(
      Array.from({ length: 300 }, (_, index) => insertPending(replicas[index % 2] ?? store)),
    );
    const outcomes = pending.map((one) => paid(one));
    await Promise.all(replicas.map(({ transactions }) => transactions.record(outcomes)));
    const { summary } = await store.transactionList.list(1, {}, { number: 1, limit: 1 });
    expect(summary.completedCount).toBe(300);
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });

  test("a write is retried while the server is unreachable, until its deadline; later writes succeed, and the clock is read again", async () => {
    const server = await sharedServer(version);
    const forwarder = await startForwarder(server.port);
    later(() => forwarder.close());
    const url = new URL(await newDatabase(server));
    url.port = String(forwarder.port);
    let [passedMs, isCut] = [0, false];
    const stopwatch = () => performance.now() + passedMs;
    const alarm: Clock["alarm"] = (atMs, ring) => {
      const inMs = atMs - systemClock.nowMs();
      if (inMs > 9000) return () => {}; // of a beat
      // Each attempt to connect would take a quarter of the deadline.
      return systemClock.alarm(isCut ? atMs - inMs + Math.min(inMs, 200) : atMs, ring);
    };
    const clock = { ...systemClock, alarm };
    const store = await openReplica(url.href, { commitDeadlineMs: 30_000, clock });
    await addMerchants(store, 1);
    const unlucky = await openReplica(url.href, { commitDeadlineMs: 30_000, stopwatch, clock });
    const [kept, lost] = [await identified(store), await identified(unlucky)];
    isCut = true;
    forwarder.cut();
    // From the first failure on, no connection of before is used: what is written then was never sent.
    const waiting = [unlucky, store].map(({ sql }) => rejectionOf(sql.read("SELECT 1")));
    const retriesOf = ({ vitals }: PostgresStore) => [...vitals.work.retries.values()].reduce((a, b) => a + b, 0);
    await until(() => retriesOf(unlucky) > 0 && retriesOf(store) > 0);
    const losing = rejectionOf(unlucky.transactions.insert(lost));
    const before = retriesOf(unlucky);
    await until(() => retriesOf(unlucky) > before + 1);
    passedMs = 30_000;
    expect(await losing).not.toBeInstanceOf(OutcomeUnknown);
    const storing = store.transactions.insert(kept);
    forwarder.mend();
    isCut = false;
    await storing;
    await Promise.all(waiting);
    expect(await store.transactions.listPending(5)).toEqual([kept]);
    expect(unlucky.vitals.whyNotWritable()).toBe("the database's clock is not known");
    await insertPending(unlucky);
    // It is read at once, not with the next beat, and differs by what this stopwatch has added.
    await until(() => unlucky.vitals.whyNotWritable() === "the database's clock has jumped");
  });

  /** A database in which a read of the only payment, `tea`, takes 100 s. */
  async function openSlowShop(commitDeadlineMs: number) {
    const { url, store } = await openShop(version, { commitDeadlineMs });
    const pending = await insertPending(store, { reference: "tea" });
    await runSql(
      url,
      "ALTER TABLE transactions RENAME TO kept",
      `CREATE VIEW transactions AS SELECT * FROM kept WHERE CASE WHEN id = ${pending.id} THEN pg_sleep(100) IS NOT NULL END`,
    );
    return {
      url,
      store,
      pending,
      search: (signal: AbortSignal) =>
        rejectionOf(store.transactionList.list(1, { search: "tea" }, { number: 1, limit: 10 }, signal)),
      /** The sessions of the server that search. */
      async running() {
        const sleeping = "wait_event = 'PgSleep' AND query LIKE '%WITH found%' AND datname = current_database()";
        const sessions = `SELECT pid FROM pg_stat_activity WHERE ${sleeping} ORDER BY pid`;
        return (await runSql<{ pid: number }>(url, sessions)).map(({ pid }) => pid);
      },
    };
  }

  /** Of a list. */
  const TOO_LONG = {
    kind: "unavailable",
    message: "the list took more than 2 s: choose fewer days, or more of the text",
  };

  test("a search that takes longer than the deadline is refused, says what to do, and is ended at the server, too", async () => {
    const { search, running } = await openSlowShop(2000);
    const searching = search(new AbortController().signal);
    await until(running, (pids) => pids.length === 1);
    expect(await searching).toMatchObject(TOO_LONG);
    await until(running, (pids) => pids.length === 0);
  });

  test("a page, a part of an export, a status and all other reads that take longer than the deadline are refused, too", async () => {
    const { store, pending } = await openSlowShop(2000);
    const parts = store.transactionList.readAll(1, {});
    expect(await rejectionOf(parts.next())).toMatchObject(TOO_LONG);
    expect(await parts.next()).toMatchObject({ done: true });
    expect(await rejectionOf(store.transactionList.list(1, {}, { number: 1, limit: 10 }))).toMatchObject(TOO_LONG);
    const { transactions } = store;
    const reads = [
      async () => transactions.findByCheckoutRequestId(pending.checkoutRequestId),
      () => transactions.findByReference("tea"),
      () => transactions.listPending(5),
      () => transactions.countPending(pending.phone),
      () => transactions.resolveDue(CREATED_AT_MS + 9000, 5, async () => []),
    ];
    const refusals = await Promise.all(reads.map((read) => rejectionOf(read())));
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        kind: "unavailable",
        message: "the database did not answer in time: try again later",
      });
    }
  });

  test("two searches run at once, and one whose client has gone is ended at the server, too", async () => {
    const { url, search, running } = await openSlowShop(100_000);
    const clients = Array.from({ length: 4 }, () => new AbortController());
    const searches = clients.map(({ signal }) => search(signal));
    const isTwo = (pids: readonly number[]) => pids.length === 2;
    const first = await until(running, isTwo);
    await runSql(url, "SELECT pg_sleep(0.2)");
    expect(await running()).toEqual(first);
    for (const client of clients.slice(0, 2)) client.abort();
    await until(running, (pids) => isTwo(pids) && !pids.some((pid) => first.includes(pid)));
    for (const client of clients) client.abort();
    await until(running, (pids) => pids.length === 0);
    for (const error of await Promise.all(searches)) expect(String(error)).toContain("client");
  });

  const openConnections = async () => {
    const url = await newDatabase(await sharedServer(version), { empty: true });
    const connections = new Connections(parseAddress(url, null, "test"), 2, systemClock);
    later(() => connections.close());
    return { url, connections };
  };

  /** Ends a connection at the server, and waits until the driver has seen that. */
  const endAtServer = async (url: string, pid: number) => {
    await runSql(url, `SELECT pg_terminate_backend(${pid})`);
    // The socket is closed when the process is gone; the driver sees it in its next turn.
    await until(() => !existsSync(`/proc/${pid}/fd`));
    await turns(10);
  };
  const PID = "SELECT pg_backend_pid() AS pid";

  test("a transaction whose connection was ended is not committed on another connection", async () => {
    const { url, connections } = await openConnections();
    await runSql(url, "CREATE TABLE written (n int)");
    const error = await rejectionOf(
      connections.use(AT_MOST, async ({ query, script }) => {
        await script("BEGIN; INSERT INTO written VALUES (1)");
        const [row] = await query<{ pid: number }>(PID);
        await endAtServer(url, row?.pid ?? 0);
        await script("COMMIT");
      }),
    );
    expect(sqlStateOf(error)).toBe("connection");
    expect(await runSql(url, "SELECT n FROM written")).toEqual([]);
  });

  test("work that fails takes its connection with it, because a transaction can be open", async () => {
    const { connections } = await openConnections();
    const failure = new Error("the work fails");
    const pids: unknown[] = [];
    const work = async ({ query, script }: Connection) => {
      await script("BEGIN");
      pids.push(await query(PID));
      throw failure;
    };
    for (const _ of [1, 2]) expect(await rejectionOf(connections.use(AT_MOST, work))).toBe(failure);
    expect(pids[1]).not.toEqual(pids[0]);
  });

  test("at its deadline work without an answer is rejected, and says so; then no connection of before is used", async () => {
    const { url, connections } = await openConnections();
    // Each holds its connection until both have one.
    const pidsOfTwo = async () => {
      const release = await holdTransaction(url, "SELECT pg_advisory_xact_lock(7)");
      const pidOf = ({ query }: Connection) => query<{ pid: number }>(`${PID}, pg_advisory_xact_lock_shared(7)`);
      const both = Promise.all([connections.use(AT_MOST, pidOf), connections.use(AT_MOST, pidOf)]);
      await untilBlocked(url, 2);
      await release();
      return (await both).flat();
    };
    const before = await pidsOfTwo();
    expect(new Set(before.map(({ pid }) => pid)).size).toBe(2);
    const late = await rejectionOf(
      connections.use({ openMs: PATIENCE_MS, workMs: 100 }, ({ query }) => query("SELECT pg_sleep(30)")),
    );
    expect(String(late)).toBe("Error: the database server did not answer in time");
    for (const { pid } of await pidsOfTwo()) expect(before.map((one) => one.pid)).not.toContain(pid);
  });

  test("a connection that the server ended while it was idle is not used again", async () => {
    const { url, connections } = await openConnections();
    const pidOf = async () => (await connections.use(AT_MOST, ({ query }) => query<{ pid: number }>(PID)))[0]?.pid ?? 0;
    const first = await pidOf();
    await endAtServer(url, first);
    expect(await pidOf()).not.toBe(first);
  });
});
