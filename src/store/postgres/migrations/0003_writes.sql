-- The two statements of all writes. As functions, a connection plans them once, which saves the engine a fifth of its work.
-- Each takes rows as a JSON array, and returns the ids of those that it wrote, with commas between them. The totals change in the
-- same statement, so that they are right also if it is sent twice.

-- New transactions, with the shard of day_totals that counts them.
CREATE FUNCTION momo_insert(text, text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE ids text;
BEGIN
  WITH i AS (
    INSERT INTO transactions SELECT * FROM json_populate_recordset(NULL::transactions, $1::json)
    ON CONFLICT (id) DO NOTHING RETURNING id, merchant_id, kind, status, created_at_ms, amount_cents
  ), t AS (
    INSERT INTO day_totals
    SELECT merchant_id, ((created_at_ms + 10800000) / 86400000)::int, kind, status, $2, count(*), sum(amount_cents)
    FROM i GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT ON CONSTRAINT day_totals_pkey DO UPDATE
    SET count = day_totals.count + excluded.count, amount_cents = day_totals.amount_cents + excluded.amount_cents
  )
  SELECT string_agg(i.id::text, ',') INTO ids FROM i;
  RETURN ids;
END $$;

-- The results of transactions that are still pending, and the deliveries of each that has ended, as a JSON array or null.
CREATE FUNCTION momo_record(text, text, text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE ids text;
BEGIN
  WITH o AS (
    UPDATE transactions AS t SET status = r.status, check_at_ms = r.check_at_ms, completed_at_ms = r.completed_at_ms,
      result_code = r.result_code, result_desc = r.result_desc, receipt_number = r.receipt_number, memo = r.memo
    FROM json_populate_recordset(NULL::transactions, $1::json) AS r
    -- `+ 0` keeps the planner from scanning all pending rows by the index of the schedule.
    WHERE t.id = r.id AND t.status + 0 = 0
    RETURNING t.id, t.merchant_id, t.kind, t.status, t.created_at_ms, t.amount_cents
  ), t AS (
    -- A row that has ended counts one less as pending, and one more as what it is.
    INSERT INTO day_totals
    SELECT merchant_id, ((created_at_ms + 10800000) / 86400000)::int, kind, side.status, $2, sum(sign), sum(sign * amount_cents)
    FROM o CROSS JOIN LATERAL (VALUES (0::smallint, -1), (o.status, 1)) AS side (status, sign)
    WHERE o.status <> 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT ON CONSTRAINT day_totals_pkey DO UPDATE
    SET count = day_totals.count + excluded.count, amount_cents = day_totals.amount_cents + excluded.amount_cents
  ), d AS (
    INSERT INTO deliveries (transaction_id, form, ended_at_ms, due_at_ms)
    SELECT o.id, p.form, p."endedAtMs", p."dueAtMs"
    FROM o CROSS JOIN json_to_recordset($3::json) AS p (form text, "endedAtMs" bigint, "dueAtMs" bigint)
    WHERE o.status <> 0
  )
  SELECT string_agg(o.id::text, ',') INTO ids FROM o;
  RETURN ids;
END $$;
