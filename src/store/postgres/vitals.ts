import { codeOfStatus, PENDING } from "../rows.ts";
import type { EngineFailure, Meter, Vitals } from "../vitals.ts";
import type { Connections } from "./connections.ts";
import type { Deliveries } from "./deliveries.ts";
import type { EngineClock } from "./engine-clock.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Numbering } from "./numbering.ts";
import type { EngineSql } from "./sql.ts";
import { BEGIN } from "./sql.ts";
import type { Shards } from "./totals.ts";
import { INSERT, RECORD } from "./transactions.ts";

interface Parts {
  readonly clock: EngineClock;
  readonly heartbeat: Heartbeat;
  readonly connections: Connections;
  readonly meter: Meter;
  readonly sql: EngineSql;
  readonly numbering: Numbering;
  readonly deliveries: Deliveries;
  readonly shards: Shards;
  readonly engineFailureOf: (error: unknown) => EngineFailure | null;
}

export function createVitals(parts: Parts): Vitals {
  const { sql, clock, heartbeat, connections, meter, engineFailureOf } = parts;
  return {
    engine: "postgresql",
    work: meter,
    async measure() {
      const [row] = await sql.read<{ pending: number }>(
        `SELECT coalesce(sum(count), 0)::float8 AS pending FROM day_totals WHERE status = ${PENDING}`,
      );
      return {
        durability: heartbeat.durability.durability,
        pending: row?.pending ?? 0,
        clockOffsetMs: clock.offsetMs,
        connections: connections.busy,
        longReads: null,
      };
    },
    whyNotWritable() {
      if (clock.state === "unknown") return "the database's clock is not known";
      return clock.state === "jumped" ? "the database's clock has jumped" : null;
    },
    findMissing: () => null,
    describeLoss: () => null,
    probe: () => probe(parts),
    engineFailureOf,
  };
}

/** How long the whole probe may take, and how long it waits for a lock. */
const TIMEOUT_MS = 2000;
const BEGIN_PROBE = `${BEGIN}; SET LOCAL lock_timeout = '1s';
  SET LOCAL idle_in_transaction_session_timeout = '2s'; SAVEPOINT probe`;

/** What a payment reads, and the right to the sequence, whose next value is needed only once in a thousand payments. */
const ACCOUNT = `SELECT id::float8 AS id, merchant_id::float8 AS "merchantId",
    has_sequence_privilege('transaction_numbers', 'USAGE') AS "mayNumber"
  FROM payment_accounts WHERE merchant_id IN (SELECT merchant_id FROM api_keys) ORDER BY id LIMIT 1`;

/** A payment, without what is another for each. */
const PAYMENT = {
  kind: 0,
  status: PENDING,
  amount_cents: 100,
  fee_cents: 0,
  phone: 254_700_000_000,
  secret: "000000000000",
  created_at_ms: 0,
  expires_at_ms: 1,
  check_at_ms: 1,
  memo: "",
};
const END = { status: codeOfStatus("failed"), result_code: 1, memo: "" };

/**
 * Stores and ends a payment with the statements of all payments, and rolls it back. The commit waits for the disk and the standby
 * all the same.
 */
async function probe({ connections, numbering, deliveries, shards }: Parts): Promise<void> {
  const id = await numbering.next();
  const shard = shards.name("probe");
  await connections.use({ openMs: TIMEOUT_MS, workMs: TIMEOUT_MS }, async ({ query, script }) => {
    const [account] = await query<{ id: number; merchantId: number; mayNumber: boolean }>(ACCOUNT);
    if (!account) return;
    // Fails with the engine's own words.
    if (!account.mayNumber) await query("SELECT nextval('transaction_numbers')");
    await script(BEGIN_PROBE);
    const payment = { ...PAYMENT, id, merchant_id: account.merchantId, payment_account_id: account.id };
    await query(INSERT, [JSON.stringify([payment]), shard]);
    await query(RECORD, [JSON.stringify([{ ...END, id }]), shard, deliveries.planned()]);
    await script("ROLLBACK TO SAVEPOINT probe; COMMIT");
  });
}
