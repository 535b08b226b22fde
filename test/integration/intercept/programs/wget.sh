exec wget -q -O - https://payflow.example/api/v2/stkpush.php \
  --header="X-API-Key: live_key" --header="X-API-Secret: live_secret" --header="Content-Type: application/json" \
  --post-data='{"payment_account_id": 1, "phone": "0712345678", "amount": 100}'
