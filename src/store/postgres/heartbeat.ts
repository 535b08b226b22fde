import type { Clock } from "../../domain/clock.ts";
import { createRepeater } from "../../domain/repeater.ts";
import type { Query } from "../query.ts";
import type { ClockReading, MeasuredClock } from "./engine-clock.ts";
import { errorText, isAway } from "./failures.ts";
import type { EngineSql } from "./sql.ts";

/** How durable a commit is. */
export interface Durability {
  readonly isReplicated: boolean;
  readonly isStandby: boolean;
  readonly durability: string;
}

interface Parts {
  readonly sql: Pick<EngineSql, "reading">;
  readonly clock: MeasuredClock;
  readonly host: Clock;
  readonly stopwatch: () => number;
  /** Work that is repeated after each beat. */
  readonly afterBeat: () => Promise<void>;
  readonly reportFault: (error: unknown) => void;
}

const INTERVAL_MS = 10_000;

/** Of this many readings, the one with the shortest round trip counts. */
const READINGS = 3;

export interface Heartbeat {
  readonly durability: Durability;
  /** Reads both now. */
  beat(): Promise<void>;
  stop(): void;
}

/** Reads the server's clock and its durability every ten seconds. */
export function createHeartbeat(parts: Parts): Heartbeat {
  const { sql, clock, host, stopwatch, afterBeat, reportFault } = parts;
  let durability: Durability = { isReplicated: false, isStandby: false, durability: "unknown" };
  let isStopped = false;
  let reported = "";

  async function beat(): Promise<void> {
    const [reading, found] = await sql.reading(async ({ query }) => [
      await readClock(query, stopwatch),
      await readDurability(query),
    ]);
    clock.correct(reading);
    durability = found;
  }

  async function work(): Promise<void> {
    await beat();
    await afterBeat();
    reported = "";
  }

  /** That the server is away is reported by whoever waits for an answer, and anything else once while it lasts. */
  function reportNews(error: unknown): void {
    const text = errorText(error);
    if (!isStopped && !isAway(error) && text !== reported) reportFault(error);
    reported = text;
  }

  const beats = createRepeater({ clock: host, everyMs: INTERVAL_MS, work, onError: reportNews });
  beats.start();
  return {
    get durability() {
      return durability;
    },
    beat,
    stop(): void {
      isStopped = true;
      beats.stop();
    },
  };
}

async function readClock(query: Query, stopwatch: () => number): Promise<ClockReading> {
  const readings: { engineMs: number; stopwatchMs: number; tookMs: number }[] = [];
  for (let count = 0; count < READINGS; count += 1) {
    const sentMs = stopwatch();
    const [row] = await query<{ ms: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms");
    const tookMs = stopwatch() - sentMs;
    if (row) readings.push({ engineMs: row.ms, stopwatchMs: sentMs + tookMs / 2, tookMs });
  }
  const [best] = readings.sort((one, other) => one.tookMs - other.tookMs);
  if (!best) throw new Error("the server returned no time");
  return best;
}

async function readDurability(query: Query): Promise<Durability> {
  const [row] = await query<{ isStandby: boolean; commit: string; standbys: string; fsync: string }>(
    `SELECT pg_is_in_recovery() AS "isStandby", current_setting('synchronous_commit') AS commit,
      coalesce(current_setting('synchronous_standby_names', true), '') AS standbys,
      coalesce(current_setting('fsync', true), 'on') AS fsync`,
  );
  const { isStandby = false, commit = "", standbys = "", fsync = "" } = row ?? {};
  const isReplicated = standbys !== "" && /^(?:on|remote_apply)$/.test(commit);
  return { isReplicated, isStandby, durability: describe(commit, standbys, fsync, isReplicated) };
}

function describe(commit: string, standbys: string, fsync: string, isReplicated: boolean): string {
  if (isReplicated) return `standby (${standbys})`;
  if (commit === "off") return "nothing: synchronous_commit is off";
  if (commit === "remote_write" && standbys !== "") return `memory of a standby (${standbys})`;
  return fsync === "off" ? "nothing: fsync is off" : "disk";
}
