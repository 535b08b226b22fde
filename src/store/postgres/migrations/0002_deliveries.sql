-- What is sent to the webhook: written in the statement of the outcome, and changed by each attempt. Nothing is written while no
-- webhook is set.
CREATE TABLE deliveries (
  delivery_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction_id bigint NOT NULL,
  form text COLLATE "C" NOT NULL,
  ended_at_ms bigint NOT NULL,
  -- When the next attempt is due; null where there is none.
  due_at_ms bigint,
  -- Until then, by the clock of the engine, one replica sends it, and the others leave it alone.
  claimed_until_ms bigint NOT NULL DEFAULT 0,
  -- The replica that claimed it last.
  claim text COLLATE "C",
  -- A JSON array.
  attempts text COLLATE "C" NOT NULL DEFAULT '[]',
  resend_of bigint
);

-- Due deliveries, the next due time.
CREATE INDEX deliveries_due ON deliveries (due_at_ms, delivery_id) WHERE due_at_ms IS NOT NULL;
-- The old ones, to be removed.
CREATE INDEX deliveries_ended ON deliveries (delivery_id) WHERE due_at_ms IS NULL;
