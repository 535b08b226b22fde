import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { dataDirectoryAt } from "../../../cli/serving/data-directory.ts";
import { runSandbox } from "../../../cli/serving/run-sandbox.ts";
import type { Clock } from "../../../src/domain/clock.ts";
import { stopwatch, systemClock, systemRandom } from "../../../src/system.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { describeWithPostgres, emptyDatabase, HEADERS, KEY } from "../../support/replicas.ts";
import { until } from "../../support/until.ts";

afterAll(cleanUp);

/** The clock of a host that is wrong by so much. */
const wrongBy = (ms: number): Clock => ({
  nowMs: () => systemClock.nowMs() + ms,
  alarm: (atMs, ring) => systemClock.alarm(atMs - ms, ring),
});

async function startAt(url: string, name: string, offMs: number, outcome: "silent" | "completed") {
  const { baseUrl, controlUrl, stop } = await runSandbox({
    directory: dataDirectoryAt(join(newFolder(), "data")),
    database: {
      ...{ url, password: null, connections: 4, commitDeadlineMs: 10_000, requireReplica: false },
      replica: { name, allowsReset: false },
    },
    firstKey: () => ({ apiKey: KEY.MOMO_API_KEY, apiSecret: KEY.MOMO_API_SECRET }),
    host: "127.0.0.1",
    port: 0,
    controlPort: null,
    basePaths: ["/v2"],
    accept: "strict",
    fallback: { outcome, afterMs: null },
    promptTimeoutMs: 3000,
    tariff: null,
    form: "full",
    rules: [],
    webhook: null,
    controlToken: null,
    realClock: wrongBy(offMs),
    stopwatch,
    random: systemRandom,
    reportFault: () => {},
  });
  later(stop);
  return { baseUrl, controlUrl };
}

describeWithPostgres("hosts whose clocks are ±5 s apart", () => {
  test("expire nothing early, and end what is due in time, whoever looks at it", async () => {
    const url = await emptyDatabase();
    const behind = await startAt(url, "behind", -5000, "silent");
    const ahead = await startAt(url, "ahead", 5000, "silent");
    const replicas = [behind, ahead];
    const post = async (base: string, path: string, body: object) =>
      (await (await fetch(base + path, { method: "POST", headers: HEADERS, body: JSON.stringify(body) })).json()) as {
        checkout_request_id: string;
        status: string;
      };
    for (const starter of replicas) {
      const startedMs = performance.now();
      const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };
      const { checkout_request_id } = await post(starter.baseUrl, "/stkpush.php", order);
      const statuses = () =>
        Promise.all(
          replicas.map(async ({ baseUrl }) => (await post(baseUrl, "/status.php", { checkout_request_id })).status),
        );
      await until(statuses, ([first, second]) => {
        const elapsedMs = performance.now() - startedMs;
        // A millisecond or two of error in measuring the clocks is more than enough.
        if (elapsedMs < 2900) expect([first, second]).toEqual(["pending", "pending"]);
        return first === "expired" && second === "expired";
      });
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(2900);
      expect(performance.now() - startedMs).toBeLessThan(4500);
    }
    for (const { controlUrl } of replicas) {
      const { now_ms } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now_ms: number };
      expect(Math.abs(now_ms - Date.now())).toBeLessThan(1000);
    }
  });
});
