import { Database } from "bun:sqlite";
import initial from "../src/store/sqlite/migrations/0001_initial.sql" with { type: "text" };

/**
 * The bare limit: the least program that makes the same durable write. One insert with momo's indexes, WAL, a full flush for
 * each commit, one commit for each turn of the event loop; no validation, no credentials, no totals.
 */

if (process.argv[2] === "--version") {
  process.stdout.write("limit\n");
  process.exit();
}

const client = new Database(process.argv[2] ?? ":memory:", { create: true, strict: true });
client.run("PRAGMA journal_mode = WAL");
client.run("PRAGMA synchronous = FULL");
// The columns and unique identifiers of the first migration, without a CHECK. A database of momo's is used as it is.
client.run(`CREATE TABLE IF NOT EXISTS transactions (
  id INTEGER PRIMARY KEY, merchant_id INTEGER NOT NULL, payment_account_id INTEGER NOT NULL, kind TEXT NOT NULL,
  status TEXT NOT NULL, amount_cents INTEGER NOT NULL, fee_cents INTEGER NOT NULL, phone TEXT NOT NULL, reference TEXT,
  reference_folded TEXT, description TEXT,
  checkout_request_id TEXT NOT NULL UNIQUE COLLATE NOCASE, merchant_request_id TEXT NOT NULL UNIQUE COLLATE NOCASE,
  transaction_code TEXT UNIQUE COLLATE NOCASE, momo_receipt_number TEXT UNIQUE COLLATE NOCASE,
  result_code INTEGER, result_desc TEXT, created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL,
  completed_at_ms INTEGER, check_at_ms INTEGER, memo TEXT
) STRICT`);
for (const [index] of initial.matchAll(/CREATE INDEX transactions_[^;]+/g)) {
  client.run(index.replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS"));
}

const insert = client.query<{ id: number }, [number, number, string, string | null, string, string, number]>(
  `INSERT INTO transactions (merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
    reference_folded, checkout_request_id, merchant_request_id, created_at_ms, expires_at_ms, check_at_ms, memo)
  VALUES (1, ?1, 'api', 'pending', ?2, 100, ?3, ?4, ?4, ?5, ?6, ?7, ?7 + 60000, ?7 + 3000, 'completed') RETURNING id`,
);
const find = client.query<Record<string, unknown>, [string]>(
  `SELECT status, amount_cents / 100.0 AS amount, fee_cents / 100.0 AS fee_amount, phone, transaction_code,
    momo_receipt_number, checkout_request_id, merchant_request_id, result_code, result_desc, created_at_ms, completed_at_ms
  FROM transactions WHERE checkout_request_id = ?`,
);

type Write = () => void;
let waiting: Write[] = [];
const commit = client.transaction((writes: readonly Write[]) => {
  for (const write of writes) write();
});

/** Resolves when what `write` wrote is on disk. */
function committed<T>(write: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  if (waiting.length === 0) setImmediate(flush);
  waiting.push(() => answers.push(resolve.bind(null, write())));
  return promise;
}

let answers: (() => void)[] = [];

function flush(): void {
  const writes = waiting;
  waiting = [];
  commit.immediate(writes);
  const due = answers;
  answers = [];
  for (const answer of due) answer();
}

const suffix = () => Math.random().toString(36).slice(2, 14);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  async fetch(request) {
    if (request.method === "GET") return new Response("ready");
    const body = (await request.json()) as Record<string, string & number>;
    if (request.url.endsWith("/status.php")) {
      return Response.json({ success: true, message: "found", ...find.get(body.checkout_request_id ?? "") });
    }
    const nowMs = Date.now();
    const [checkoutRequestId, merchantRequestId] = [`ws_CO_${nowMs}_${suffix()}`, `ws_MR_${nowMs}_${suffix()}`];
    const row = await committed(() =>
      insert.get(
        body.payment_account_id ?? 0,
        (body.amount ?? 0) * 100,
        body.phone ?? "",
        body.reference ?? null,
        checkoutRequestId,
        merchantRequestId,
        nowMs,
      ),
    );
    return Response.json({
      success: true,
      message: "stored",
      transaction_id: row?.id,
      checkout_request_id: checkoutRequestId,
      merchant_request_id: merchantRequestId,
    });
  },
});

// Compiled as momo is, it begins reluctant to compile.
Bun.unsafe.setJITPolicy(1);
process.on("SIGTERM", () => {
  client.close();
  process.exit();
});
process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${server.port}` })}\n`);
