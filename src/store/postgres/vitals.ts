import type { Meter, Trouble, Vitals } from "../vitals.ts";
import type { Connections } from "./connections.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { EngineClock, EngineSql } from "./options.ts";

interface Parts {
  readonly clock: EngineClock;
  readonly heartbeat: Heartbeat;
  readonly connections: Connections;
  readonly meter: Meter;
  readonly sql: EngineSql;
  readonly probe: () => Promise<void>;
  readonly explain: (error: unknown) => Trouble | null;
}

export function createVitals({ clock, heartbeat, connections, meter, sql, probe, explain }: Parts): Vitals {
  return {
    engine: "postgresql",
    work: meter,
    async measure() {
      const [row] = await sql.read<{ pending: number }>(
        "SELECT coalesce(sum(count), 0)::float8 AS pending FROM day_totals WHERE status = 0",
      );
      return {
        durability: heartbeat.durability.durability,
        pending: row?.pending ?? 0,
        clockOffsetMs: clock.offsetMs,
        connections: connections.busy,
        longReads: null,
      };
    },
    obstacle() {
      if (clock.state === "unknown") return "the database's clock is not known";
      return clock.state === "jumped" ? "the database's clock has jumped" : null;
    },
    probe,
    explain,
  };
}
