-- The provider's own note outlives the schedule, so that it can still be told why a payment ended as it did.
-- Null while pending, and where a payment ended before such notes were kept.
ALTER TABLE transactions ADD COLUMN final_memo TEXT CHECK (final_memo IS NULL OR status <> 'pending');
