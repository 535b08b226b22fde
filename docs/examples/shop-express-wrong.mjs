// How it is usually written wrong: after an error it pushes again, and the customer pays twice.
import express from "express";

const { MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID, PORT = "3000" } = process.env;
const headers = { "X-API-Key": MOMO_API_KEY, "X-API-Secret": MOMO_API_SECRET, "Content-Type": "application/json" };

async function post(path, body) {
  const response = await fetch(MOMO_BASE_URL + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

const app = express().use(express.json());

app.post("/orders/:id/pay", async ({ params: { id }, body: { phone, amount } }, response) => {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      const payment_account_id = Number(MOMO_PAYMENT_ACCOUNT_ID);
      return response.json(await post("/stkpush.php", { payment_account_id, phone, amount, reference: id }));
    } catch {
      // Wrong: the answer was lost, but the customer may be looking at the first prompt.
    }
  }
  response.status(502).json({ text: "Please try again." });
});
app.get("/payments/:id", async ({ params: { id } }, response) => {
  response.json(await post("/status.php", { checkout_request_id: id }));
});

const server = app.listen(Number(PORT), () => console.log(`the shop is at http://127.0.0.1:${server.address().port}`));
