import { type Database, SQLiteError } from "bun:sqlite";
import { MAX_NUMBER } from "../../domain/identifiers.ts";
import { PENDING } from "../rows.ts";
import type { Meter, Trouble, Vitals } from "../vitals.ts";
import { firstOf } from "./database.ts";
import type { LongReads } from "./list.ts";
import type { TurnReads } from "./turn-reads.ts";

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
  "UPDATE numbering SET last_forgotten = last_forgotten",
];

/** The vitals of SQLite, which has no clock, connections or unknown outcomes. */
export function createVitals(
  client: Database,
  file: string,
  { turnReads, meter, longReads }: { turnReads: TurnReads; meter: Meter; longReads: LongReads },
): Vitals {
  const probe = client.transaction(() => {
    for (const statement of PROBE) client.run(statement);
  });
  return {
    engine: "sqlite",
    work: meter,
    async measure() {
      const pending = Number(
        firstOf(
          client,
          `SELECT coalesce(sum(count), 0) FROM totals
          WHERE merchant_id IN (SELECT id FROM merchants) AND bits = 0 AND status = ${PENDING}`,
        ),
      );
      return { durability: "disk", pending, clockOffsetMs: 0, connections: null, longReads: longReads.count };
    },
    obstacle: () => null,
    async probe() {
      turnReads.end();
      const timeoutMs = firstOf(client, "PRAGMA busy_timeout");
      client.run(`PRAGMA busy_timeout = ${Math.min(Number(timeoutMs), PROBE_TIMEOUT_MS)}`);
      try {
        probe.immediate();
      } finally {
        client.run(`PRAGMA busy_timeout = ${timeoutMs}`);
      }
    },
    troubleOf(error) {
      const code = error instanceof SQLiteError ? (error.code ?? "") : "";
      const kind = Object.keys(TROUBLES).find((name) => code.startsWith(`SQLITE_${name}`));
      const [reason, advice] = TROUBLES[kind ?? ""] ?? [];
      return reason && advice
        ? ({ reason: `${reason} (${code})`, advice: `${advice} ${file}` } satisfies Trouble)
        : null;
    },
  };
}

/** By the beginning of SQLite's code: the reason, and the advice without the file. */
const TROUBLES: Record<string, readonly [string, string]> = {
  FULL: ["the disk is full", "free some space on the disk of"],
  BUSY: ["another program has locked the database", "end the other program that writes to"],
  LOCKED: ["another program has locked the database", "end the other program that writes to"],
  READONLY: ["the database cannot be written", "give momo the right to write to"],
  CANTOPEN: ["the database cannot be opened", "give momo the right to write to the folder of"],
  PERM: ["the database cannot be written", "give momo the right to write to"],
  IOERR: ["the disk fails or is full", "check the disk of"],
  CORRUPT: ["the database is damaged", "stop momo, and put a copy in the place of"],
  NOTADB: ["the database is damaged", "stop momo, and put a copy in the place of"],
};
