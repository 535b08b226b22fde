/** A wallet whose page polls every few seconds, and whose server credits each time that it reads "completed". */
import { setTimeout as sleep } from "node:timers/promises";

const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };
const post = async (path, body) =>
  (
    await fetch(`https://payflow.example/api/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  ).json();

let balance = 0;
const { checkout_request_id } = await post("/stkpush.php", {
  payment_account_id: 1,
  phone: "254700000000",
  amount: 500,
  reference: "TOPUP-3",
});
for (let refresh = 0; refresh < 3; refresh += 1) {
  await sleep(4000);
  const payment = await post("/status.php", { checkout_request_id });
  if (payment.status === "completed") balance += 500;
}
console.log(`paid 500, credited ${balance}`);
