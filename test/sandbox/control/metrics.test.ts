import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlContext } from "../../../sandbox/control/context.ts";
import { metrics } from "../../../sandbox/control/metrics.ts";
import { Meter } from "../../../src/store/vitals.ts";
import { ROOT } from "../../support/binary.ts";

const meter = new Meter();
meter.committed(3, 1000, 1250);
meter.committed(1, 2000, 2001);
meter.retried("40001");
Object.assign(meter, { unknownOutcomes: 5, leftUnknown: 2 });

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
      deliveries: { nextDueAtMs: async () => webhookAtMs },
    },
    webhooks: { attempts: { delivered: 7, failed: 1 } },
    requestCounts: { list: () => [{ operation: "/status.php", status: 503, count: 9 }] },
    replica: { name: "a" },
    version: "1.2.3",
  } as unknown as ControlContext;
  const answer = await metrics(new Request("http://h/"), context, { query: "", id: "", keepOpen: () => {} });
  return (answer as Response).text();
}

test("each metric has its value, in its unit and with its sign", async () => {
  const samples = (await textOf(3_597_500, 3_480_000))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples.filter((line) => !line.includes("_bucket"))).toEqual([
    'momo_info{version="1.2.3",engine="postgresql",replica="a"} 1',
    'momo_requests_total{operation="/status.php",status="503"} 9',
    "momo_commit_seconds_sum 0.251",
    "momo_commit_seconds_count 2",
    "momo_commit_rows_total 4",
    'momo_retries_total{reason="40001"} 1',
    "momo_unknown_outcomes_total 5",
    "momo_left_unknown_total 2",
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
  for (const bucket of ['le="0.001"} 1', 'le="0.1"} 1', 'le="0.25"} 2', 'le="+Inf"} 2']) {
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
