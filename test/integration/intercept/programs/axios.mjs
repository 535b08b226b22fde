/** The name of the package is an argument: an alias has an older version. */
const { default: axios } = await import(process.argv[2] ?? "axios");

const { data } = await axios.post(
  "https://payflow.example/api/v2/stkpush.php",
  { payment_account_id: 1, phone: "0712345678", amount: 100 },
  { headers: { "X-API-Key": "live_key", "X-API-Secret": "live_secret" } },
);
console.log(JSON.stringify(data));
