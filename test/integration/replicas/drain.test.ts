import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { connectTo } from "../../support/connection.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { describeWith } from "../../support/needs.ts";
import { balance, describeWithPostgres, emptyDatabase, HEADERS, startReplica } from "../../support/replicas.ts";
import { SLACK_MS, until } from "../../support/waiting.ts";

afterAll(cleanUp);

const CLIENTS = 16;

describeWithPostgres("a stop", () => {
  describeWith(["haproxy"], "behind HAProxy", () => {
    test("three stops under load: no request is refused or reset, and each payment has its webhook", async () => {
      const receiver = startReceiver();
      const database = await emptyDatabase();
      const start = (name: string) => startReplica(database, name, ["--drain", "2s", "--webhook", receiver.url]);
      const replicas = [await start("a"), await start("b"), await start("c"), await start("d")];
      const address = await balance(replicas);
      const failures: string[] = [];
      const ids = new Set<string>();
      let isOver = false;
      const client = async (keepalive: boolean) => {
        while (!isOver) {
          try {
            const body = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 5 });
            const headers = { ...HEADERS, "X-Sandbox-Outcome": "completed; after=50ms" };
            const response = await fetch(`${address}/v2/stkpush.php`, { method: "POST", headers, body, keepalive });
            const answer = (await response.json()) as { checkout_request_id: string; message: string };
            if (response.status === 200) ids.add(answer.checkout_request_id);
            else failures.push(`${response.status} ${answer.message}`);
          } catch (error) {
            failures.push(String(error));
          }
        }
      };
      const clients = Array.from({ length: CLIENTS }, (_, index) => client(index % 2 === 0));
      for (const replica of replicas.slice(0, 3)) {
        const before = ids.size;
        expect(await replica.stop()).toBe(0);
        expect(ids.size).toBeGreaterThan(before);
      }
      isOver = true;
      await Promise.all(clients);
      expect(failures).toEqual([]);
      const delivered = () =>
        new Set(receiver.received.map(({ body }) => (body.data as Record<string, unknown>).checkout_request_id));
      await until(
        async () => delivered(),
        (found) => [...ids].every((id) => found.has(id)),
      );
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
