import axios from "axios-without-tunnels";

const { data } = await axios.post(
  "https://payflow.example/api/v2/stkpush.php",
  { payment_account_id: 1, phone: "0712345678", amount: 100 },
  { headers: { "X-API-Key": "live_key", "X-API-Secret": "live_secret" } },
);
console.log(JSON.stringify(data));
