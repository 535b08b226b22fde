import type { Clock } from "../../domain/clock.ts";
import { RECENT_WRITE_MS, type Vitals } from "../vitals.ts";
import type { EngineSql, PostgresMetrics, PostgresState } from "./options.ts";

/** Changes nothing, but is committed like any write. */
const PROBE = "UPDATE numbering SET last_forgotten = last_forgotten";

/** How long a probe may take before the replica counts as not ready. */
const PROBE_TIMEOUT_MS = 2000;

interface Parts {
  readonly state: () => PostgresState;
  readonly metrics: PostgresMetrics;
  readonly sql: EngineSql;
  readonly stopwatch: () => number;
  readonly clock: Clock;
}

export function createVitals({ state, metrics, sql, stopwatch, clock }: Parts): Vitals {
  const isRecent = () => {
    const { lastWriteMs } = state();
    return lastWriteMs !== null && stopwatch() - lastWriteMs <= RECENT_WRITE_MS;
  };

  async function isWritable(): Promise<boolean> {
    if (isRecent()) return true;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = clock.alarm(clock.nowMs() + PROBE_TIMEOUT_MS, () => resolve(isRecent()));
    const written = sql.write(PROBE).then(
      () => true,
      () => false,
    );
    return Promise.race([written, late]).finally(cancel);
  }

  return {
    engine: "postgresql",
    get work() {
      return {
        commitTimes: metrics.commitSeconds.buckets.map(({ le, count }) => ({ seconds: le, count })),
        commits: metrics.commitSeconds.count,
        commitSeconds: metrics.commitSeconds.sum,
        rows: metrics.rows,
        retries: metrics.retriesBySqlstate,
        unknownOutcomes: metrics.unknownOutcomes,
      };
    },
    async measure() {
      const [row] = await sql.read<{ pending: number }>(
        "SELECT coalesce(sum(count), 0)::float8 AS pending FROM day_totals WHERE status = 0",
      );
      const { durability, offsetMs, connections } = state();
      return { durability, pending: row?.pending ?? 0, clockOffsetMs: offsetMs, connections: connections.busy };
    },
    async obstacle() {
      const { clock: reading } = state();
      if (reading === "unknown") return "the database's clock is not known";
      if (reading === "jumped") return "the database's clock has jumped";
      if (await isWritable()) return null;
      if (state().isStandby) return "the database is a standby, which takes no writes";
      return "the database has confirmed no write for 2 s";
    },
  };
}
