import type { AmountCents } from "../../domain/money.ts";
import type { Msisdn } from "../../domain/phone.ts";
import type { Random } from "../../domain/random.ts";
import { expire, open } from "../../domain/state-machine.ts";
import { toChange, toNewRow } from "../rows.ts";
import type { EngineFailure, Meter, Vitals } from "../vitals.ts";
import type { Connections } from "./connections.ts";
import type { Deliveries } from "./deliveries.ts";
import type { EngineClock } from "./engine-clock.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Numbering } from "./numbering.ts";
import { toRow } from "./rows.ts";
import type { EngineSql } from "./sql.ts";
import { BEGIN } from "./sql.ts";
import type { Shards } from "./totals.ts";
import { INSERT, updateRows } from "./transactions.ts";

interface Parts {
  readonly clock: EngineClock;
  readonly heartbeat: Heartbeat;
  readonly connections: Connections;
  readonly meter: Meter;
  readonly sql: EngineSql;
  readonly numbering: Numbering;
  readonly deliveries: Deliveries;
  readonly random: Random;
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

/**
 * Stores and ends a payment with the statements of all payments, and rolls it back. The commit waits for the disk and the standby
 * all the same.
 */
async function probe({ connections, numbering, deliveries, clock, random, shards }: Parts): Promise<void> {
  const nowMs = clock.nowMs();
  const identifiers = numbering.requestIds.issue(await numbering.next(), nowMs, random);
  await connections.use({ openMs: TIMEOUT_MS, workMs: TIMEOUT_MS }, async ({ query, script }) => {
    const [account] = await query<{ id: number; merchantId: number; mayNumber: boolean }>(ACCOUNT);
    if (!account) return;
    // Fails with the engine's own words.
    if (!account.mayNumber) await query("SELECT nextval('transaction_numbers')");
    const pending = open(
      {
        ...identifiers,
        merchantId: account.merchantId,
        paymentAccountId: account.id,
        kind: "api",
        phone: "254700000000" as Msisdn,
        amountCents: 100 as AmountCents,
        feeCents: 0,
        reference: null,
        description: null,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + 1,
      },
      "",
      nowMs,
    );
    await script(BEGIN_PROBE);
    const shard = shards.name("p");
    await query(INSERT, [JSON.stringify([toRow(toNewRow(pending))]), shard]);
    await updateRows(query, [toChange(expire(pending))], shard, deliveries);
    await script("ROLLBACK TO SAVEPOINT probe; COMMIT");
  });
}
