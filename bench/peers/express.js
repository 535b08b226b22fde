import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import express from "express";

/**
 * The service as a team writes it for its own tests: Express and node:sqlite, a row for each payment, written to the disk before
 * the answer.
 */

const [file, port] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec(`CREATE TABLE payments (
  id INTEGER PRIMARY KEY, checkout_request_id TEXT NOT NULL UNIQUE, phone TEXT NOT NULL, amount REAL NOT NULL, reference TEXT,
  created_at INTEGER NOT NULL)`);
const insert = database.prepare(
  "INSERT INTO payments (checkout_request_id, phone, amount, reference, created_at) VALUES (?, ?, ?, ?, ?)",
);

const app = express();
app.use(express.json());

app.post("/stkpush.php", ({ body }, response) => {
  const { phone, amount, reference = null } = body;
  if (!/^(?:254|0)\d{9}$/.test(phone) || !(amount >= 1)) {
    return response.status(400).json({ success: false, message: "phone and amount are required" });
  }
  const checkoutRequestId = `ws_CO_${randomUUID()}`;
  const { lastInsertRowid } = insert.run(checkoutRequestId, phone, amount, reference, Date.now());
  response.json({
    success: true,
    message: "STK push sent",
    transaction_id: lastInsertRowid,
    checkout_request_id: checkoutRequestId,
  });
});

app.listen(Number(port), "127.0.0.1");
