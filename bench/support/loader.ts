import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { totalmem } from "node:os";
import phoneTotals from "../../src/store/sqlite/migrations/0004_phone_totals.sql" with { type: "text" };

/**
 * Fills a database of momo's with realistic rows, about 90,000 a second: payments of one merchant over a year, in the order
 * in which they came, of all kinds and ends. The same rows each time. The secondary indexes are dropped and built at the end;
 * the triggers too, and the totals that they keep are counted at once. The schema is afterwards what it was.
 */

const CHECKED_ROWS = 100_000;

const YEAR_MS = 365 * 86_400_000;

/** Numbers each row from 1 and draws for it, once; a draw is a product, so that it is the same each time. */
const HISTORY = `
WITH RECURSIVE drawn (n, at, stamp, token, roll, kind, status, customer) AS (
  SELECT 0, 0, '', '', 0, '', '', 0
  UNION ALL
  SELECT n + 1, $fromMs + n * ${YEAR_MS} / $rows,
    strftime('%d%m%Y%H%M%S', ($fromMs + n * ${YEAR_MS} / $rows + 10800000) / 1000, 'unixepoch'),
    printf('%012X', n * 1099511627791 % 281474976710656),
    (((n + 1) * 2654435761) >> 7) % 1000,
    CASE WHEN n % 20 < 17 THEN 'api' WHEN n % 20 = 17 THEN 'web' WHEN n % 20 = 18 THEN 'wallet_deposit'
      ELSE 'credit_topup' END,
    -- By the draw of the row before: as good as its own.
    CASE WHEN roll < 700 THEN 'completed' WHEN roll < 820 THEN 'failed' WHEN roll < 910 THEN 'cancelled'
      WHEN roll < 980 THEN 'expired' ELSE 'pending' END,
    (n * 7368787) % ($rows / 6 + 1)
  FROM drawn WHERE n < $rows
)
INSERT INTO transactions (merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
  reference_folded, description, checkout_request_id, merchant_request_id, transaction_code, momo_receipt_number, result_code,
  result_desc, created_at_ms, expires_at_ms, completed_at_ms, check_at_ms, memo)
SELECT 1, 1, kind, status, 100 * (1 + n * 48271 % 5000), 1 + n * 48271 % 5000,
  iif(customer % 10 = 0, '2541', '2547') || printf('%08d', customer * 48271 % 100000000),
  CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN 'INV-' || n ELSE 'Order-' || n END,
  CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN 'INV-' || n ELSE 'ORDER-' || n END,
  iif(n % 3 = 0, 'Groceries', NULL), 'ws_CO_' || stamp || '_' || token, 'ws_MR_' || stamp || '_' || token,
  iif(status = 'completed', 'T' || printf('%011d', n), NULL),
  iif(status = 'completed', substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(stamp, 5, 4) - 2005, 1)
    || substr('ABCDEFGHIJKL', substr(stamp, 3, 2), 1) || substr('123456789ABCDEFGHIJKLMNOPQRSTUV', substr(stamp, 1, 2), 1)
    || substr(token, 6), NULL),
  CASE status WHEN 'completed' THEN 0 WHEN 'failed' THEN 1 WHEN 'cancelled' THEN 1032 WHEN 'expired' THEN 1019 END,
  CASE status WHEN 'completed' THEN 'The service request is processed successfully.'
    WHEN 'failed' THEN 'The balance is insufficient for the transaction.'
    WHEN 'cancelled' THEN 'Request cancelled by user.' WHEN 'expired' THEN 'Transaction has expired.' END,
  at, iif(status = 'pending', at + ${2 * YEAR_MS}, at + 60000), iif(status = 'completed', at + 3000, NULL),
  -- Prompts that wait for somebody, so that no start of momo ends them.
  iif(status = 'pending', at + ${2 * YEAR_MS}, NULL), iif(status = 'pending', 'manual', NULL)
FROM drawn WHERE n > 0`;

const PENDING = `
WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < $rows)
INSERT INTO transactions (merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
  reference_folded, checkout_request_id, merchant_request_id, created_at_ms, expires_at_ms, check_at_ms, memo)
SELECT 1, 1, 'api', 'pending', 10000, 100, '2547' || printf('%08d', n * 48271 % 100000000), 'DUE-' || n, 'DUE-' || n,
  'ws_CO_due_' || printf('%012X', n * 1099511627791 % 281474976710656),
  'ws_MR_due_' || printf('%012X', n * 1000000000039 % 281474976710656),
  $fromMs, $dueMs + 60000, $dueMs + n * 1000 / $rows, 'completed ' || ($dueMs + n * 1000 / $rows)
FROM numbered`;

