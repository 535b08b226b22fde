-- The list, newest first, whatever its filter is. It has what filters compare, so that skipped rows are not read.
DROP INDEX transactions_newest;
CREATE INDEX transactions_newest ON transactions (merchant_id, created_at_ms, id) INCLUDE (kind, status);

-- The search for a reference by its start; the newest payment with a reference.
DROP INDEX transactions_by_reference;
CREATE INDEX transactions_by_reference ON transactions (merchant_id, (coalesce(reference_folded, reference)), created_at_ms, id)
WHERE reference IS NOT NULL;
