/** A shop that searches the list for its payment, by a parameter that the list does not have. */
import { setTimeout as sleep } from "node:timers/promises";

const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };
const BASE = "https://payflow.example/api/v2";

async function push(reference, phone) {
  const body = JSON.stringify({ payment_account_id: 1, phone, amount: 300, reference });
  return (await fetch(`${BASE}/stkpush.php`, { method: "POST", headers, body })).json();
}

const mine = await push("TABLE-1", "254700000032");
await push("TABLE-2", "254700000000");
await sleep(4000);
const list = await (
  await fetch(`${BASE}/transactions.php?checkout_request_id=${mine.checkout_request_id}`, { headers })
).json();
const [row] = list.transactions;
console.log(`TABLE-1 is ${row.status}; the row is that of ${row.phone ?? row.phone_number}`);
