import type { Trouble, Vitals } from "../vitals.ts";
import type { EngineSql, PostgresMetrics, PostgresState } from "./options.ts";

interface Parts {
  readonly state: () => PostgresState;
  readonly metrics: PostgresMetrics;
  readonly sql: EngineSql;
  readonly probe: () => Promise<void>;
  readonly explain: (error: unknown) => Trouble | null;
}

export function createVitals({ state, metrics, sql, probe, explain }: Parts): Vitals {
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
        leftUnknown: metrics.leftUnknown,
      };
    },
    async measure() {
      const [row] = await sql.read<{ pending: number }>(
        "SELECT coalesce(sum(count), 0)::float8 AS pending FROM day_totals WHERE status = 0",
      );
      const { durability, offsetMs, connections } = state();
      return {
        durability,
        pending: row?.pending ?? 0,
        clockOffsetMs: offsetMs,
        connections: connections.busy,
        longReads: null,
      };
    },
    obstacle() {
      const { clock } = state();
      if (clock === "unknown") return "the database's clock is not known";
      return clock === "jumped" ? "the database's clock has jumped" : null;
    },
    probe,
    explain,
  };
}
