-- Money is whole cents, an instant is milliseconds since the Unix epoch. Kinds and statuses are codes: the position of the word in
-- KINDS and STATUSES of src/domain/transaction.ts, from 0. So 0 is `pending` and 1 is `completed`.
-- The CHECKs and the triggers repeat the rules of the state machine. The name of a constraint is the refusal of an import.

CREATE TABLE merchants (
  id INTEGER PRIMARY KEY CONSTRAINT "id must be from 1 to 10000000000" CHECK (id BETWEEN 1 AND 10000000000),
  name TEXT NOT NULL CONSTRAINT "name must be 1 to 100 characters on one line" CHECK (length(name) <= 100 AND trim(name) <> ''
    AND instr(CAST(name AS BLOB), x'00') = 0 AND name NOT GLOB '*[' || char(1, 45, 31, 127, 45, 159, 8232, 8233) || ']*'),
  created_at_ms INTEGER NOT NULL
    CONSTRAINT "created_at_ms must be milliseconds since 1970, before the year 10000" CHECK (created_at_ms BETWEEN 0 AND 253402214400000)
) STRICT;

CREATE TABLE payment_accounts (
  id INTEGER PRIMARY KEY CONSTRAINT "id must be from 1 to 10000000000" CHECK (id BETWEEN 1 AND 10000000000),
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  name TEXT NOT NULL CONSTRAINT "name must be 1 to 100 characters on one line" CHECK (length(name) <= 100 AND trim(name) <> ''
    AND instr(CAST(name AS BLOB), x'00') = 0 AND name NOT GLOB '*[' || char(1, 45, 31, 127, 45, 159, 8232, 8233) || ']*'),
  fee_basis_points INTEGER NOT NULL CONSTRAINT "fee_basis_points must be from 0 to 10000" CHECK (fee_basis_points BETWEEN 0 AND 10000),
  fee_fixed_cents INTEGER NOT NULL CONSTRAINT "fee_fixed_cents must be from 0 to 100000000" CHECK (fee_fixed_cents BETWEEN 0 AND 100000000),
  created_at_ms INTEGER NOT NULL
    CONSTRAINT "created_at_ms must be milliseconds since 1970, before the year 10000" CHECK (created_at_ms BETWEEN 0 AND 253402214400000),
  UNIQUE (merchant_id, id)
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY CONSTRAINT "id must be from 1 to 10000000000" CHECK (id BETWEEN 1 AND 10000000000),
  api_key TEXT NOT NULL UNIQUE CONSTRAINT "api_key must be mk_ and at most 97 letters and digits" CHECK (api_key GLOB 'mk_*'
    AND octet_length(api_key) BETWEEN 4 AND 100 AND octet_length(api_key) = length(api_key)
    AND api_key NOT GLOB '*[^0-9A-Za-z_]*'),
  secret_hash BLOB NOT NULL CONSTRAINT "secret_hash must be 32 bytes" CHECK (length(secret_hash) = 32),
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  label TEXT NOT NULL CONSTRAINT "label must be 1 to 100 characters on one line" CHECK (length(label) <= 100 AND trim(label) <> ''
    AND instr(CAST(label AS BLOB), x'00') = 0 AND label NOT GLOB '*[' || char(1, 45, 31, 127, 45, 159, 8232, 8233) || ']*'),
  created_at_ms INTEGER NOT NULL
    CONSTRAINT "created_at_ms must be milliseconds since 1970, before the year 10000" CHECK (created_at_ms BETWEEN 0 AND 253402214400000),
  revoked_at_ms INTEGER
    CONSTRAINT "revoked_at_ms must be milliseconds since 1970, before the year 10000" CHECK (revoked_at_ms BETWEEN 0 AND 253402214400000)
) STRICT;

CREATE INDEX api_keys_by_merchant ON api_keys (merchant_id);

-- One row: the key that turns numbers into request ids, and the greatest number of the removed transactions.
CREATE TABLE numbering (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  request_id_key BLOB NOT NULL CHECK (length(request_id_key) = 32),
  last_forgotten INTEGER NOT NULL CHECK (last_forgotten >= 0)
) STRICT;

INSERT INTO numbering (id, request_id_key, last_forgotten) VALUES (1, randomblob(32), 0);

