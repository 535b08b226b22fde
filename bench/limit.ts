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
    const row = await committed(() =>
      insert.get(
        body.payment_account_id ?? 0,
        (body.amount ?? 0) * 100,
        // As momo stores it, and in the range of the phones in the table: most of the cost of a row is its place in the index.
        254_000_000_000 + Number(body.phone),
        body.reference ?? null,
        token,
        nowMs,
      ),
    );
    const id = row?.id ?? 0;
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
