import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { openControl } from "../../support/control.ts";
import { startIn } from "../../support/sandbox.ts";

afterAll(cleanUp);

describe("GET /_momo/ready: whether the server takes payments", () => {
  test("200 while it does; 503 while it stops", async () => {
    const scene = await openControl();
    expect(await scene.call("GET", "/ready")).toMatchObject({ status: 200, body: { success: true, status: "ready" } });
    scene.endStreams();
    expect(await scene.call("GET", "/ready")).toMatchObject({
      status: 503,
      body: { success: false, message: "momo is stopping", status: "draining" },
    });
    await scene.close();
  });

  test("needs no token where the server asks for one, and then tells the same; metrics need it", async () => {
    const token = "0123456789abcdef";
    const scene = await openControl({ host: "0.0.0.0", token });
    expect(await scene.call("GET", "/ready", { headers: { Host: "momo.example" } })).toMatchObject({
      status: 200,
      body: { status: "ready" },
    });
    expect((await scene.call("GET", "/metrics")).status).toBe(401);
    await scene.close();
  });

  test("503 with the reason where nothing was written for 2 s and nothing can be", async () => {
    const file = join(newFolder(), "momo.db");
    let nowMs = 0;
    const store = openStore(file, { busyTimeoutMs: 1, stopwatch: () => nowMs });
    expect(await store.vitals.obstacle()).toBeNull();
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    nowMs = 2000;
    expect(await store.vitals.obstacle()).toBeNull();
    nowMs = 2001;
    expect(await store.vitals.obstacle()).toBe("the database cannot be written (SQLITE_BUSY)");
    other.run("ROLLBACK");
    expect(await store.vitals.obstacle()).toBeNull();
    other.close();
    store.close();
  });
});

describe("GET /_momo/metrics", () => {
  /** The value of each sample, by its name with its labels. */
  async function samplesOf(origin: string): Promise<{ samples: Map<string, number>; type: string | null }> {
    const response = await fetch(`${origin}/_momo/metrics`);
    const text = await response.text();
    const samples = new Map<string, number>();
    let family = "";
    for (const line of text.trimEnd().split("\n")) {
      const help = /^# (?:HELP|TYPE) (\S+) /.exec(line);
      if (help) {
        family = help[1] ?? "";
        continue;
      }
      const [, name = "", labels = "", value] = /^([a-z_]+)(\{[^}]+\})? (\S+)$/.exec(line) ?? [];
      expect(name).toStartWith(family);
      expect(Number(value)).not.toBeNaN();
      samples.set(name + labels, Number(value));
    }
    return { samples, type: response.headers.get("Content-Type") };
  }

  test("counts requests, commits and their rows, checks and what is pending, in the text form of Prometheus", async () => {
    const server = await startIn(join(newFolder(), "data"));
    const before = (await samplesOf(server.origin)).samples;
    await server.pay();
    await server.pay({ phone: "254700000100" });
    await fetch(`${server.baseUrl}/status.php`, { method: "POST" });
    await fetch(`${server.baseUrl}/nothing?x`);
    const { samples: after, type } = await samplesOf(server.origin);
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown('momo_requests_total{operation="/stkpush.php",status="200"}')).toBe(2);
    expect(grown('momo_requests_total{operation="/status.php",status="401"}')).toBe(1);
    expect(grown('momo_requests_total{operation="other",status="404"}')).toBe(1);
    expect(grown("momo_commit_rows_total")).toBe(2);
    expect(grown("momo_commit_seconds_count")).toBe(2);
    expect(after.get('momo_commit_seconds_bucket{le="+Inf"}')).toBe(after.get("momo_commit_seconds_count") ?? -1);
    expect(after.get("momo_commit_seconds_sum")).toBeGreaterThan(0);
    expect(after.get("momo_pending")).toBe(2);
    expect(after.get("momo_due_lag_seconds")).toBe(0);
    expect(after.get('momo_durability{level="disk"}')).toBe(1);
    await server.control("POST", "/clock", { advance: "5s" });
    const last = (await samplesOf(server.origin)).samples;
    expect(last.get("momo_check_lateness_seconds_count")).toBe(1);
    expect(last.get("momo_pending")).toBe(1);
    await server.stop();
  });
});
