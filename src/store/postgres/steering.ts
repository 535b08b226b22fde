import { pause } from "../../domain/clock.ts";
import type { SharedDocument, StoredDocument } from "../../domain/shared-document.ts";
import type { Query } from "../query.ts";
import { UnusableDatabase } from "../store.ts";
import type { EngineClock } from "./engine-clock.ts";
import type { EngineSql } from "./sql.ts";

/** The document in the table of the steering, and the replicas that run. */
export interface SteeringTable extends SharedDocument {
  /** Runs work that only one replica may do at a time. If this process ends, the lock is released. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

const READ = "SELECT version::float8 AS version, document FROM steering";
/** Its lock orders all changes. */
const LOCK = `${READ} FOR UPDATE`;
const WRITE = "UPDATE steering SET version = $1::bigint, document = $2::text";

/** Both use the engine's clock, which all replicas share. */
const CONFIRM = `INSERT INTO replicas (id, version, until_ms) VALUES ($1::text, $2::bigint, $3::bigint)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, until_ms = excluded.until_ms`;
const BEHIND = `SELECT id FROM replicas WHERE until_ms > $1::bigint AND version < $2::bigint ORDER BY id`;

const LIVING = "SELECT id FROM replicas WHERE until_ms > $1::bigint AND id <> $2";

/** Removes replicas that ended without leaving, such as killed containers. */
const FORGET_DEAD = "DELETE FROM replicas WHERE until_ms < $1::bigint - 60000";

/** How often to look whether the lease of a replica with the same name has ended. */
const TWIN_POLL_MS = 250;

/**
 * @param name of this replica
 * @param boot makes its id: a replica that starts again has another one
 */
export function createSteeringTable(sql: EngineSql, clock: EngineClock, name: string, boot: string): SteeringTable {
  const id = `${name}/${boot}`;

  /** @param text reads the document, with or without its lock */
  async function read(query: Query, text: string): Promise<StoredDocument> {
    const [row] = await query<StoredDocument>(text);
    if (!row) throw new Error("the table steering is empty");
    return row;
  }

  async function write(query: Query, current: StoredDocument, document: string): Promise<StoredDocument> {
    const version = current.version + 1;
    await query(WRITE, [version, document]);
    return { version, document };
  }

  const confirm = (query: Query, version: number, leaseMs: number) =>
    query(CONFIRM, [id, version, clock.nowMs() + leaseMs]);

  return {
    read: () => read(sql.read, READ),
    edit: (edit) =>
      sql.transaction(async (query) => {
        const current = await read(query, LOCK);
        return write(query, current, edit(current));
      }),
    /** @throws UnusableDatabase `taken` */
    async join(leaseMs, edit) {
      for (const untilMs = clock.nowMs() + leaseMs + TWIN_POLL_MS; ; ) {
        const joined = await sql.transaction(async (query) => {
          const current = await read(query, LOCK);
          await query(FORGET_DEAD, [clock.nowMs()]);
          const living = await query<{ id: string }>(LIVING, [clock.nowMs(), id]);
          if (living.some((other) => other.id.slice(0, other.id.lastIndexOf("/")) === name)) return null;
          const written = await write(query, current, edit(current, living.length === 0));
          await confirm(query, written.version, leaseMs);
          return written;
        });
        if (joined) return joined;
        if (clock.nowMs() >= untilMs) {
          throw new UnusableDatabase("taken", `another server with the name ${name} uses this database`);
        }
        await pause(clock, TWIN_POLL_MS);
      }
    },
    async confirm(version, leaseMs) {
      await confirm(sql.write, version, leaseMs);
    },
    async behind(version) {
      const rows = await sql.read<{ id: string }>(BEHIND, [clock.nowMs(), version]);
      return rows.map(({ id: name }) => name);
    },
    async leave() {
      await sql.write("DELETE FROM replicas WHERE id = $1", [id]);
    },
    exclusively: (work) =>
      sql.transaction(async (query) => {
        await read(query, LOCK);
        return work();
      }),
  };
}
