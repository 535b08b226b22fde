import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { connectTo } from "../../support/connection.ts";
import { openShop } from "../../support/fake-server.ts";
import { describeWith } from "../../support/needs.ts";
import { balance, describeWithPostgres, emptyDatabase, startReplica } from "../../support/replicas.ts";
import { SLACK_MS, until } from "../../support/waiting.ts";
import { startLoad } from "../failover/load.ts";

afterAll(cleanUp);

describeWithPostgres("a stop", () => {
  describeWith(["haproxy"], "behind HAProxy", () => {
    test("three stops under load: no request is refused or reset, and each payment has its webhook", async () => {
      const shop = openShop();
      const database = await emptyDatabase();
      const start = (name: string) => startReplica(database, name, ["--drain", "2s", "--webhook", shop.url]);
      const replicas = [await start("a"), await start("b"), await start("c"), await start("d")];
      const load = startLoad(await balance(replicas), { clients: 16, pauseMs: 0 });
      for (const replica of replicas.slice(0, 3)) {
        const before = load.answered.length;
        expect(await replica.stop()).toBe(0);
        expect(load.answered.length).toBeGreaterThan(before);
      }
      await load.stop();
      expect([...load.reasons]).toEqual([]);
      expect(load.notFound).toBe(0);
      const { never } = await shop.told(load.answered.map(({ transactionId }) => transactionId));
      expect(never).toBe(0);
      await replicas[3]?.stop();
    });
  });

  test("says so at once to load balancers, closes each connection after its answer, and ends after --drain", async () => {
    const replica = await startReplica(await emptyDatabase(), "a", ["--drain", "1500ms"]);
    const kept = await connectTo(replica.ready.base_url);
    const startedMs = performance.now();
    const stopped = replica.stop();
    await until(
      async () => (await replica.ask("GET", "/ready")).status,
      (status) => status === 503,
    );
    expect((await replica.ask("GET", "/health")).status).toBe(200);
    kept.write("GET /v2/transactions.php HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await kept.received.until(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/i);
    await kept.closed;
    await replica.pay();
    expect(await stopped).toBe(0);
    expect(performance.now() - startedMs).toBeGreaterThan(1500);
    expect(performance.now() - startedMs).toBeLessThan(1500 + 3000 + SLACK_MS);
  });

  test("ends at the second signal", async () => {
    const replica = await startReplica(await emptyDatabase(), "a", ["--drain", "60s"]);
    replica.child.signal("SIGTERM");
    await Bun.sleep(200); // an earlier one would count as the same
    replica.child.signal("SIGTERM");
    expect(await replica.child.exited).toBe(143);
  });
});
