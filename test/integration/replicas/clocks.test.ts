import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { SandboxConfig } from "../../../cli/serving/run-sandbox.ts";
import type { Clock } from "../../../src/domain/clock.ts";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runSql } from "../../support/postgres.ts";
import { describeWithPostgres, emptyDatabase, KEY, startReplica } from "../../support/replicas.ts";
import { startIn } from "../../support/sandbox.ts";
import { rejectionOf, SLACK_MS, until } from "../../support/waiting.ts";

afterAll(cleanUp);

const TIMEOUT_MS = 1500;

/** The clock of a host that is wrong by `ms`. */
const wrongBy = (ms: number): Clock => ({
  nowMs: () => systemClock.nowMs() + ms,
  alarm: (atMs, ring) => systemClock.alarm(atMs - ms, ring),
});

const startAt = (url: string, name: string, offMs: number, options: Partial<SandboxConfig> = {}) =>
  startIn(join(newFolder(), "data"), {
    database: {
      ...{ url, password: null, connections: 4, commitDeadlineMs: 10_000, requireReplica: false },
      replica: { name, allowsReset: false },
    },
    firstKey: () => ({ apiKey: KEY.MOMO_API_KEY, apiSecret: KEY.MOMO_API_SECRET }),
    fallback: { outcome: "silent" },
    promptTimeoutMs: TIMEOUT_MS,
    realClock: wrongBy(offMs),
    ...options,
  });

describeWithPostgres("hosts whose clocks are ±5 s apart", () => {
  test("every host shows a payment as pending until its deadline, and as expired soon after", async () => {
    const url = await emptyDatabase();
    const replicas = [await startAt(url, "behind", -5000), await startAt(url, "ahead", 5000)];
    for (const [index, offset] of [5, -5].entries()) {
      const text = await (await fetch(`${replicas[index]?.controlUrl}/metrics`)).text();
      expect(Number(/^momo_clock_offset_seconds (.*)$/m.exec(text)?.[1])).toBeCloseTo(offset, 0);
    }
    const startedMs = performance.now();
    const started = await Promise.all(replicas.map(({ pay }) => pay()));
    const delayMs = performance.now() - startedMs;
    const statuses = () => Promise.all(replicas.flatMap(({ statusOf }) => started.map((id) => statusOf(id))));
    await until(statuses, (found) => {
      // The margin of 100 ms is for errors in measuring the clocks, usually below 2 ms.
      if (performance.now() - startedMs < TIMEOUT_MS - 100) expect(new Set(found)).toEqual(new Set(["pending"]));
      return found.every((status) => status === "expired");
    });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 100);
    expect(performance.now() - startedMs - delayMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    for (const { control } of replicas) {
      const { now_ms } = await control("GET", "/clock");
      expect(Math.abs(Number(now_ms) - Date.now())).toBeLessThan(SLACK_MS);
    }
  });
});

describeWithPostgres("servers with --clock on one database", () => {
  test("the first sets the clock; the others are told, and a reset takes it back there", async () => {
    const url = await emptyDatabase();
    const first = await startReplica(url, "a", ["--clock", "2026-03-31 23:59:50", "--allow-reset"]);
    const second = await startReplica(url, "b", ["--clock", "2026-04-02 10:00"]);
    const now = async () => (await second.control("GET", "/clock")).now;
    expect(await now()).toBe("2026-03-31 23:59:50");
    expect(second.child.stderr.text).toMatch(
      /^momo: --clock is not used: the servers on this database have set their clock, which shows 2026-03-31 23:59:50\n/,
    );
    await first.control("POST", "/clock", { to: "2026-04-01 00:30" });
    expect(await now()).toBe("2026-04-01 00:30:00");
    await first.control("POST", "/reset");
    expect(await now()).toBe("2026-03-31 23:59:50");
    await Promise.all([first.stop(), second.stop()]);
  });

  test("a server that cannot store its clock leaves, so that nothing keeps its process", async () => {
    const url = await emptyDatabase();
    await (await startAt(url, "earlier", 0)).stop();
    await runSql(
      url,
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$",
      "CREATE TRIGGER refuse BEFORE UPDATE ON steering FOR EACH ROW WHEN (NEW.document <> '{}') EXECUTE FUNCTION refuse()",
    );
    const failed = startAt(url, "late", 0, { startAt: { atMs: systemClock.nowMs(), isFrozen: true } });
    expect(String(await rejectionOf(failed))).toContain("refused");
    expect(await runSql(url, "SELECT id FROM replicas")).toEqual([]);
  });
});
