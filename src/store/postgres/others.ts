import type { EngineSql } from "./options.ts";

/** Each change of a payment adds one to this sum: a pending payment counts 1, a final one 2. */
const MARK = `SELECT coalesce(sum(count * CASE WHEN status = 0 THEN 1 ELSE 2 END), 0)::text AS mark
  FROM day_totals WHERE day >= $1::integer AND NOT starts_with(shard, $2::text)`;

/** How many days a payment can be pending, and one more. */
const DAYS = 2;

/**
 * A text that changes when another replica has started or resolved a payment.
 * @param today the day of the totals
 * @param replica whose own shards, `REPLICA/…`, are left out
 */
export async function markOfOthers(sql: EngineSql, today: number, replica: string): Promise<string> {
  const [row] = await sql.read<{ mark: string }>(MARK, [today - DAYS, `${replica}/`]);
  return row?.mark ?? "";
}
