import type { Clock } from "../../domain/clock.ts";
import { createRepeater } from "../../domain/repeater.ts";
import type { Query } from "../query.ts";
import { errorText, isAway } from "./failures.ts";
import type { EngineClock, EngineSql } from "./options.ts";

/** How much faster or slower the clock runs while it is wrong. */
const SLEW = 0.1;

/** A difference that is too large for an error of measurement. */
const JUMP_MS = 1000;

/** After this time without a measurement, the engine's clock counts as unknown. */
const STALE_MS = 30_000;

/** A measurement: the engine's time, and what `stopwatch` showed at that moment. */
export interface ClockReading {
  readonly engineMs: number;
  readonly stopwatchMs: number;
}

/** The engine's clock, as this process measures it. */
export interface MeasuredClock extends Clock {
  /** The first reading sets the clock. The clock approaches later readings slowly, and never goes back. */
  correct(reading: ClockReading): void;
  /** How far it is ahead of the host's clock. */
  readonly offsetMs: number;
  readonly state: EngineClock["state"];
}

/** @param host real time, for alarms and until the first reading */
export function createEngineClock(host: Clock, stopwatch: () => number): MeasuredClock {
  let lastReading: ClockReading | null = null;
  let shownMs = host.nowMs();
  let readAtMs = stopwatch();

  /** What the engine's clock shows now, by the last reading. */
  const targetAt = (atMs: number) =>
    lastReading === null ? null : lastReading.engineMs + (atMs - lastReading.stopwatchMs);

  function exactMs(): number {
    const atMs = stopwatch();
    const elapsedMs = atMs - readAtMs;
    readAtMs = atMs;
    shownMs += elapsedMs;
    const gapMs = (targetAt(atMs) ?? shownMs) - shownMs;
    shownMs += Math.max(-SLEW * elapsedMs, Math.min(SLEW * elapsedMs, gapMs));
    return shownMs;
  }

  const nowMs = () => Math.floor(exactMs());

  return {
    nowMs,
    alarm(atMs: number, ring: () => void): () => void {
      let cancel = () => {};
      // The host's clock can run faster or slower, so check this clock when the host's alarm rings.
      const arm = () => {
        cancel = host.alarm(host.nowMs() + Math.max(atMs - nowMs(), 0), () => (nowMs() >= atMs ? ring() : arm()));
      };
      arm();
      return () => cancel();
    },
    correct(reading: ClockReading): void {
      const isFirst = lastReading === null;
      exactMs();
      lastReading = reading;
      if (isFirst) shownMs = targetAt(readAtMs) ?? shownMs;
    },
    get offsetMs() {
      return Math.round(exactMs() - host.nowMs());
    },
    get state(): EngineClock["state"] {
      const atMs = stopwatch();
      if (lastReading === null || atMs - lastReading.stopwatchMs > STALE_MS) return "unknown";
      return Math.abs((targetAt(atMs) ?? 0) - exactMs()) > JUMP_MS ? "jumped" : "known";
    },
  };
}

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
  let [isStopped, reported] = [false, ""];

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
  let [best, shortest]: [ClockReading | null, number] = [null, Number.POSITIVE_INFINITY];
  for (let count = 0; count < READINGS; count += 1) {
    const sentMs = stopwatch();
    const [row] = await query<{ ms: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms");
    const tookMs = stopwatch() - sentMs;
    if (!row || tookMs >= shortest) continue;
    [best, shortest] = [{ engineMs: row.ms, stopwatchMs: sentMs + tookMs / 2 }, tookMs];
  }
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
