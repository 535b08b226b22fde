const response = await fetch("https://payflow.example/api/v2/stkpush.php", {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
  body: JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 }),
});
console.log(JSON.stringify(await response.json()));
