import { RECENT_WRITE_MS, type Vitals } from "../vitals.ts";
import type { EngineSql, PostgresMetrics, PostgresState } from "./options.ts";

/** Writes a row of this replica, which says that it lives. */
type Probe = () => Promise<void>;

/** How long a probe may take before the replica counts as not ready. */
const PATIENCE_MS = 2000;

interface Parts {
  readonly state: () => PostgresState;
  readonly metrics: PostgresMetrics;
  readonly sql: EngineSql;
  readonly probe: Probe;
  readonly stopwatch: () => number;
  /** Resolves after a time. */
  readonly sleep: (durationMs: number) => Promise<void>;
}

/** @param parts.probe is asked only if nothing was written lately */
export function createVitals({ state, metrics, sql, probe, stopwatch, sleep }: Parts): Vitals {
  const isRecent = () => {
    const { lastWriteMs } = state();
    return lastWriteMs !== null && stopwatch() - lastWriteMs <= RECENT_WRITE_MS;
  };

  async function isWritable(): Promise<boolean> {
    if (isRecent()) return true;
    const written = probe().then(
      () => true,
      () => false,
    );
    return Promise.race([written, sleep(PATIENCE_MS).then(isRecent)]);
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
    async look() {
      const [row] = await sql.read<{ pending: number }>(
        "SELECT coalesce(sum(count), 0)::float8 AS pending FROM day_totals WHERE status = 0",
      );
      const { durability, offsetMs, connections } = state();
      return { durability, pending: row?.pending ?? 0, clockOffsetMs: offsetMs, connections: connections.busy };
    },
    async obstacle() {
      const { clock } = state();
      if (clock === "unknown") return "the database's clock is not known";
      if (clock === "jumped") return "the database's clock has jumped";
      if (await isWritable()) return null;
      if (state().isStandby) return "the database is a standby, which takes no writes";
      return "the database has confirmed no write for 2 s";
    },
  };
}
