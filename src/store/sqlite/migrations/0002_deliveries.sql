-- What is sent to the webhook: written in the commit of the outcome, and changed by each attempt. Nothing is written while no
-- webhook is set.
CREATE TABLE deliveries (
  delivery_id INTEGER PRIMARY KEY,
  transaction_id INTEGER NOT NULL,
  form TEXT NOT NULL,
  ended_at_ms INTEGER NOT NULL,
  -- When the next attempt is due; null where there is none.
  due_at_ms INTEGER,
  -- A JSON array.
  attempts TEXT NOT NULL DEFAULT '[]',
  resend_of INTEGER
) STRICT;

-- Due deliveries, the next due time.
CREATE INDEX deliveries_due ON deliveries (due_at_ms, delivery_id) WHERE due_at_ms IS NOT NULL;
-- The old ones, to be removed.
CREATE INDEX deliveries_ended ON deliveries (delivery_id) WHERE due_at_ms IS NULL;
