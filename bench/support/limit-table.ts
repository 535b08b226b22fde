import { Database } from "bun:sqlite";

/**
 * The smallest table for the three operations: one row for each payment, found by its number, which is in its id, and one index
 * each for the list of a merchant, for a phone, and for what is due.
 */
const TABLE = `
CREATE TABLE IF NOT EXISTS payments (
  id INTEGER PRIMARY KEY, merchant INTEGER NOT NULL, account INTEGER NOT NULL, status INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL, fee_cents INTEGER NOT NULL, phone INTEGER NOT NULL, reference TEXT, token TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL, check_at_ms INTEGER, result_code INTEGER, completed_at_ms INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS payments_of_merchant ON payments (merchant, created_at_ms);
CREATE INDEX IF NOT EXISTS payments_of_phone ON payments (merchant, phone);
CREATE INDEX IF NOT EXISTS payments_due ON payments (check_at_ms) WHERE status = 0`;

export function openLimitTable(file: string): Database {
  const client = new Database(file, { create: true, strict: true });
  client.run("PRAGMA journal_mode = WAL");
  client.run("PRAGMA synchronous = FULL");
  client.run(TABLE);
  return client;
}

export const limitId = (id: number, createdAtMs: number, token: string): string =>
  `ws_CO_${createdAtMs}_${token}${id.toString(36)}`;

/** The first characters of an id are its token; the number follows. */
export const LIMIT_TOKEN_LENGTH = 12;

/** Fills the table with payments that no client polls. */
export function loadLimit(file: string, rows: number): void {
  const client = openLimitTable(file);
  client
    .query(`
    WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < $rows)
    INSERT INTO payments
    SELECT n, 1, 1, 1, 100 * (1 + n % 5000), 1 + n % 5000, 254700000000 + n * 48271 % 100000000, 'Order-' || n,
      printf('%012X', n * 1099511627791 % 281474976710656), $nowMs, NULL, 0, $nowMs
    FROM numbered`)
    .run({ rows, nowMs: Date.now() });
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
}
