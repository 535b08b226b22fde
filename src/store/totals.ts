import { DAY_MS, NAIROBI_OFFSET_MS } from "../domain/timestamp.ts";

/** The totals of days, in both engines: counts and sums of transactions by merchant, Nairobi day, kind and status. */

/** Counts all transactions. */
export const FULL_COUNT = `SELECT merchant_id, (created_at_ms + ${NAIROBI_OFFSET_MS}) / ${DAY_MS} AS day, kind, status,
  count(*) AS count, sum(amount_cents) AS amount_cents FROM transactions GROUP BY 1, 2, 3, 4`;

/** A total can be the sum of several rows. */
const TOTALS = `SELECT merchant_id, day, kind, status, sum(count), sum(amount_cents) FROM day_totals
  GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0 OR sum(amount_cents) <> 0`;

/** Whether the totals differ from a full count, as one value. */
export const DIFFER = `WITH counted AS MATERIALIZED (${FULL_COUNT}), kept AS MATERIALIZED (${TOTALS})
  SELECT EXISTS (SELECT * FROM kept EXCEPT SELECT * FROM counted)
    OR EXISTS (SELECT * FROM counted EXCEPT SELECT * FROM kept) AS differ`;
