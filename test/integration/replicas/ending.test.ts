import { afterAll, beforeAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { describeWithPostgres, emptyDatabase, type ReplicaServer, startReplica } from "../../support/replicas.ts";
import { until } from "../../support/until.ts";

afterAll(cleanUp);

/** When a payment completed and when it was due, by the payments' own clock; and when it was written, by that of the test. */
async function writtenAt(replica: ReplicaServer, ids: readonly string[]): Promise<number> {
  await Promise.all(ids.map((id) => replica.control("POST", "/wait", { checkout_request_id: id, timeout: "30s" })));
  return performance.now();
}

describeWithPostgres("a replica that ends without a word", () => {
  let url: string;
  let b: ReplicaServer;
  beforeAll(async () => {
    url = await emptyDatabase();
    b = await startReplica(url, "b");
  });

  const startDying = async (name: string) => {
    const replica = await startReplica(url, name);
    const startedMs = performance.now();
    const ids = await Promise.all(Array.from({ length: 20 }, () => replica.pay({}, "completed; after=1s")));
    return { replica, ids, dueMs: performance.now() + 1000, startedMs };
  };

  test("kill -9: its due prompts end at most 2 s late, at another replica", async () => {
    const { replica, ids, dueMs } = await startDying("killed");
    await replica.kill();
    expect((await writtenAt(b, ids)) - dueMs).toBeLessThan(2000);
    for (const id of ids) expect(await b.statusOf(id)).toBe("completed");
  });

  test("SIGSTOP: at most 3 s late; when it goes on, it changes nothing that is final", async () => {
    const { replica, ids, dueMs } = await startDying("stopped");
    process.kill(replica.child.pid, "SIGSTOP");
    try {
      expect((await writtenAt(b, ids)) - dueMs).toBeLessThan(3000);
    } finally {
      process.kill(replica.child.pid, "SIGCONT");
    }
    for (const id of ids) expect(await replica.statusOf(id)).toBe("completed");
    expect(await replica.stop()).toBe(0);
  });

  test("a change does not wait for a stopped replica for ever, which goes by it before it answers again", async () => {
    const stopped = await startReplica(url, "stopped");
    process.kill(stopped.child.pid, "SIGSTOP");
    try {
      await b.control("POST", "/rules", { outcome: "cancelled", after: "10ms" });
    } finally {
      process.kill(stopped.child.pid, "SIGCONT");
    }
    const id = await stopped.pay();
    expect(await stopped.control("GET", `/transactions/${id}`)).toMatchObject({ decided_by: { who: "rule" } });
    await b.control("DELETE", "/rules");
    await stopped.kill();
  });

  test("a key that one replica revokes is refused by the others after a second", async () => {
    const other = await startReplica(url, "other");
    const { api_key, api_secret } = await b.control("POST", "/keys", { label: "gone soon" });
    const ask = () =>
      fetch(`${other.ready.base_url}/transactions.php?limit=1`, {
        headers: { "X-API-Key": String(api_key), "X-API-Secret": String(api_secret) },
      });
    expect((await ask()).status).toBe(200);
    const revokedMs = performance.now();
    await b.control("DELETE", `/keys/${api_key}`);
    await until(ask, ({ status }) => status === 401);
    expect(performance.now() - revokedMs).toBeLessThan(2000);
    await other.stop();
  });
});
