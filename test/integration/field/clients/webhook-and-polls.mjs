/** A shop that listens for a webhook and also polls; the first result counts. */

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };
const post = async (path, body) =>
  (
    await fetch(`https://payflow.example/api/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  ).json();

const final = new Set(["completed", "failed", "cancelled", "expired"]);
let status = "pending";
const receiver = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  status = JSON.parse(text).data.status;
  response.end();
}).listen(0, "127.0.0.1");

const { checkout_request_id } = await post("/stkpush.php", {
  payment_account_id: 1,
  phone: "0712345678",
  amount: 640,
  reference: "SHOE-8",
});
while (!final.has(status)) {
  await sleep(4000);
  if (!final.has(status)) ({ status } = await post("/status.php", { checkout_request_id }));
}
console.log(`SHOE-8 is ${status}`);
receiver.close();
