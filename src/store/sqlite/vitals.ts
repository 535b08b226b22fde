import type { Database } from "bun:sqlite";
import { PENDING } from "../rows.ts";
import { RECENT_WRITE_MS, type Vitals } from "../vitals.ts";
import type { CommitQueue, Watch } from "./commit-queue.ts";
import { firstOf } from "./database.ts";

/** Changes nothing, but is committed and flushed like any write. */
const PROBE = "UPDATE numbering SET last_forgotten = last_forgotten";

/** The vitals of SQLite, which has no clock, connections or unknown outcomes. */
export function createVitals(client: Database, commits: CommitQueue, { meter, stopwatch }: Watch): Vitals {
  return {
    engine: "sqlite",
    work: meter,
    async measure() {
      const pending = Number(
        firstOf(client, `SELECT coalesce(sum(count), 0) FROM day_totals WHERE status = ${PENDING}`),
      );
      return { durability: "disk", pending, clockOffsetMs: 0, connections: null };
    },
    async obstacle() {
      if (stopwatch() - meter.lastCommitMs <= RECENT_WRITE_MS) return null;
      try {
        await commits.run(() => client.run(PROBE));
        return null;
      } catch (error) {
        const { code } = error as { code?: unknown };
        return `the database cannot be written (${typeof code === "string" ? code : "an error"})`;
      }
    },
  };
}
