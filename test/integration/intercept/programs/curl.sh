exec curl -sS https://payflow.example/api/v2/stkpush.php \
  -H "X-API-Key: live_key" -H "X-API-Secret: live_secret" -H "Content-Type: application/json" \
  -d '{"payment_account_id": 1, "phone": "0712345678", "amount": 100}'
