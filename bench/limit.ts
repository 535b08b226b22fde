import { LIMIT_TOKEN_LENGTH, limitId, openLimitTable } from "./support/limit-table.ts";

/**
 * The bare limit: the smallest program that makes the same durable write. One insert into a small table, WAL, a full flush for each
 * commit, one commit for each turn of the event loop; no validation, no credentials, no totals, no outcome.
 */

if (process.argv[2] === "--version") {
  console.log("limit");
  process.exit();
}

const client = openLimitTable(process.argv[2] ?? ":memory:");
const insert = client.query<{ id: number }, [number, number, number, string | null, string, number]>(
  `INSERT INTO payments (merchant, account, status, amount_cents, fee_cents, phone, reference, token, created_at_ms, check_at_ms)
  VALUES (1, ?1, 0, ?2, 100, ?3, ?4, ?5, ?6, ?6 + 3000) RETURNING id`,
);
interface Row {
  readonly token: string;
  readonly at: number;
  readonly phone: number;
}
const find = client.query<Row, [number]>(
  `SELECT token, created_at_ms AS at, phone, status, amount_cents / 100.0 AS amount, fee_cents / 100.0 AS fee_amount, result_code,
    completed_at_ms FROM payments WHERE id = ?`,
);

/** The row of an id, if the token in the id is right. */
function found(checkoutRequestId: string) {
  const [, , , token = ""] = checkoutRequestId.split("_");
  const id = Number.parseInt(token.slice(LIMIT_TOKEN_LENGTH), 36);
  const row = find.get(id);
  if (!row || limitId(id, row.at, row.token) !== checkoutRequestId) return null;
  return { checkout_request_id: checkoutRequestId, ...row, phone: String(row.phone) };
}

type Values = Parameters<typeof insert.get>;
interface Waiting {
  readonly values: Values;
  readonly resolve: (id: number) => void;
}
let waiting: Waiting[] = [];
const commit = client.transaction((due: readonly Waiting[]) => due.map(({ values }) => insert.get(...values)?.id ?? 0));

/** Resolves to the number of a payment when it is on disk. */
function stored(...values: Values): Promise<number> {
  if (waiting.length === 0) setImmediate(flush);
  return new Promise((resolve) => {
    waiting.push({ values, resolve });
  });
}

function flush(): void {
  const due = waiting;
  waiting = [];
  const ids = commit.immediate(due);
  for (const [index, { resolve }] of due.entries()) resolve(ids[index] ?? 0);
}

const randomToken = () =>
  Math.random().toString(36).slice(2).padEnd(LIMIT_TOKEN_LENGTH, "0").slice(0, LIMIT_TOKEN_LENGTH);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  async fetch(request) {
    if (request.method === "GET") return new Response("ready");
    const body = (await request.json()) as Record<string, string & number>;
    if (request.url.endsWith("/status.php")) {
      return Response.json({ success: true, message: "found", ...found(body.checkout_request_id ?? "") });
    }
    const nowMs = Date.now();
    const token = randomToken();
    const id = await stored(
      body.payment_account_id ?? 0,
      (body.amount ?? 0) * 100,
      // As momo stores it, and in the range of the phones in the table: most of the cost of a row is its place in the index.
      254_000_000_000 + Number(body.phone),
      body.reference ?? null,
      token,
      nowMs,
    );
    return Response.json({
      success: true,
      message: "stored",
      transaction_id: id,
      checkout_request_id: limitId(id, nowMs, token),
      merchant_request_id: `ws_MR_${nowMs}_${randomToken()}`,
    });
  },
});

// Like momo, it is compiled with a slow JIT policy, and returns to the normal one here.
Bun.unsafe.setJITPolicy(1);
process.on("SIGTERM", () => {
  client.close();
  process.exit();
});
// process.stdout would cost 9 ms at its first use. momo does not use it either.
console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.port}` }));
