import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlContext, ServerFacts } from "../../../sandbox/control/context.ts";
import { metricsOf } from "../../../sandbox/control/metrics.ts";
import { readyFor } from "../../../sandbox/control/probes.ts";
import { merchantOrigin } from "../../../sandbox/control/server.ts";
import { steeredAlone } from "../../../sandbox/steering.ts";
import type { Service } from "../../../src/service/service.ts";
import { StorageHealth } from "../../../src/service/storage-health.ts";
import { openStore } from "../../../src/store/sqlite/sqlite.ts";
import { Meter } from "../../../src/store/vitals.ts";
import { ROOT } from "../../support/binary.ts";
import { cleanUp, forEachTest, newFolder } from "../../support/cleanup.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { startIn } from "../../support/sandbox.ts";
import { openScene } from "../../support/scene.ts";
import { addMerchants } from "../../support/shop.ts";

afterAll(cleanUp);

const scene = forEachTest(openScene);

describe("GET /_momo/ready", () => {
  test("not ready while the server drains", async () => {
    const parts = { service: {} as Service, steering: steeredAlone, draining: AbortSignal.abort() };
    const text = '{"success":false,"message":"momo is stopping","status":"draining"}';
    expect(await readyFor(parts)).toMatchObject({ status: 503, text });
  });

  test("not ready while another program has locked the database; a probe leaves nothing behind", async () => {
    const file = join(newFolder(), "momo.db");
    const store = openStore(file, { busyTimeoutMs: 1 });
    await addMerchants(store, 1);
    const [clock, faults] = [createManualClock(0), [] as unknown[]];
    const storage = new StorageHealth({ store, realClock: clock, reportFault: (error) => faults.push(error) });
    const parts = { service: { storage } as Service, steering: steeredAlone, draining: new AbortController().signal };
    const ready = () => readyFor(parts);
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    const text = expect.stringContaining("momo accepts no payments: another program has locked the database");
    expect(await ready()).toMatchObject({ status: 503, text });
    other.run("ROLLBACK");
    clock.advance(250);
    expect(await ready()).toMatchObject({ status: 200 });
    expect(faults.map(String)).toEqual([expect.stringContaining(`; end that program: ${file}`)]);
    expect(other.query("SELECT count(*) FROM transactions").values()).toEqual([[0]]);
    other.close();
    store.close();
  });

  test("not ready while the settings that all replicas share cannot be read", async () => {
    const storage = { whyNotWritable: async () => null } as StorageHealth;
    const parts = { service: { storage } as Service, draining: new AbortController().signal };
    const text = expect.stringContaining("the settings that all replicas share could not be read for 3 s");
    expect(await readyFor({ ...parts, steering: { ...steeredAlone, isFresh: false } })).toMatchObject({
      status: 503,
      text,
    });
    expect(await readyFor({ ...parts, steering: steeredAlone })).toMatchObject({ status: 200 });
  });
});

/** The value of each sample in the text form of Prometheus, by its name with its labels. */
function samplesOf(text: string): Record<string, number> {
  const lines = text.trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[^}]+\})? [-+.e0-9]+)$/);
  const samples = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(/ (?=[^ ]+$)/));
  return Object.fromEntries(samples.map(([name = "", value]) => [name, Number(value)]));
}

test.each([
  ["[::1]:2548", "http://[::1]:2547"],
  ["[::1]", "http://[::1]:2547"],
  ["pay.test:2548", "http://pay.test:2547"],
  ["pay.test", "http://pay.test:2547"],
])("where the control API has a port of its own, and its host is %s, the merchant API is at %s", (Host, origin) => {
  const request = new Request("http://localhost/", { headers: { Host } });
  expect(merchantOrigin(request, { merchantPort: () => 2547 } as ServerFacts)).toBe(origin);
});

describe("a whole server", () => {
  test("GET /_momo/metrics counts requests, commits with their rows, checks and pending payments", async () => {
    const server = await startIn(join(newFolder(), "data"));
    const read = async () => {
      const response = await fetch(`${server.origin}/_momo/metrics`);
      expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      return samplesOf(await response.text());
    };
    const before = await read();
    await server.pay();
    await server.pay({ phone: "254700000100" });
    await fetch(`${server.baseUrl}/status.php`, { method: "POST" });
    await fetch(`${server.baseUrl}/nothing?x`);
    const after = await read();
    expect(after).toMatchObject({
      'momo_requests_total{operation="/stkpush.php",status="200"}': 2,
      'momo_requests_total{operation="/status.php",status="401"}': 1,
      'momo_requests_total{operation="other",status="404"}': 1,
      momo_commit_rows_total: Number(before.momo_commit_rows_total) + 2,
      momo_commit_seconds_count: Number(before.momo_commit_seconds_count) + 2,
      'momo_commit_seconds_bucket{le="+Inf"}': Number(before.momo_commit_seconds_count) + 2,
      momo_pending: 2,
      momo_due_lag_seconds: 0,
      'momo_durability{level="disk"}': 1,
    });
    expect(after.momo_commit_seconds_sum).toBeGreaterThan(0);
    await server.control("POST", "/clock", { freeze: true });
    await server.pay();
    await server.control("POST", "/clock", { advance: "3s" });
    const { momo_check_lateness_seconds_sum: lateness } = await read();
    for (let payment = 0; payment < 2; payment += 1) await server.pay();
    await server.control("POST", "/clock", { advance: "7s" });
    expect(await read()).toMatchObject({
      momo_check_lateness_seconds_sum: Number(lateness) + 8,
      momo_check_lateness_seconds_count: 4,
      momo_pending: 1,
    });
  });
});

