-- What was paid last, by anybody or by one phone, whoever was paid: the text messages to customers.
CREATE INDEX transactions_paid ON transactions (completed_at_ms) WHERE status = 'completed';
CREATE INDEX transactions_paid_by_phone ON transactions (phone, completed_at_ms) WHERE status = 'completed';
