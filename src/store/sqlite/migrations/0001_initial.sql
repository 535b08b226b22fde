-- Money is whole cents, an instant is milliseconds since the Unix epoch. Kinds and statuses are codes: the position of the word in
-- KINDS and STATUSES of src/domain/transaction.ts, from 0. So 0 is `pending` and 1 is `completed`.
-- The CHECKs and the triggers repeat the rules of the state machine.

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

-- One row: the key that turns numbers into request ids, and the greatest number of the removed transactions.
CREATE TABLE numbering (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  request_id_key BLOB NOT NULL CHECK (length(request_id_key) = 32),
  last_forgotten INTEGER NOT NULL CHECK (last_forgotten >= 0),
  -- All transactions with a smaller id have their words.
  words_until INTEGER NOT NULL DEFAULT 0,
  -- Whether the ids of the transactions rise with time, see order.ts.
  in_order INTEGER NOT NULL DEFAULT 1 CHECK (in_order IN (0, 1))
) STRICT;

INSERT INTO numbering (id, request_id_key, last_forgotten) VALUES (1, randomblob(32), 0);

CREATE TABLE transactions (
  -- The number. Request ids and transaction code derive from it, see src/domain/identifiers.ts.
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 78364164095),
  -- The number where it is not the id, see order.ts.
  number INTEGER CHECK (number <> id),
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  payment_account_id INTEGER NOT NULL REFERENCES payment_accounts (id),
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 4),
  amount_cents INTEGER NOT NULL CHECK (amount_cents BETWEEN 100 AND 99999999999),
  fee_cents INTEGER NOT NULL CHECK (fee_cents >= 0),
  phone INTEGER NOT NULL CHECK (phone BETWEEN 254000000000 AND 254999999999),
  reference TEXT CHECK (length(reference) <= 100),
  -- The reference without its letter case, for the search; null where it has none already.
  reference_folded TEXT CHECK (reference_folded IS NULL OR (reference IS NOT NULL AND reference_folded <> reference)),
  description TEXT CHECK (length(description) <= 182),
  -- The random part of the request ids.
  secret TEXT NOT NULL CHECK (length(secret) = 12),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL CHECK (expires_at_ms > created_at_ms),
  -- When to ask the provider next, while pending.
  check_at_ms INTEGER CHECK (check_at_ms <= expires_at_ms),
  completed_at_ms INTEGER,
  result_code INTEGER,
  -- Only where it is not the text that src/domain/result-codes.ts has for the code.
  result_desc TEXT,
  -- Only where it is not the one that derives from number and completion.
  receipt_number TEXT COLLATE NOCASE,
  -- The provider's own note.
  memo TEXT NOT NULL,
  CHECK ((status = 0) = (check_at_ms IS NOT NULL)),
  CHECK ((status = 0) = (result_code IS NULL)),
  CHECK ((status = 1) = (result_code IS 0)),
  CHECK ((status = 1) = (completed_at_ms IS NOT NULL)),
  CHECK (result_desc IS NULL OR status <> 0),
  CHECK (receipt_number IS NULL OR status = 1)
) STRICT;

-- Each index names the operations that need it.

-- Due transactions, the next due time, open prompts.
CREATE INDEX transactions_due ON transactions (check_at_ms) WHERE status = 0;
-- The last payments: the messages to customers. It has the phone, so that the messages of one phone need no other rows.
CREATE INDEX transactions_paid ON transactions (completed_at_ms, phone) WHERE status = 1;
-- The search for a receipt number that a provider chose. No two payments have the same.
CREATE UNIQUE INDEX transactions_by_receipt_number ON transactions (receipt_number) WHERE receipt_number IS NOT NULL;

-- The transactions that are not at the place of their number.
CREATE UNIQUE INDEX transactions_by_number ON transactions (number) WHERE number IS NOT NULL;

CREATE TRIGGER transactions_final_rows_never_change
BEFORE UPDATE ON transactions WHEN OLD.status <> 0
BEGIN
  SELECT RAISE(ABORT, 'a final transaction never changes');
END;

-- Only the outcome of a payment changes.
CREATE TRIGGER transactions_facts_never_change
BEFORE UPDATE OF id, number, merchant_id, payment_account_id, kind, amount_cents, fee_cents, phone, reference, reference_folded,
  description, secret, created_at_ms, expires_at_ms ON transactions
BEGIN
  SELECT RAISE(ABORT, 'only the outcome of a transaction changes');
END;

-- Counts and sums by Nairobi day (UTC+3; days since 1970-01-01), so that no summary counts rows. totals.ts changes them in the
-- same commit as the rows.
CREATE TABLE day_totals (
  merchant_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  amount_cents INTEGER NOT NULL CHECK (amount_cents >= 0),
  PRIMARY KEY (merchant_id, day, kind, status)
) STRICT, WITHOUT ROWID;

-- The same counts by blocks of 2^bits numbers, so that a deep page is found without the rows before it.
CREATE TABLE block_totals (
  merchant_id INTEGER NOT NULL,
  bits INTEGER NOT NULL CHECK (bits IN (11, 17)),
  block INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (merchant_id, bits, block, kind, status)
) STRICT, WITHOUT ROWID;

-- The phones and references of a block of 2^14 numbers, in order: what a search looks for. An index over all rows would be written
-- in a random place for each payment. words.ts adds the words of many payments at once.
CREATE TABLE phone_words (
  block INTEGER NOT NULL,
  phone INTEGER NOT NULL,
  merchant_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (block, phone, merchant_id, id)
) STRICT, WITHOUT ROWID;

-- The reference without its letter case.
CREATE TABLE reference_words (
  block INTEGER NOT NULL,
  reference TEXT NOT NULL,
  merchant_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (block, reference, merchant_id, id)
) STRICT, WITHOUT ROWID;
