import type { Query } from "../query.ts";
import { DIFFER, FULL_COUNT } from "../totals.ts";
import type { Meter } from "../vitals.ts";
import type { EngineSql } from "./sql.ts";

/** Counts and sums by merchant, day, kind and status, in shards; see the migration. */

const ADD = `ON CONFLICT (merchant_id, day, kind, status, shard) DO UPDATE
  SET count = day_totals.count + excluded.count, amount_cents = day_totals.amount_cents + excluded.amount_cents`;

/** How many rows are folded at once. */
const MOST_FOLDED = 5000;

/**
 * Adds up the shards of past days. It skips rows that another replica is adding up.
 * @param day the first day that may still get new payments
 */
export async function foldTotals({ write }: EngineSql, day: number): Promise<void> {
  await write(
    `WITH old AS (
      SELECT merchant_id, day, kind, status, shard FROM day_totals WHERE day < $1::int AND shard <> ''
      ORDER BY merchant_id, day, kind, status, shard LIMIT ${MOST_FOLDED} FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM day_totals AS d USING old
      WHERE (d.merchant_id, d.day, d.kind, d.status, d.shard) = (old.merchant_id, old.day, old.kind, old.status, old.shard)
      RETURNING d.*
    )
    INSERT INTO day_totals SELECT merchant_id, day, kind, status, '', sum(count), sum(amount_cents) FROM gone
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4 ${ADD}`,
    [day],
  );
}

/** Replaces the totals by a full count. Call it in a transaction that keeps other connections from writing. */
export async function recount(query: Query): Promise<void> {
  await query("DELETE FROM day_totals");
  await query(
    `INSERT INTO day_totals SELECT merchant_id, day, kind, status, '', count, amount_cents FROM (${FULL_COUNT}) AS counted`,
  );
}

/** The same, while servers are running: their writes wait. */
export const recountAlone = ({ transaction }: EngineSql): Promise<void> =>
  transaction(async (query, script) => {
    await script("LOCK TABLE transactions, day_totals IN SHARE ROW EXCLUSIVE MODE");
    await recount(query);
  });

/** Whether the sums of the shards equal a full count, at one point in time. */
export async function areTotalsTrue(query: Query): Promise<boolean> {
  const [row] = await query<{ differ: boolean }>(DIFFER);
  return row?.differ === false;
}

/** The shards in which a replica counts: one for each lane, so that no commit waits for another. */
export interface Shards {
  name(lane: string): string;
  /** How all current names begin. */
  readonly prefix: string;
}

/**
 * After a write without an answer, the shards have new names. Nothing waits for the locks of that write, and if it is stored later,
 * it counts as a change of others: nobody here has announced it.
 */
export function createShards(replica: string, meter: Pick<Meter, "unknownOutcomes">): Shards {
  const prefix = () => `${replica}/${meter.unknownOutcomes}/`;
  return {
    name: (lane) => prefix() + lane,
    get prefix() {
      return prefix();
    },
  };
}

/** A text that changes when others write: the counts in their shards, with a different weight for each status. */
export async function replicaChangeToken({ read }: EngineSql, { prefix }: Shards): Promise<string> {
  const [row] = await read<{ token: string }>(
    `SELECT coalesce(sum(count * (7 ^ status)), 0)::text AS token FROM day_totals
    WHERE shard <> '' AND NOT starts_with(shard, $1)`,
    [prefix],
  );
  return row?.token ?? "";
}
