import { Database } from "bun:sqlite";

/**
 * The plain limit: the service as one would write it first, without tuning. `Bun.serve` with routes, one table, one commit for each
 * payment, and SQLite as it is.
 */

if (process.argv[2] === "--version") {
  console.log("plain limit");
  process.exit();
}

const database = new Database(process.argv[2] ?? ":memory:", { create: true });
database.run(
  "CREATE TABLE IF NOT EXISTS payments (id INTEGER PRIMARY KEY, request_id TEXT UNIQUE, phone TEXT, amount REAL, reference TEXT, status TEXT)",
);
const insert = database.query(
  "INSERT INTO payments (request_id, phone, amount, reference, status) VALUES (?, ?, ?, ?, 'pending') RETURNING id",
);
const find = database.query("SELECT request_id AS checkout_request_id, * FROM payments WHERE request_id = ?");

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/": new Response("ready"),
    "/stkpush.php": async (request) => {
      const { phone, amount, reference } = (await request.json()) as {
        phone: string;
        amount: number;
        reference: string;
      };
      const requestId = `ws_CO_${crypto.randomUUID()}`;
      const { id } = insert.get(requestId, phone, amount, reference) as { id: number };
      return Response.json({ success: true, transaction_id: id, checkout_request_id: requestId });
    },
    "/status.php": async (request) => {
      const { checkout_request_id } = (await request.json()) as { checkout_request_id: string };
      return Response.json({ success: true, ...(find.get(checkout_request_id) as object) });
    },
  },
});
process.on("SIGTERM", () => process.exit());
console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.port}` }));