describe("GET /_momo/server", () => {
  test("instead of a revoked key it has another one in force, or null", async () => {
    const keyOf = async () => (await scene.call("GET", "/server")).body.api_key;
    const { body: next } = await scene.call("POST", "/keys", { json: { label: "next" } });
    expect(await keyOf()).toBe(scene.caller.key.apiKey);
    await scene.call("DELETE", `/keys/${scene.caller.key.apiKey}`);
    expect(await keyOf()).toBe(next.api_key);
    await scene.call("DELETE", `/keys/${next.api_key}`);
    expect(await keyOf()).toBeNull();
  });

  test("without a key of its own it has the first account and a key in force; nothing can be replayed", async () => {
    const foreign = await openScene({ credentials: null });
    await foreign.pay();
    const { apiKey } = foreign.caller.key;
    expect(await foreign.control("GET", "/server")).toMatchObject({ payment_account_id: 1, api_key: apiKey });
    expect(await foreign.refusal("POST", "/requests/1/replay")).toBe("this sandbox has no key of its own");
    await foreign.close();
  });
});

const meter = new Meter();
meter.committed(3, 1000, 1250);
meter.committed(1, 2000, 2001);
meter.committed(2, 3000, 14_000); // longer than any bound
meter.retried("40001");
Object.assign(meter, { unknownOutcomes: 5 });

/** The metrics of a server that shows 10:00:00.000 = 3,600,000 ms. */
async function textOf(dueAtMs: number | null, webhookAtMs: number | null): Promise<string> {
  const context = {
    service: {
      vitals: {
        engine: "postgresql",
        work: meter,
        measure: async () => ({ durability: "disk", pending: 4, clockOffsetMs: -1250, connections: 6, longReads: 5 }),
      },
      resolver: { lateness: { count: 2, sumMs: 4500 } },
      nowMs: () => 3_600_000,
      nextCheckAtMs: async () => dueAtMs,
      deliveries: {
        nextDueAtMs: async (afterMs: number) => (webhookAtMs !== null && webhookAtMs > afterMs ? webhookAtMs : null),
      },
    },
    webhooks: { attempts: { delivered: 7, failed: 1 } },
    requestCounts: { list: () => [{ operation: "/status.php", status: 503, count: 9 }] },
    replica: { name: "a" },
    version: "1.2.3",
  } as unknown as ControlContext;
  return metricsOf(context);
}

test("each metric has its value, in its unit and with its sign", async () => {
  const samples = (await textOf(3_597_500, 3_480_000))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples.filter((line) => !line.includes("_bucket"))).toEqual([
    'momo_info{version="1.2.3",engine="postgresql",replica="a"} 1',
    'momo_requests_total{operation="/status.php",status="503"} 9',
    "momo_commit_seconds_sum 11.251",
    "momo_commit_seconds_count 3",
    "momo_commit_rows_total 6",
    'momo_retries_total{reason="40001"} 1',
    "momo_unknown_outcomes_total 5",
    "momo_check_lateness_seconds_sum 4.5",
    "momo_check_lateness_seconds_count 2",
    "momo_due_lag_seconds 2.5",
    'momo_webhook_attempts_total{result="delivered"} 7',
    'momo_webhook_attempts_total{result="failed"} 1',
    "momo_webhook_lag_seconds 120",
    "momo_pending 4",
    "momo_clock_offset_seconds -1.25",
    'momo_durability{level="disk"} 1',
    "momo_connections 6",
    "momo_searches 5",
  ]);
  for (const bucket of ['le="0.001"} 1', 'le="0.1"} 1', 'le="0.25"} 2', 'le="10"} 2', 'le="+Inf"} 3']) {
    expect(samples).toContain(`momo_commit_seconds_bucket{${bucket}`);
  }
});

test("what is due later, or not at all, is not late", async () => {
  for (const atMs of [3_600_001, null]) {
    const text = await textOf(atMs, atMs);
    for (const name of ["momo_due_lag_seconds", "momo_webhook_lag_seconds"]) expect(text).toContain(`\n${name} 0\n`);
  }
});

test.each(["dashboard.json", "alerts.yml"])("%s has only metrics that momo has", async (file) => {
  const text = await textOf(null, null);
  const used = readFileSync(join(ROOT, "docs/monitoring", file), "utf8").match(/\bmomo_[a-z_]+/g) ?? [];
  expect(used.length).toBeGreaterThan(5);
  for (const name of used) expect(text).toMatch(new RegExp(`^${name}[ {]`, "m"));
});
