import { afterEach, expect, test } from "bun:test";
import { type Day, dayOf } from "../../../src/domain/timestamp.ts";
import { createSteeringTable } from "../../../src/store/postgres/postgres.ts";
import { toRow } from "../../../src/store/postgres/rows.ts";
import { areTotalsTrue, foldTotals } from "../../../src/store/postgres/totals.ts";
import { INSERT } from "../../../src/store/postgres/transactions.ts";
import { toNewRow } from "../../../src/store/rows.ts";
import type { TableRows } from "../../../src/store/transfer.ts";
import { cleanUp } from "../../support/cleanup.ts";
import {
  describePostgres,
  newDatabase,
  openReplica,
  openShop,
  runSql,
  sharedServer,
  untilBlocked,
} from "../../support/postgres.ts";
import { CREATED_AT_MS, identified, insertPending, paid } from "../../support/shop.ts";
import { rejectionOf } from "../../support/waiting.ts";

afterEach(cleanUp);

describePostgres((version) => {
  test("the shards of past days are added up, and the sums stay; a full count finds a wrong sum", async () => {
    const { url, store } = await openShop(version);
    const pending = await Promise.all(Array.from({ length: 40 }, () => insertPending(store)));
    const other = await openReplica(url);
    await other.transactions.record(pending.map((one) => paid(one)));
    const shards = () => runSql<{ shard: string }>(url, "SELECT DISTINCT shard FROM day_totals WHERE count <> 0");
    const today: Day = dayOf(CREATED_AT_MS);
    await foldTotals(store.sql, today);
    expect((await shards()).length).toBeGreaterThan(1);
    await Promise.all([foldTotals(store.sql, today + 1), foldTotals(other.sql, today + 1)]);
    expect(await shards()).toEqual([{ shard: "" }]);
    const more = await insertPending(store);
    await store.transactions.record([paid(more)]);
    await foldTotals(store.sql, today + 1);
    expect(await shards()).toEqual([{ shard: "" }]);
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
    const filter = { date_from: today, date_to: today };
    const { summary } = await store.transactionList.list(1, filter, { number: 1, limit: 1 });
    expect(summary).toMatchObject({ completedCount: 41, pendingCount: 0 });
    await runSql(url, "UPDATE day_totals SET amount_cents = amount_cents + 1");
    expect(await areTotalsTrue(store.sql.read)).toBe(false);
  });

  test("the triggers refuse to change a final row, and every column that is not part of the outcome", async () => {
    const { url, store } = await openShop(version);
    const [open, final] = [await insertPending(store), await insertPending(store)];
    await store.transactions.record([paid(final)]);
    const update = (id: number, what: string) =>
      rejectionOf(runSql(url, `UPDATE transactions SET ${what} WHERE id = ${id}`));
    expect(String(await update(final.id, "memo = 'other'"))).toContain("a final transaction never changes");
    expect(String(await update(open.id, "amount_cents = 200"))).toContain("only the outcome of a transaction changes");
    expect(await update(open.id, "memo = 'other'")).toBeNull();
  });

  test("all rows move to an empty database, as they were at one point in time, and numbers continue", async () => {
    const { store } = await openShop(version);
    await store.merchants.addKey({ apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" }, 5);
    const pending = await Promise.all(
      Array.from({ length: 1200 }, (_, n) => insertPending(store, { reference: `\0 ${n}` })),
    );
    await store.transactions.record(pending.slice(0, 600).map((one) => paid(one)));
    const copyUrl = await newDatabase(await sharedServer(version));
    const copy = await openReplica(copyUrl);
    async function* exportWhileWriting(): AsyncGenerator<TableRows> {
      let isFirst = true;
      for await (const rows of store.exportAll()) {
        // It is stored after the export began, so it is not in the copy.
        if (isFirst) await insertPending(store);
        isFirst = false;
        yield rows;
      }
    }
    await copy.importAll(exportWhileWriting());
    const { summary } = await copy.transactionList.list(1, {}, { number: 1, limit: 1 });
    expect(summary).toMatchObject({ totalItems: 1200, pendingCount: 600, completedCount: 600 });
    expect(await areTotalsTrue(copy.sql.read)).toBe(true);
    const [counted] = await copy.sql.read("SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'transactions'");
    expect(counted).toEqual({ rows: 1200 }); // The planner knows how many there are.
    expect(await copy.merchants.findKey("mk_a")).toEqual(await store.merchants.findKey("mk_a"));
    expect(String(await rejectionOf(copy.importAll(store.exportAll())))).toContain("has merchants already");
    const again = await openReplica(copyUrl);
    expect(await again.transactions.findByReference("\0 7")).toEqual(await store.transactions.findByReference("\0 7"));
    expect((await insertPending(again)).id).toBeGreaterThan(1200);
    expect((await again.merchants.addMerchant("Second", 1))?.id).toBe(2);
    const tariff = { basisPoints: 0, fixedCents: 0 };
    expect((await again.merchants.addPaymentAccount({ merchantId: 2, name: "Till", tariff }, 1))?.id).toBe(2);
    const key = { apiKey: "mk_b", secretHash: new Uint8Array(32), merchantId: 2, label: "till" };
    expect(await again.merchants.addKey(key, 1)).toBe(true);
  });

  test("a copy does not use the numbers of payments again that a reset has removed", async () => {
    const { store } = await openShop(version);
    const last = (await Promise.all([1, 2, 3].map(() => insertPending(store)))).map(({ id }) => id).sort()[2] ?? 0;
    await store.transactions.clear();
    await store.transactions.clear();
    const copy = await openReplica(await newDatabase(await sharedServer(version)));
    await copy.importAll(store.exportAll());
    expect((await insertPending(copy)).id).toBeGreaterThan(last);
  });

  test("nor the number of a payment that another server was storing when the reset began", async () => {
    const { url, store } = await openShop(version);
    const other = await openReplica(url);
    const late = await identified(other);
    const [isWritten, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stored = other.sql.transaction(async (query) => {
      await query(INSERT, [JSON.stringify([toRow(toNewRow(late))]), "a shard"]);
      isWritten.resolve();
      await mayCommit.promise;
    });
    await isWritten.promise;
    const cleared = store.transactions.clear();
    await untilBlocked(url, 1);
    mayCommit.resolve();
    await Promise.all([stored, cleared]);
    expect(await store.transactions.lastStartMs()).toBeNull();
    expect(await runSql(url, "SELECT last_forgotten::float8 AS last FROM numbering")).toEqual([{ last: late.id }]);
  });

  test("a thousand keys of a merchant can be in force; of more revoked ones the first is forgotten", async () => {
    const { url, store } = await openShop(version);
    const { merchants } = store;
    await runSql(
      url,
      `INSERT INTO api_keys (api_key, secret_hash, merchant_id, label, created_at_ms, revoked_at_ms)
      SELECT 'mk_' || n, decode(repeat('00', 32), 'hex'), 1, 'x', 1, CASE WHEN n > 999 THEN n END FROM generate_series(1, 1999) AS n`,
    );
    const key = { apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" };
    expect([await merchants.addKey(key, 1), await merchants.addKey({ ...key, apiKey: "mk_b" }, 1)]).toEqual([
      true,
      false,
    ]);
    await merchants.revokeKey("mk_1", 5000);
    const revoked = (await merchants.listKeys(1)).filter(({ revokedAtMs }) => revokedAtMs !== null);
    expect(revoked).toHaveLength(1000);
    expect(await merchants.findKey("mk_1000")).toBeNull();
    expect(await merchants.findKey("mk_1")).toMatchObject({ revokedAtMs: 5000 });
  });

  test("a thousand accounts of each merchant, and ten thousand merchants, can exist", async () => {
    const { url, store } = await openShop(version);
    const { merchants } = store;
    await runSql(url, "INSERT INTO merchants SELECT n, 'x', 1 FROM generate_series(1001, 10998) AS n");
    await runSql(url, "INSERT INTO payment_accounts SELECT n, 1, 'x', 0, 0, 1 FROM generate_series(1001, 1998) AS n");
    const till = { name: "Till", tariff: { basisPoints: 0, fixedCents: 0 } };
    const added = [];
    // The refused one takes no number: the next ids do not follow it.
    for (const account of [{ merchantId: 1 }, { merchantId: 1, id: 2_147_483_647 }, { merchantId: 1001 }])
      added.push(await merchants.addPaymentAccount({ ...till, ...account }, 1));
    expect(added).toMatchObject([{ merchantId: 1, id: 2 }, null as never, { merchantId: 1001, id: 3 }]);
    expect([await merchants.addMerchant("Last", 1), await merchants.addMerchant("More", 1)]).toEqual([
      { id: expect.any(Number), name: "Last" },
      null,
    ]);
  });
});

/** The document that all replicas follow, and the leases of the replicas. */

const LEASE_MS = 3000;

describePostgres((version) => {
  /** Replicas on one database. Its clock goes on only while one of them waits, which `onWait` sees. */
  async function openReplicas() {
    const { url, store } = await openShop(version);
    let nowMs = 1_800_000_000_000;
    let onWait = async () => {};
    const clock = {
      ...{ nowMs: () => nowMs, offsetMs: 0, state: "known" as const },
      alarm(atMs: number, ring: () => void) {
        nowMs = atMs;
        void onWait().then(ring);
        return () => {};
      },
    };
    return {
      open: (name: string, boot: string) => createSteeringTable(store.sql, clock, name, boot),
      pass: (durationMs: number) => {
        nowMs += durationMs;
      },
      waiting: (run: () => Promise<void>) => {
        onWait = run;
      },
      nowMs: () => nowMs,
      rows: () => runSql<{ id: string }>(url, "SELECT id FROM replicas ORDER BY id"),
      url,
    };
  }

  const keep = ({ document }: { document: string }) => document;
  const join = async (replica: ReturnType<typeof createSteeringTable>) => {
    let wasAlone = false;
    const { version: joined } = await replica.join(LEASE_MS, (current, isAlone) => {
      wasAlone = isAlone;
      return keep(current);
    });
    return [joined, wasAlone];
  };

  test("each replica joins with a new version, and learns whether it is alone; names that begin alike are different", async () => {
    const { open, pass } = await openReplicas();
    const [a, a1] = [open("a", "one"), open("a1", "one")];
    expect(await join(a1)).toEqual([1, true]);
    expect(await join(a)).toEqual([2, false]);
    expect(await a.read()).toEqual({ version: 2, document: "{}" });
    expect(await a.behind(2)).toEqual(["a1/one"]);
    await a1.confirm(2, LEASE_MS);
    expect(await a.behind(2)).toEqual([]);
    // A replica whose lease has ended follows nothing, and is not waited for.
    expect(await a.behind(3)).toEqual(["a/one", "a1/one"]);
    pass(LEASE_MS - 1);
    expect(await a.behind(3)).toEqual(["a/one", "a1/one"]);
    pass(1);
    expect(await a.behind(3)).toEqual([]);
    expect(await join(open("b", "one"))).toEqual([3, true]);
  });

  test("a replica that leaves is alone no more, and one that was killed is forgotten after a minute", async () => {
    const { open, pass, rows } = await openReplicas();
    const [a, b] = [open("a", "one"), open("b", "one")];
    await join(a);
    await b.join(LEASE_MS, keep);
    await b.leave();
    expect(await rows()).toEqual([{ id: "a/one" }]);
    await a.leave();
    expect(await join(b)).toEqual([3, true]);
    pass(LEASE_MS + 60_000);
    await join(a);
    expect(await rows()).toEqual([{ id: "a/one" }, { id: "b/one" }]);
    await a.leave();
    pass(1);
    await join(a);
    expect(await rows()).toEqual([{ id: "a/one" }]);
  });

  test("a server with a name that is in use waits until the lease ends, and is refused if it does not", async () => {
    const { open, waiting, nowMs } = await openReplicas();
    const a = open("a", "one");
    await join(a);
    const startMs = nowMs();
    expect(await join(open("a", "two"))).toEqual([2, true]);
    expect(nowMs() - startMs).toBeGreaterThanOrEqual(LEASE_MS);
    expect(nowMs() - startMs).toBeLessThanOrEqual(LEASE_MS + 250);

    waiting(() => a.confirm(2, LEASE_MS));
    const refused = await rejectionOf(join(open("a", "three")));
    expect(refused).toMatchObject({ problem: "taken", message: "another server with the name a uses this database" });
    expect(await a.read()).toMatchObject({ version: 2 });
  });

  test("changes at once are made one after the other, also those of another connection; one work at a time is exclusive", async () => {
    const { open, url } = await openReplicas();
    const other = await openReplica(url);
    const tables = [open("a", "one"), createSteeringTable(other.sql, other.clock, "b", "one")];
    const add = (document: string, n: number) => JSON.stringify({ ...JSON.parse(document), [n]: true });
    const edits = tables.flatMap((table, place) =>
      Array.from({ length: 10 }, (_, n) => table.edit(({ document }) => add(document, 10 * place + n))),
    );
    const versions = (await Promise.all(edits)).map((one) => one.version);
    expect(versions.sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(Object.keys(JSON.parse((await tables[0]?.read())?.document ?? "{}"))).toHaveLength(20);

    let [running, most] = [0, 0];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await runSql(url, "SELECT pg_sleep(0.05)");
      running -= 1;
    };
    await Promise.all([...tables, ...tables].map((table) => table.exclusively(work)));
    expect(most).toBe(1);
  });
});
