import { afterEach, describe, expect, test } from "bun:test";
import { resolve } from "../../../src/domain/state-machine.ts";
import type { PendingTransaction } from "../../../src/domain/transaction.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import { available, newDatabase, openEngine, runSql, sharedServer, type Version } from "../../support/postgres.ts";
import { startProgram } from "../../support/program.ts";
import { addMerchants, insertPending } from "../../support/shop.ts";
import { SLACK_MS } from "../../support/time-outs.ts";

const DUE_MS = CREATED_AT_MS + 10_000;

afterEach(cleanUp);

const pay = (one: PendingTransaction) => resolve(one, paidAt(CREATED_AT_MS + 5, `R${one.id}`));

async function openShop(version: Version, payments: number) {
  const url = await newDatabase(await sharedServer(version));
  const store = await openReplica(url);
  await addMerchants(store, 1);
  const pending = await Promise.all(Array.from({ length: payments }, () => insertPending(store)));
  return { url, store, pending };
}

async function openReplica(url: string): Promise<PostgresStore> {
  const store = await openEngine(url);
  later(() => store.close());
  return store;
}

for (const version of available()) {
  describe(`PostgreSQL ${version}: what is due is decided by one replica`, () => {
    test("while it is decided, others do not take it, and wait for the end of it", async () => {
      const { url, store, pending } = await openShop(version, 3);
      const other = await openReplica(url);
      const [entered, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = store.transactions.resolveDue(DUE_MS, 10, async (due) => {
        entered.resolve();
        await decided.promise;
        return due.map(pay);
      });
      await entered.promise;
      let taken: readonly PendingTransaction[] | null = null;
      const second = other.transactions.resolveDue(DUE_MS, 10, async (due) => {
        taken = due;
        return [];
      });
      // It asks about nothing, until it knows that nothing is left.
      await runSql(url, "SELECT pg_sleep(0.2)");
      expect(taken).toBeNull();
      decided.resolve();
      expect((await first).length).toBe(3);
      expect(await second).toEqual([]);
      expect(taken as unknown).toEqual([]);
      expect(await other.transactions.findByCheckoutRequestId(pending[0]?.checkoutRequestId ?? "")).toMatchObject({
        status: "completed",
      });
    });

    test("four replicas ask about each payment once, and resolve none twice", async () => {
      const { url, store } = await openShop(version, 3000);
      const replicas = [store, await openReplica(url), await openReplica(url), await openReplica(url)];
      const [asked, resolved]: [number[], number[]] = [[], []];
      await Promise.all(
        replicas.map(async ({ transactions }) => {
          for (let taken = 1; taken > 0; ) {
            const changed = await transactions.resolveDue(DUE_MS, 100, async (due) => {
              taken = due.length;
              asked.push(...due.map(({ id }) => id));
              return due.map(pay);
            });
            resolved.push(...changed.map(({ id }) => id));
          }
        }),
      );
      expect(new Set(resolved).size).toBe(3000);
      expect(resolved.length).toBe(3000);
      expect(asked.length / resolved.length).toBeLessThanOrEqual(1.05);
      expect(await areTotalsTrue(store.sql.read)).toBe(true);
      expect(replicas.reduce((sum, { metrics }) => sum + metrics.resolved, 0)).toBe(3000);
    });

    test.each(["SIGKILL", "SIGSTOP"] as const)(
      "a holder that gets %s holds nothing for longer than two seconds",
      async (signal) => {
        const { url, store } = await openShop(version, 5);
        const { child, line } = startProgram("hold-claim", url, String(DUE_MS));
        expect(await line()).toBe("holds 5");
        process.kill(child.pid, signal);
        const startMs = performance.now();
        const changed = await store.transactions.resolveDue(DUE_MS, 10, async (due) => due.map(pay));
        expect(changed.length).toBe(5);
        expect(performance.now() - startMs).toBeLessThan(2000 + SLACK_MS);
        child.kill("SIGKILL");
        await child.exited;
      },
    );

    test("what a replica decided is written although its transaction died before the commit", async () => {
      const { url, store, pending } = await openShop(version, 2);
      const changed = await store.transactions.resolveDue(DUE_MS, 10, async (due) => {
        await runSql(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()",
        );
        return due.map(pay);
      });
      expect(changed.map(({ id }) => id).sort()).toEqual(pending.map(({ id }) => id).sort());
      expect(await areTotalsTrue(store.sql.read)).toBe(true);
    });
  });
}
