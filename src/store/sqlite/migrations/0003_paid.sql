-- What was paid last, whoever was paid: the text messages to customers. With the phone in it, those of one are found without a
-- look at the rows of others; an index of its own, in the order of phones, would cost each outcome more than all else of it.
CREATE INDEX transactions_paid ON transactions (completed_at_ms, phone) WHERE status = 'completed';
