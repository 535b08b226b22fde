import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { codeOfKind, codeOfStatus } from "../../src/store/rows.ts";
import { areTotalsTrue, recount } from "../../src/store/sqlite/totals.ts";

/**
 * Fills a database of momo with realistic rows: payments of one merchant over a year, in their order, of all kinds and outcomes.
 * The rows are the same at every run.
 */

const YEAR_MS = 365 * 86_400_000;

/** Numbers the rows from 1, and computes the same pseudo-random values for each at every run. The codes are those of rows.ts. */
const HISTORY = `
WITH RECURSIVE drawn (n, at, roll, kind, status, customer) AS (
  SELECT 0, 0, 0, 0, 0, 0
  UNION ALL
  SELECT n + 1, $fromMs + n * ${YEAR_MS} / $rows, (((n + 1) * 2654435761) >> 7) % 1000,
    CASE WHEN n % 20 < 17 THEN ${codeOfKind("api")} ELSE n % 20 - 16 END,
    -- Uses the random value of the previous row, which is as good as its own.
    CASE WHEN roll < 700 THEN ${codeOfStatus("completed")} WHEN roll < 820 THEN ${codeOfStatus("failed")}
      WHEN roll < 910 THEN ${codeOfStatus("cancelled")} WHEN roll < 980 THEN ${codeOfStatus("expired")}
      ELSE ${codeOfStatus("pending")} END,
    (n * 7368787) % ($rows / 6 + 1)
  FROM drawn WHERE n < $rows
)
INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
  reference_folded, description, secret, created_at_ms, expires_at_ms, check_at_ms, completed_at_ms, result_code, memo)
SELECT n, 1, 1, kind, status, 100 * (1 + n * 48271 % 5000), 1 + n * 48271 % 5000,
  iif(customer % 10 = 0, 254100000000, 254700000000) + customer * 48271 % 100000000,
  CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN 'INV-' || n ELSE 'Order-' || n END,
  CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN NULL ELSE 'ORDER-' || n END,
  iif(n % 3 = 0, 'Groceries', NULL), printf('%012X', n * 1099511627791 % 281474976710656),
  -- These prompts stay pending, also when momo starts.
  at, iif(status = 0, at + ${2 * YEAR_MS}, at + 60000), iif(status = 0, at + ${2 * YEAR_MS}, NULL),
  iif(status = 1, at + 3000, NULL), CASE status WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN 1032 WHEN 4 THEN 1019 END,
  iif(status = 0, 'manual - header', 'completed ' || (at + 3000) || ' default')
FROM drawn WHERE n > 0`;

const PENDING = `
WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < $rows)
INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference, secret,
  created_at_ms, expires_at_ms, check_at_ms, memo)
SELECT n, 1, 1, 0, 0, 10000, 100, 254700000000 + n * 48271 % 100000000, 'DUE-' || n,
  printf('%012X', n * 1099511627791 % 281474976710656), $fromMs, $dueMs + 60000, $dueMs + n * 1000 / $rows,
  'completed ' || ($dueMs + n * 1000 / $rows) || ' default'
FROM numbered`;

/** Adds payments of the last year. One in fifty is still pending. */
export function loadHistory(file: string, rows: number): void {
  fill(file, rows, (client) => client.query(HISTORY).run({ rows, fromMs: Date.now() - YEAR_MS }));
}

/** Adds prompts of this moment. The network answers them in the second after `dueMs`, in their order. */
export function loadPending(file: string, rows: number, { nowMs, dueMs }: { nowMs: number; dueMs: number }): void {
  fill(file, rows, (client) => client.query(PENDING).run({ rows, fromMs: nowMs, dueMs }));
}

function fill(file: string, rows: number, insert: (client: Database) => void): void {
  const client = new Database(file, { readwrite: true, strict: true });
  // Durability is not needed: a damaged file can be made again. Some prompts stay pending for longer than a CHECK permits.
  const modes = ["journal_mode = OFF", "locking_mode = EXCLUSIVE", "synchronous = OFF", "cache_size = -1000000"];
  for (const mode of [...modes, "ignore_check_constraints = ON"]) client.run(`PRAGMA ${mode}`);
  const before = countOf(client);
  insert(client);
  recount(client);
  const stored = countOf(client) - before;
  if (stored !== rows) throw new Error(`the loader has stored ${stored} rows instead of ${rows}`);
  if (!areTotalsTrue(client)) throw new Error("the totals are not true");
  client.run("PRAGMA journal_mode = WAL");
  client.close();
  writeThrough(file);
}

/** Writes the file to the disk now: a later write by the system would delay the commits that are measured. */
function writeThrough(file: string): void {
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function countOf(client: Database): number {
  return client.query<{ count: number }, []>("SELECT count(*) AS count FROM transactions").get()?.count ?? 0;
}
