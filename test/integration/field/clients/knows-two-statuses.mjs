/** A checkout that knows how a payment succeeds and how it fails. This customer does neither: she cancels. */
import { setTimeout as sleep } from "node:timers/promises";

const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };
const post = async (path, body) =>
  (
    await fetch(`https://payflow.example/api/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  ).json();

const { checkout_request_id } = await post("/stkpush.php", {
  payment_account_id: 1,
  phone: "254700000032",
  amount: 900,
  reference: "CART-9",
});
for (let attempt = 1; attempt <= 4; attempt += 1) {
  await sleep(4000);
  const { status } = await post("/status.php", { checkout_request_id });
  if (status === "completed") {
    console.log("paid");
    process.exit();
  }
  if (status === "failed") {
    console.log("not paid");
    process.exit();
  }
}
console.log("time-out, please try again");
