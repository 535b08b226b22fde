import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inspectDatabase } from "../../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { readEvents } from "../../support/client.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { expectRefusal, runMomo } from "../../support/momo.ts";
import { describeWithPostgres, emptyDatabase, type ReplicaServer, startReplica } from "../../support/replicas.ts";
import { SLACK_MS, until } from "../../support/waiting.ts";

afterAll(cleanUp);

/** Waits until the payments have ended. */
async function ended(replica: ReplicaServer, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => replica.control("POST", "/wait", { checkout_request_id: id, timeout: "30s" })));
}

/** What a command prints that must succeed. */
async function succeed(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const run = await runMomo(args, { env });
  expect(run).toMatchObject({ exitCode: 0 });
  return run.stdout;
}

describeWithPostgres("replicas on one PostgreSQL", () => {
  let url: string;
  let a: ReplicaServer;
  let b: ReplicaServer;
  beforeAll(async () => {
    url = await emptyDatabase();
    a = await startReplica(url, "a", ["--allow-reset"]);
    b = await startReplica(url, "b", ["--allow-reset"]);
  });

  test("rules, default, clock, faults and webhook are in force on all replicas when the request is answered", async () => {
    for (const [method, path, body] of [
      ["POST", "/rules", { outcome: "cancelled", after: "10ms", match: { reference: "STEERED" } }],
      ["PUT", "/default", { outcome: "expired" }],
      ["POST", "/clock", { freeze: true }],
      ["PUT", "/faults", { seed: 1, faults: [{ kind: "error", status: 503, path: "/transactions.php" }] }],
      ["PUT", "/webhook", { url: "http://127.0.0.1:1/", times: 2 }],
    ] as const) {
      const { message: _, id: _id, ids: _ids, ...changed } = await a.control(method, path, body);
      const { message: __, deliveries: ___, ...seen } = await b.control("GET", path);
      expect({ path, ...seen }).toMatchObject({ path, ...changed });
    }
    expect((await b.get("/transactions.php")).status).toBe(503);
    const now = (await b.control("POST", "/clock", { advance: "1h", resume: true })).now_ms;
    // Each replica measures the engine's clock by itself: they agree to some milliseconds.
    expect((await a.control("GET", "/clock")).now_ms).toBeGreaterThan(Number(now) - 1000);
    expect(
      await a.control("POST", "/wait", { checkout_request_id: await b.pay({ reference: "STEERED" }) }),
    ).toMatchObject({
      transaction: { status: "cancelled" },
    });
    await a.get("/transactions.php");
    await b.control("POST", "/reset", {});
    expect(await a.control("GET", "/requests")).toMatchObject({ requests: [] });
    // The client may talk to the other one.
    expect(await a.control("GET", "/audit?over=true")).toMatchObject({ findings: [] });
    expect(await a.control("GET", "/rules")).toMatchObject({ rules: [] });
    expect(await a.control("GET", "/default")).toMatchObject({ outcome: "completed" });
    expect(await a.control("GET", "/faults")).toMatchObject({ faults: [] });
    expect(await a.control("GET", "/webhook")).toMatchObject({ webhook: null });
    expect(await a.control("GET", "/clock")).toMatchObject({ frozen: false });
  });

  test("a rule with `times` is used exactly that often over all replicas together", async () => {
    await a.control("POST", "/rules", { outcome: "wrong_pin", after: "10ms", times: 7 });
    const outcome = async (index: number) => {
      const replica = index % 2 === 0 ? a : b;
      const id = await replica.pay({ reference: `T${index}` });
      const { decided_by } = (await replica.control("GET", `/transactions/${id}`)) as { decided_by: { who: string } };
      return decided_by.who;
    };
    const deciders = await Promise.all(Array.from({ length: 20 }, (_, index) => outcome(index)));
    expect(deciders.filter((who) => who === "rule")).toHaveLength(7);
    expect(await b.control("GET", "/rules")).toMatchObject({ rules: [] });
  });

  test("the same seed gives the same faults over all replicas together", async () => {
    const run = async () => {
      await a.control("PUT", "/faults", { seed: 7, faults: [{ kind: "error", status: 503, probability: 0.5 }] });
      const statuses: number[] = [];
      for (let index = 0; index < 12; index += 1) {
        const replica = index % 2 === 0 ? a : b;
        statuses.push((await replica.get("/transactions.php?limit=1")).status);
      }
      return statuses;
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 503]));
    await a.control("DELETE", "/faults");
  });

  test("a rate limit counts the requests of all replicas together", async () => {
    await a.control("PUT", "/faults", { faults: [{ kind: "rate", per_minute: 5, path: "/transactions.php" }] });
    const get = (index: number) => (index % 2 === 0 ? a : b).get("/transactions.php?limit=1");
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => get(index)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
    await a.control("DELETE", "/faults");
  });

  test("the event stream of one replica reports changes of another one as `steering`, and its payments as `gap`", async () => {
    const stream = readEvents(await fetch(`${b.ready.control_url}/events`));
    await stream.until(() => stream.comments.length > 0);
    await a.control("PUT", "/default", { outcome: "completed" });
    await a.control("POST", "/rules", { outcome: "cancelled", match: { reference: "none" } });
    await stream.until(() => stream.events.some(({ name, data }) => name === "steering" && data.what === "rules"));
    await a.control("DELETE", "/rules");
    // The first poll only reads the state, so pay until an event arrives.
    const paying = until(
      () => a.pay({}, "completed; after=10ms"),
      () => stream.events.some(({ name }) => name === "gap"),
    );
    await stream.until(() => stream.events.some(({ name }) => name === "gap"));
    await paying;
    await stream.leave();
  });

  test("log, audit and events name their replica", async () => {
    for (const path of ["/requests", "/audit", "/server"]) {
      expect(await a.control("GET", path)).toMatchObject({ replica: "a" });
    }
    const controller = new AbortController();
    for (const path of ["/events", "/requests?format=curl", "/audit?format=junit"]) {
      const { headers } = await fetch(b.ready.control_url + path, { signal: controller.signal });
      expect(headers.get("X-Momo-Replica"), path).toBe("b");
    }
    controller.abort();
    // Another one may have accepted requests, so it is no error that this one has not.
    await b.control("DELETE", "/audit");
    expect(await b.control("GET", "/audit?over=true")).toMatchObject({ accepted: 0, errors: 0 });
  });

  test("momo keys and accounts work on the shared database, by the variable and by the flag; each server refuses a revoked key after a second", async () => {
    const made = await succeed(["keys", "create", "--label", "cli", "--json"], { MOMO_DATABASE: url });
    const { api_key, api_secret } = JSON.parse(made);
    const headers = { "X-API-Key": api_key, "X-API-Secret": api_secret };
    const status = async () => (await fetch(`${b.ready.base_url}/transactions.php`, { headers })).status;
    expect(await status()).toBe(200);
    const account = await succeed(["accounts", "create", "--name", "Till", "-q", "--database", url]);
    expect(await b.pay({ payment_account_id: Number(account) })).toStartWith("ws_CO_");
    await succeed(["keys", "revoke", api_key, "--database", url]);
    const revokedMs = performance.now();
    await until(status, (found) => found === 401);
    expect(performance.now() - revokedMs).toBeLessThan(1000 + SLACK_MS);
  });

  test("while a replica is stopped or after it is killed, another one ends its payments, and changes do not wait for it", async () => {
    await a.control("POST", "/rules", { outcome: "expired", match: { reference: "none" } });
    const c = await startReplica(url, "c");
    expect((await c.control("GET", "/rules")).rules).toHaveLength(1);
    const startPayments = async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => c.pay({}, "completed; after=1s")));
      return { ids, dueMs: performance.now() + 1000 };
    };

    const first = await startPayments();
    process.kill(c.child.pid, "SIGSTOP");
    try {
      const change = a.control("POST", "/rules", { outcome: "cancelled", after: "10ms" });
      await ended(b, first.ids);
      expect(performance.now() - first.dueMs).toBeLessThan(2000 + SLACK_MS);
      await change;
    } finally {
      process.kill(c.child.pid, "SIGCONT");
    }
    // It applies the change before it answers, and changes no final payment.
    const id = await c.pay();
    expect(await c.control("GET", `/transactions/${id}`)).toMatchObject({ decided_by: { who: "rule" } });
    for (const one of first.ids) expect(await c.statusOf(one)).toBe("completed");

    const second = await startPayments();
    await c.kill();
    await ended(b, second.ids);
    expect(performance.now() - second.dueMs).toBeLessThan(1000 + SLACK_MS);
    for (const one of second.ids) expect(await b.statusOf(one)).toBe("completed");
  });

  test("the webhooks of a killed replica are sent by the others, and each shows all deliveries", async () => {
    const receiver = startReceiver();
    const c = await startReplica(url, "c");
    await a.control("PUT", "/webhook", { url: receiver.url, delay: "1500ms" });
    const ids = await Promise.all(Array.from({ length: 20 }, () => c.pay({}, "completed; after=1ms")));
    await ended(c, ids);
    await c.kill();
    await receiver.until(ids.length);
    const arrived = receiver.received.map(
      ({ body }) => (body.data as { checkout_request_id: string }).checkout_request_id,
    );
    expect(arrived.toSorted()).toEqual(ids.toSorted());
    const shown = async (replica: ReplicaServer) =>
      (await replica.control("GET", "/webhook")).deliveries as { state: string }[];
    const all = await until(
      () => shown(a),
      (deliveries) => deliveries.length === ids.length && deliveries.every(({ state }) => state === "delivered"),
    );
    expect(await shown(b)).toEqual(all);
    await b.control("DELETE", "/webhook");
  });

  test("momo export and momo import move the payments to another database, and leave no folder", async () => {
    const env = { TMPDIR: newFolder(), MOMO_DATABASE: url };
    const [id, copy, other] = [await a.pay({ reference: "MOVED" }), join(newFolder(), "copy"), await emptyDatabase()];
    const { transactions } = JSON.parse(await succeed(["export", copy, "--json"], env));
    expect(inspectDatabase(copy)).toMatchObject({ state: "sound", totals: true });
    const into = ["import", copy, "--database", other, "--json"];
    expectRefusal(await runMomo([...into, "--replace"], { env }), 2, "--replace is for data directories");
    expect(JSON.parse(await succeed(into, env))).toMatchObject({ replaced: false, transactions });
    expect(readdirSync(env.TMPDIR)).toEqual([]);
    const moved = await startReplica(other, "moved");
    expect(await moved.control("GET", `/transactions/${id}`)).toMatchObject({ prompt: { reference: "MOVED" } });
  });

  test("when the last replica ends, rules end, and the clock stays; without --allow-reset there is no reset", async () => {
    await a.control("POST", "/clock", { advance: "1h" });
    expect((await a.control("GET", "/rules")).rules).toHaveLength(2);
    for (const replica of [a, b]) expect(await replica.stop()).toBe(0);
    const d = await startReplica(url, "d");
    expect((await d.control("GET", "/rules")).rules).toEqual([]);
    expect(Number((await d.control("GET", "/clock")).now_ms) - Date.now()).toBeGreaterThan(59 * 60_000);
    expect((await d.ask("POST", "/reset", {})).status).toBe(409);
    expect(await (await d.ask("PUT", "/snapshots/x", {})).json()).toMatchObject({
      message: expect.stringContaining("has no snapshots"),
    });
  });
});
