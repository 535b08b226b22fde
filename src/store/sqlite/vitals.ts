import { type Database, SQLiteError } from "bun:sqlite";
import { MAX_NUMBER } from "../../domain/identifiers.ts";
import { causeOf } from "../causes.ts";
import { PENDING } from "../rows.ts";
import type { Meter, Vitals } from "../vitals.ts";
import { attemptBeside } from "./attempt.ts";
import { firstOf } from "./database.ts";
import { DatabaseFileMissing, type DatabaseFileWatch } from "./database-file.ts";
import type { LongReads } from "./long-reads.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";

/** How long a probe waits for another program. The whole process waits with it. */
const PROBE_TIMEOUT_MS = 100;

/**
 * A payment that is removed in the same commit. A rollback would not do: SQLite writes to the disk only when it commits, and then
 * this commit needs as much new space in the log as that of a payment.
 */
const PROBE = [
  `INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference, secret,
    created_at_ms, expires_at_ms, check_at_ms, memo)
  SELECT ${MAX_NUMBER}, merchant_id, id, 0, ${PENDING}, 100, 0, 254700000000, 'probe', '000000000000', 0, 1, 1, ''
  FROM payment_accounts LIMIT 1`,
  `DELETE FROM transactions WHERE id = ${MAX_NUMBER}`,
];

const PUT_BACK = "put back what was moved or removed, or start momo again, at";

/** How long an attempt to find the cause of an error counts. */
const ATTEMPT_PAUSE_MS = 1000;

interface Parts {
  readonly readSnapshot: ReadSnapshot;
  readonly meter: Meter;
  readonly longReads: LongReads;
  readonly fileWatch: DatabaseFileWatch;
  readonly stopwatch: () => number;
}

/** The vitals of SQLite, which has no clock, connections or unknown outcomes. */
export function createVitals(
  client: Database,
  file: string,
  { readSnapshot, meter, longReads, fileWatch, stopwatch }: Parts,
): Vitals {
  let attempted = { code: "", atMs: Number.NEGATIVE_INFINITY, found: null as unknown };
  /** Not for each payment: an attempt writes to the disk. */
  function attempt({ code = "" }: SQLiteError): unknown {
    if (attempted.code !== code || stopwatch() - attempted.atMs > ATTEMPT_PAUSE_MS)
      attempted = { code, atMs: stopwatch(), found: attemptBeside(file) };
    return attempted.found;
  }

  const probe = client.transaction(() => {
    for (const statement of PROBE) client.run(statement);
  });
  return {
    engine: "sqlite",
    work: meter,
    async measure() {
      const pending = Number(
        firstOf(client, `SELECT coalesce(sum(count), 0) FROM day_totals WHERE status = ${PENDING}`),
      );
      return { durability: "disk", pending, clockOffsetMs: 0, connections: null, longReads: longReads.count };
    },
    whyNotWritable: () => fileWatch.look()?.message ?? null,
    findMissing: () => fileWatch.look(),
    describeLoss: () => fileWatch.describeLoss(),
    async probe() {
      readSnapshot.close();
      const timeoutMs = firstOf(client, "PRAGMA busy_timeout");
      client.run(`PRAGMA busy_timeout = ${Math.min(Number(timeoutMs), PROBE_TIMEOUT_MS)}`);
      try {
        probe.immediate();
      } finally {
        client.run(`PRAGMA busy_timeout = ${timeoutMs}`);
      }
    },
    engineFailureOf(error) {
      if (error instanceof DatabaseFileMissing) return { reason: error.message, advice: `${PUT_BACK} ${file}` };
      if (!(error instanceof SQLiteError)) return null;
      const { reason, remedy } = causeOf(error, () => attempt(error)) ?? {};
      return reason ? { reason, advice: `${remedy ?? "choose another place"}: ${file}` } : null;
    },
  };
}
