-- Money is whole cents, an instant is milliseconds since the Unix epoch.
-- What the state machine promises, the CHECKs and the trigger repeat.

CREATE TABLE merchants (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE payment_accounts (
  id INTEGER PRIMARY KEY,
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  name TEXT NOT NULL CHECK (name <> ''),
  fee_basis_points INTEGER NOT NULL CHECK (fee_basis_points BETWEEN 0 AND 10000),
  fee_fixed_cents INTEGER NOT NULL CHECK (fee_fixed_cents BETWEEN 0 AND 100000000),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX payment_accounts_by_merchant ON payment_accounts (merchant_id);

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY,
  api_key TEXT NOT NULL UNIQUE CHECK (api_key GLOB 'mk_*'),
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  label TEXT NOT NULL CHECK (label <> ''),
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;

CREATE INDEX api_keys_by_merchant ON api_keys (merchant_id);

CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  payment_account_id INTEGER NOT NULL REFERENCES payment_accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('api', 'web', 'wallet_deposit', 'credit_topup')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'cancelled', 'expired')),
  amount_cents INTEGER NOT NULL CHECK (amount_cents BETWEEN 100 AND 99999999999),
  fee_cents INTEGER NOT NULL CHECK (fee_cents >= 0),
  phone TEXT NOT NULL CHECK (phone GLOB '254[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]'),
  reference TEXT CHECK (length(reference) <= 100),
  -- The reference without its letter case, for the search.
  reference_folded TEXT CHECK ((reference_folded IS NULL) = (reference IS NULL)),
  description TEXT CHECK (length(description) <= 182),
  -- NOCASE serves the search, which takes any letter case; and no two identifiers differ by their case alone.
  checkout_request_id TEXT NOT NULL UNIQUE COLLATE NOCASE,
  merchant_request_id TEXT NOT NULL UNIQUE COLLATE NOCASE,
  transaction_code TEXT UNIQUE COLLATE NOCASE,
  momo_receipt_number TEXT UNIQUE COLLATE NOCASE,
  result_code INTEGER,
  result_desc TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL CHECK (expires_at_ms > created_at_ms),
  completed_at_ms INTEGER,
  -- While pending: when to ask the provider next, and the provider's own note.
  check_at_ms INTEGER CHECK (check_at_ms <= expires_at_ms),
  memo TEXT,
  CHECK ((status = 'pending') = (check_at_ms IS NOT NULL)),
  CHECK ((status = 'pending') = (memo IS NOT NULL)),
  CHECK ((status = 'pending') = (result_code IS NULL)),
  CHECK ((status = 'pending') = (result_desc IS NULL)),
  CHECK ((status = 'completed') = (transaction_code IS NOT NULL)),
  CHECK ((status = 'completed') = (momo_receipt_number IS NOT NULL)),
  CHECK ((status = 'completed') = (completed_at_ms IS NOT NULL)),
  CHECK ((status = 'completed') = (result_code IS 0))
) STRICT;

-- The schedule: what is due next.
CREATE INDEX transactions_due ON transactions (check_at_ms) WHERE status = 'pending';

-- The list, newest first, and its filters.
CREATE INDEX transactions_newest ON transactions (merchant_id, created_at_ms);
CREATE INDEX transactions_by_kind_and_status ON transactions (merchant_id, kind, status, created_at_ms);
CREATE INDEX transactions_by_phone ON transactions (merchant_id, phone);
CREATE INDEX transactions_by_reference ON transactions (merchant_id, reference_folded) WHERE reference_folded IS NOT NULL;

CREATE TRIGGER transactions_final_rows_never_change
BEFORE UPDATE ON transactions WHEN OLD.status <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'a final transaction never changes');
END;

-- What a payment was when it started stays so while it ends.
CREATE TRIGGER transactions_facts_never_change
BEFORE UPDATE OF id, merchant_id, payment_account_id, kind, amount_cents, fee_cents, phone, reference, reference_folded,
  description, checkout_request_id, merchant_request_id, created_at_ms, expires_at_ms ON transactions
BEGIN
  SELECT RAISE(ABORT, 'only the outcome of a transaction changes');
END;

-- Counts and sums by Nairobi day (UTC+3; days since 1970-01-01), kept by the triggers below, so that no summary counts rows.
CREATE TABLE totals (
  merchant_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  amount_cents INTEGER NOT NULL CHECK (amount_cents >= 0),
  PRIMARY KEY (merchant_id, day, kind, status)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER totals_count_insert AFTER INSERT ON transactions
BEGIN
  INSERT INTO totals VALUES
    (NEW.merchant_id, (NEW.created_at_ms + 10800000) / 86400000, NEW.kind, NEW.status, 1, NEW.amount_cents)
  ON CONFLICT DO UPDATE SET count = count + 1, amount_cents = amount_cents + excluded.amount_cents;
END;

CREATE TRIGGER totals_count_outcome AFTER UPDATE OF status ON transactions WHEN OLD.status <> NEW.status
BEGIN
  UPDATE totals SET count = count - 1, amount_cents = amount_cents - OLD.amount_cents
  WHERE merchant_id = OLD.merchant_id AND day = (OLD.created_at_ms + 10800000) / 86400000
    AND kind = OLD.kind AND status = OLD.status;
  INSERT INTO totals VALUES
    (NEW.merchant_id, (NEW.created_at_ms + 10800000) / 86400000, NEW.kind, NEW.status, 1, NEW.amount_cents)
  ON CONFLICT DO UPDATE SET count = count + 1, amount_cents = amount_cents + excluded.amount_cents;
END;
