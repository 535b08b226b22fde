import got from "got";

const answer = await got
  .post("https://payflow.example/api/v2/stkpush.php", {
    json: { payment_account_id: 1, phone: "0712345678", amount: 100 },
    headers: { "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
  })
  .json();
console.log(JSON.stringify(answer));
