import { createHash } from "node:crypto";
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/domain/clock.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { createStore, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { FAST_FOLDER } from "../support/cleanup.ts";
import type { Prng } from "./draws.ts";
import type { Sent } from "./events.ts";
import { type DatabaseFaults, makeUnreliable } from "./unreliable-database.ts";

/** Where the process under test keeps its payments, from one start to the next. */
export interface SimulatedEngine {
  /** A new process: opens what the last one left. */
  open(faults: DatabaseFaults): Promise<OpenedStore>;
  /** Prepares what a crash leaves, for the next process. */
  crash(chance: Prng): void;
  /** What another process, such as a command, does beside the server. */
  beside(work: (store: Store) => Promise<void>): Promise<void>;
  /** Whether calls to a real server are in flight. */
  readonly isBusy: boolean;
  close(): Promise<void>;
}

export interface OpenedStore {
  readonly store: Store;
  /** Releases the resources that the operating system takes from a dead process. */
  release(): void;
}

/** A real SQLite file. A crash leaves its files as they are, and perhaps the beginning of a write. */
export function sqliteEngine(): SimulatedEngine {
  const folder = mkdtempSync(join(FAST_FOLDER, "momo-simulation-"));
  let generation = 0;
  const file = () => join(folder, `momo-${generation}.db`);
  return {
    async open(faults) {
      const opened = openDatabase(file());
      // So that a seed gives the same ids again.
      opened.client.run("UPDATE numbering SET request_id_key = zeroblob(32)");
      const database = makeUnreliable(opened, file(), faults);
      return { store: createStore(database, file()), release: () => database.client.close(false) };
    },
    crash(chance) {
      const left = file();
      generation += 1;
      for (const suffix of ["", "-wal"]) if (existsSync(left + suffix)) copyFileSync(left + suffix, file() + suffix);
      if (existsSync(`${file()}-wal`) && chance.chance(0.3))
        appendFileSync(`${file()}-wal`, chance.bytes(chance.int(1, 5000)));
    },
    async beside(work) {
      const store = openStore(file(), { create: false });
      await work(store);
      store.close();
    },
    isBusy: false,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface ProcessTime extends Clock {
  /** Drops all alarms and accepts no new ones: the process has ended. */
  silence(): void;
}

/** The time outside the process under test. It stands still until the world lets it pass. */
export function createSimulatedTime(startMs: number) {
  let nowMs = startMs;
  const alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>();
  return {
    nowMs: () => nowMs,
    /** The same time for one process; only one lives at a time. */
    forProcess(): ProcessTime {
      let hasEnded = false;
      return {
        nowMs: () => nowMs,
        alarm(atMs, ring) {
          const alarm = { atMs, ring };
          if (!hasEnded) alarms.add(alarm);
          return () => void alarms.delete(alarm);
        },
        silence() {
          if (!hasEnded) alarms.clear();
          hasEnded = true;
        },
      };
    },
    /** When the next alarm rings; null if none is set. */
    nextAlarmAtMs: () => (alarms.size === 0 ? null : Math.min(...[...alarms].map(({ atMs }) => atMs))),
    /** Moves on to an instant, and rings nothing. */
    moveTo(atMs: number): void {
      nowMs = Math.max(nowMs, atMs);
    },
    /** Rings what is due, earliest first; an alarm that is set during the call waits for the next call. @returns how many rang */
    ringDue(): number {
      // Alarms of one instant ring in the order in which they were set; one may cancel another.
      const due = [...alarms].filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
      const rung = due.filter((alarm) => {
        const isSet = alarms.delete(alarm);
        if (isSet) alarm.ring();
        return isSet;
      });
      return rung.length;
    },
  };
}

/** Enough lines to see the cause of a failure. */
const KEPT = 40;

/** What happened in a run, line by line: a hash of all lines, and the last lines for the message of a failure. */
export class Trace {
  /** Oldest first. */
  readonly lastLines: string[] = [];
  readonly #hash = createHash("sha256");
  readonly #echo: (line: string) => void;

  /** @param echo gets each line */
  constructor(echo: (line: string) => void) {
    this.#echo = echo;
  }

  note(line: string): void {
    this.#hash.update(line).update("\n");
    this.lastLines.push(line);
    if (this.lastLines.length > KEPT) this.lastLines.shift();
    this.#echo(line);
  }

  /** Equal for runs in which exactly the same happened. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}

/** A request of the merchant API, with a merchant's key. */
export function api(
  method: string,
  path: string,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
  json: object | null,
  more: Record<string, string> = {},
): Sent {
  const type = json === null ? {} : { "Content-Type": "application/json" };
  const headers: Record<string, string> = { "X-API-Key": apiKey, "X-API-Secret": apiSecret, ...type, ...more };
  return { method, target: `/v2${path}`, headers, body: json === null ? null : JSON.stringify(json) };
}

/** A call of the control API. */
export function control(method: string, path: string, json: object | null = null): Sent {
  const headers: Record<string, string> = json === null ? {} : { "Content-Type": "application/json" };
  return { method, target: `/_momo${path}`, headers, body: json === null ? null : JSON.stringify(json) };
}
