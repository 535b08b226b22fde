/** A bot that sends phones as people type them, and has no reference. */
import { setTimeout as sleep } from "node:timers/promises";

const phones = [712345678, "+254712345679", "712345680", "0712 345 681", "0712-345-682"];

const call = (path, body) =>
  fetch(`https://payflow.example/api/v2${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
    body: JSON.stringify(body),
  }).then((response) => response.json());

for (const phone of phones) {
  const { success, checkout_request_id: id } = await call("/stkpush.php", {
    payment_account_id: 1,
    phone,
    amount: 50,
    reference: null,
  });
  console.log(phone, success ? "prompted" : "refused");
  if (!success) continue;
  let status = "pending";
  while (status === "pending") {
    await sleep(3500);
    ({ status } = await call("/status.php", { checkout_request_id: id }));
  }
}
