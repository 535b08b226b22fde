-- The last transaction number that counts as used, in one row. Codes and receipts derive from the number, so it is never given
-- twice: not after a reset, and not after an import. What is above it and in use, the transactions themselves say.
CREATE TABLE number_floor (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  last_used INTEGER NOT NULL CHECK (last_used BETWEEN 0 AND 9007199254740991)
) STRICT;

INSERT INTO number_floor VALUES (1, 0);