/** So many payments over the year up to `untilMs`; one in fifty still waits. */
export function loadHistory(file: string, rows: number, untilMs: number): void {
  fill(file, rows, (client) => client.query(HISTORY).run({ rows, fromMs: untilMs - YEAR_MS }));
}

/** So many prompts of this moment that the network answers in the second after `dueMs`, in their order. */
export function loadPending(file: string, rows: number, { nowMs, dueMs }: { nowMs: number; dueMs: number }): void {
  fill(file, rows, (client) => client.query(PENDING).run({ rows, fromMs: nowMs, dueMs }));
}

function fill(file: string, rows: number, insert: (client: Database) => void): void {
  const client = new Database(file, { readwrite: true, strict: true });
  // A file that a power cut may spoil is made anew.
  const pragmas = [
    "journal_mode = DELETE",
    "journal_mode = OFF",
    "locking_mode = EXCLUSIVE",
    "synchronous = OFF",
    "temp_store = MEMORY",
    "threads = 2",
  ];
  for (const pragma of [...pragmas, `cache_size = -${Math.min(Math.floor(totalmem() / 4096), 3_000_000)}`]) {
    client.run(`PRAGMA ${pragma}`);
  }
  // Few rows are held against the CHECKs; many are made by the same statement.
  if (rows > CHECKED_ROWS) client.run("PRAGMA ignore_check_constraints = ON");
  const before = schemaOf(client);
  const countBefore = countOf(client);
  client.run("BEGIN EXCLUSIVE");
  const dropped = before.filter(({ type, tbl_name, sql }) => tbl_name === "transactions" && type !== "table" && sql);
  for (const { type, name } of dropped) client.run(`DROP ${type} ${name}`);
  insert(client);
  client.run("DELETE FROM totals");
  client.run(`INSERT INTO totals
    SELECT merchant_id, (created_at_ms + 10800000) / 86400000, kind, status, count(*), sum(amount_cents)
    FROM transactions GROUP BY 1, 2, 3, 4`);
  client.run("DELETE FROM phone_totals");
  for (const [fill] of phoneTotals.matchAll(/^INSERT INTO phone_totals[^;]+/gm)) client.run(fill);
  for (const { sql } of dropped) client.run(sql ?? "");
  client.run("COMMIT");
  verify(client, countBefore + rows, JSON.stringify(before));
  client.run("PRAGMA journal_mode = WAL");
  client.close();
  writeThrough(file);
}

/** To the disk, at once: what the system writes in its own time holds up the commits that are measured afterwards. */
function writeThrough(file: string): void {
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** All that is declared; what SQLite knows of the distribution of values is not. */
function schemaOf(client: Database): SchemaEntry[] {
  const sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name <> 'sqlite_stat1' ORDER BY name";
  return client.query<SchemaEntry, []>(sql).all();
}

function countOf(client: Database): number {
  return client.query<{ count: number }, []>("SELECT count(*) AS count FROM transactions").get()?.count ?? 0;
}

/** The schema is as it was, every row is there, and the totals say what a count by the index of the list says. */
function verify(client: Database, rows: number, schema: string): void {
  if (JSON.stringify(schemaOf(client)) !== schema) throw new Error("the loader has changed the schema");
  const count = countOf(client);
  if (count !== rows) throw new Error(`the loader has stored ${count} rows instead of ${rows}`);
  const byKindAndStatus = (table: string, counted: string, by: string) =>
    JSON.stringify(
      client.query(`SELECT kind, status, ${counted} AS counted FROM ${table} GROUP BY ${by} ORDER BY 1, 2`).values(),
    );
  const indexed = byKindAndStatus("transactions", "count(*)", "merchant_id, kind, status");
  if (byKindAndStatus("totals", "sum(count)", "kind, status") !== indexed) throw new Error("the totals are not true");
  const ended = (table: string) =>
    JSON.stringify(
      client
        .query(
          `SELECT status, sum(count), sum(amount_cents) FROM ${table} WHERE status <> 'pending' GROUP BY status ORDER BY status`,
        )
        .values(),
    );
  if (ended("phone_totals") !== ended("totals")) throw new Error("the totals of phones are not true");
}
