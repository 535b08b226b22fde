-- Counts and sums of what has ended, by the first digits of the phone, kept by the triggers below: the summary of a search for a
-- broad range of numbers then reads no rows. Six digits make at most a thousand ranges of a merchant, and with one digit more
-- there is little to read. What is pending is not counted here: it is the rest of what the index of phones counts, and so the start
-- of a payment has nothing more to write.
CREATE TABLE phone_totals (
  merchant_id INTEGER NOT NULL,
  prefix TEXT NOT NULL CHECK (length(prefix) = 6),
  status TEXT NOT NULL CHECK (status <> 'pending'),
  count INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, prefix, status)
) STRICT, WITHOUT ROWID;

-- One by one: to sort millions first would take longer, and memory.
INSERT INTO phone_totals
SELECT merchant_id, substr(phone, 1, 6), status, 1, amount_cents FROM transactions WHERE status <> 'pending'
ON CONFLICT DO UPDATE SET count = count + 1, amount_cents = amount_cents + excluded.amount_cents;

CREATE TRIGGER phone_totals_count_insert AFTER INSERT ON transactions WHEN NEW.status <> 'pending'
BEGIN
  INSERT INTO phone_totals VALUES (NEW.merchant_id, substr(NEW.phone, 1, 6), NEW.status, 1, NEW.amount_cents)
  ON CONFLICT DO UPDATE SET count = count + 1, amount_cents = amount_cents + excluded.amount_cents;
END;

-- What was final before never changes: this is its one end.
CREATE TRIGGER phone_totals_count_outcome AFTER UPDATE OF status ON transactions WHEN NEW.status <> 'pending'
BEGIN
  INSERT INTO phone_totals VALUES (NEW.merchant_id, substr(NEW.phone, 1, 6), NEW.status, 1, NEW.amount_cents)
  ON CONFLICT DO UPDATE SET count = count + 1, amount_cents = amount_cents + excluded.amount_cents;
END;
