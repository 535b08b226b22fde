/** A bot that stops polling too early. Its customer pays after half a minute. */
import { setTimeout as sleep } from "node:timers/promises";

async function ask(path, body) {
  const response = await fetch(`https://payflow.example/api/v2/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
    body: JSON.stringify(body),
  });
  return response.json();
}

const order = { payment_account_id: 1, phone: "254700000030", amount: 1200, reference: "AIRTIME-77" };
const { checkout_request_id } = await ask("stkpush.php", order);
const deadline = Date.now() + 20_000;
let status = "pending";
while (status === "pending" && Date.now() < deadline) {
  await sleep(5000);
  ({ status } = await ask("status.php", { checkout_request_id }));
}
console.log(status === "completed" ? "airtime sent" : "you did not pay");
