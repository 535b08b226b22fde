import { request } from "node:https";

const call = request(
  {
    host: "payflow.example",
    path: "/api/v2/stkpush.php",
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
  },
  async (response) => {
    let text = "";
    for await (const chunk of response) text += chunk;
    console.log(text);
  },
);
call.end(JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 }));
