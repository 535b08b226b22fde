/** A shop whose payment account comes from the environment, where everything is text. */
import { setTimeout as sleep } from "node:timers/promises";

const account = process.env.PAYMENT_ACCOUNT_ID ?? "1";
const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };

async function call(path, body) {
  const response = await fetch(`https://payflow.example/api/v2/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return response.json();
}

const push = await call("stkpush.php", { payment_account_id: account, phone: "0712345678", amount: 250 });
if (!push.success) {
  console.log("500 could not start the payment");
  process.exit(1);
}
let payment;
do {
  await sleep(4000);
  payment = await call("status.php", { checkout_request_id: push.checkout_request_id });
} while (payment.status === "pending");
console.log("order is", payment.status);