CREATE TABLE transactions (
  -- The number. Request ids and transaction code derive from it, see src/domain/identifiers.ts.
  id INTEGER PRIMARY KEY CONSTRAINT "id must be from 1 to 78364164095" CHECK (id BETWEEN 1 AND 78364164095),
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  payment_account_id INTEGER NOT NULL,
  kind INTEGER NOT NULL CONSTRAINT "kind must be from 0 to 3" CHECK (kind BETWEEN 0 AND 3),
  status INTEGER NOT NULL CONSTRAINT "status must be from 0 to 4" CHECK (status BETWEEN 0 AND 4),
  amount_cents INTEGER NOT NULL CONSTRAINT "amount_cents must be from 100 to 99999999999" CHECK (amount_cents BETWEEN 100 AND 99999999999),
  fee_cents INTEGER NOT NULL CONSTRAINT "fee_cents must be at most the fee of the highest tariff"
    CHECK (fee_cents BETWEEN 0 AND amount_cents + 100000000),
  phone INTEGER NOT NULL CONSTRAINT "phone must be 254 and 9 digits" CHECK (phone BETWEEN 254000000000 AND 254999999999),
  reference TEXT CONSTRAINT "reference must be at most 100 characters" CHECK (length(reference) <= 100 AND octet_length(reference) <= 400),
  -- The reference without its letter case, for the search; null where it has none already.
  reference_folded TEXT CONSTRAINT "reference_folded must be null, or another text than the reference"
    CHECK (reference_folded IS NULL OR (reference IS NOT NULL AND reference_folded <> reference)),
  description TEXT CONSTRAINT "description must be at most 182 characters" CHECK (length(description) <= 182 AND octet_length(description) <= 728),
  -- The random part of the request ids.
  secret TEXT NOT NULL CONSTRAINT "secret must be 12 characters of 0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    CHECK (octet_length(secret) = 12 AND length(secret) = 12 AND secret NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*'),
  created_at_ms INTEGER NOT NULL
    CONSTRAINT "created_at_ms must be milliseconds since 1970, before the year 10000" CHECK (created_at_ms BETWEEN 0 AND 253402214400000),
  expires_at_ms INTEGER NOT NULL CONSTRAINT "expires_at_ms must be at most a day after created_at_ms, and after it"
    CHECK (expires_at_ms > created_at_ms AND expires_at_ms - created_at_ms <= 86400000),
  -- When to ask the provider next, while pending.
  check_at_ms INTEGER CONSTRAINT "check_at_ms must be from 1970 to expires_at_ms" CHECK (check_at_ms BETWEEN 0 AND expires_at_ms),
  completed_at_ms INTEGER
    CONSTRAINT "completed_at_ms must be milliseconds since 1970, before the year 10000" CHECK (completed_at_ms BETWEEN 0 AND 253402214400000),
  result_code INTEGER CONSTRAINT "result_code must be from 0 to 999999" CHECK (result_code BETWEEN 0 AND 999999),
  -- Only where it is not the text that src/domain/outcome.ts has for the code.
  result_desc TEXT CONSTRAINT "result_desc must be at most 1000 bytes" CHECK (octet_length(result_desc) <= 1000),
  -- Only where it is not the one that derives from number and completion.
  receipt_number TEXT COLLATE NOCASE
    CONSTRAINT "receipt_number must be 1 to 100 letters, digits and _"
    CHECK (octet_length(receipt_number) BETWEEN 1 AND 100 AND octet_length(receipt_number) = length(receipt_number)
      AND receipt_number NOT GLOB '*[^0-9A-Za-z_]*'),
  -- The provider's own note.
  memo TEXT NOT NULL CONSTRAINT "memo must be at most 1000 bytes" CHECK (octet_length(memo) <= 1000),
  CONSTRAINT "only pending payments are checked" CHECK ((status = 0) = (check_at_ms IS NOT NULL)),
  CONSTRAINT "only final payments have a result" CHECK ((status = 0) = (result_code IS NULL)),
  CONSTRAINT "only completed payments have the result code 0" CHECK ((status = 1) = (result_code IS 0)),
  CONSTRAINT "only completed payments have a time of completion" CHECK ((status = 1) = (completed_at_ms IS NOT NULL)),
  CONSTRAINT "only final payments have a result text" CHECK (result_desc IS NULL OR status <> 0),
  CONSTRAINT "only completed payments have a receipt" CHECK (receipt_number IS NULL OR status = 1),
  -- An account of the same merchant.
  FOREIGN KEY (merchant_id, payment_account_id) REFERENCES payment_accounts (merchant_id, id)
) STRICT;

-- Each index names the operations that need it.

-- Due transactions, the next due time, open prompts.
CREATE INDEX transactions_due ON transactions (check_at_ms) WHERE status = 0;
-- The list, newest first. It has what filters compare, so that skipped rows are not read.
CREATE INDEX transactions_newest ON transactions (merchant_id, created_at_ms, id, status, kind);
-- The search for a reference by its start; one payment by its reference.
CREATE INDEX transactions_by_reference ON transactions (merchant_id, coalesce(reference_folded, reference), created_at_ms)
WHERE reference IS NOT NULL;
-- The last payments: the messages to customers. It has the phone, so that the messages of one phone need no other rows.
CREATE INDEX transactions_paid ON transactions (completed_at_ms, phone) WHERE status = 1;
-- The search for a receipt number that a provider chose. No two payments have the same.
CREATE UNIQUE INDEX transactions_by_receipt_number ON transactions (receipt_number) WHERE receipt_number IS NOT NULL;

CREATE TRIGGER transactions_final_rows_never_change
BEFORE UPDATE ON transactions WHEN OLD.status <> 0
BEGIN
  SELECT RAISE(ABORT, 'a final transaction never changes');
END;

-- Only the outcome of a payment changes.
CREATE TRIGGER transactions_facts_never_change
BEFORE UPDATE OF id, merchant_id, payment_account_id, kind, amount_cents, fee_cents, phone, reference, reference_folded,
  description, secret, created_at_ms, expires_at_ms ON transactions
BEGIN
  SELECT RAISE(ABORT, 'only the outcome of a transaction changes');
END;

-- Counts and sums by Nairobi day (UTC+3; days since 1970-01-01), so that no summary counts rows. totals.ts changes them in the same
-- commit as the rows.
CREATE TABLE day_totals (
  merchant_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  amount_cents INTEGER NOT NULL CHECK (amount_cents >= 0),
  PRIMARY KEY (merchant_id, day, kind, status)
) STRICT, WITHOUT ROWID;

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
