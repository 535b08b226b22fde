import express from "express";

/**
 * The service as the field runs it: `/api/v2`, numbers as text are accepted, short answers, `limit` is cut, unknown filters are
 * ignored, timestamps are UTC, and a path that does not exist is a page in HTML. A payment completes with its third poll.
 */

const KEY = "field-key";
const SECRET = "field-secret";

const payments = [];
const add = (phone, amount, status, code) =>
  payments.unshift({
    id: payments.length + 1,
    type: "API",
    status,
    amount,
    fee_amount: 0,
    fee_deducted: status === "completed",
    phone,
    transaction_code: code,
    created_at: timestamp(),
    completed_at: status === "completed" ? timestamp() : null,
    checkout_request_id: `ws_CO_${Date.now()}_F${payments.length + 1}`,
    merchant_request_id: `ws_MR_${Date.now()}_F${payments.length + 1}`,
    polls: 0,
  });
const timestamp = () => new Date().toISOString().slice(0, 19).replace("T", " ");
for (let index = 0; index < 14; index += 1) add("0712345678", 50 + index, "completed", `SVC${index}`);
for (let index = 0; index < 3; index += 1) add("0722000000", 20, "failed", null);

const app = express();
const api = express.Router();
app.use("/api/v2", api);
api.use(express.json());
const fail = (response, status, message) => response.status(status).json({ success: false, message });

api.use((request, response, next) => {
  const known = request.get("X-API-Key") === KEY && request.get("X-API-Secret") === SECRET;
  return known ? next() : fail(response, 401, "Invalid API credentials");
});

api.post("/stkpush.php", ({ body }, response) => {
  if (Number(body?.payment_account_id) !== 7) return fail(response, 400, "Invalid payment account ID");
  if (!(Number(body.amount) >= 1)) return fail(response, 400, "Amount must be at least 1");
  add(`0${String(body.phone).slice(-9)}`, Number(body.amount), "pending", null);
  const { checkout_request_id, merchant_request_id } = payments[0];
  response.json({ success: true, message: "STK push sent", checkout_request_id, merchant_request_id });
});

api.post("/status.php", ({ body }, response) => {
  const payment = payments.find((one) => one.checkout_request_id === body?.checkout_request_id);
  if (!payment) return fail(response, 404, "Transaction not found");
  payment.polls += 1;
  if (payment.status === "pending" && payment.polls >= 3) {
    Object.assign(payment, { status: "completed", transaction_code: "SVCNEW", completed_at: timestamp() });
  }
  const { status, amount, phone, transaction_code, created_at } = payment;
  response.json({ success: true, message: "OK", status, amount, phone, transaction_code, created_at });
});

api.get("/transactions.php", ({ query }, response) => {
  const limit = Math.min(Number(query.limit) || 10, 100);
  const page = Math.max(Number(query.page) || 1, 1);
  const statuses = ["pending", "completed", "failed", "cancelled", "expired"];
  const found = payments.filter(
    (one) =>
      (!statuses.includes(query.status) || one.status === query.status) &&
      (!query.search || one.phone.startsWith(query.search)) &&
      (!query.id || one.id === Number(query.id)),
  );
  const rows = found.slice((page - 1) * limit, page * limit);
  response.json({
    success: true,
    message: "OK",
    data: rows.map(({ polls, checkout_request_id, merchant_request_id, ...row }) => row),
    pagination: {
      current_page: page,
      per_page: limit,
      total_items: found.length,
      total_pages: Math.ceil(found.length / limit),
    },
    filters_applied: query.status ? { status: query.status } : {},
  });
});

const server = app.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}/api/v2`),
);
