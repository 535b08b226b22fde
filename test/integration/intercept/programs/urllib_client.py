import json
import urllib.request

call = urllib.request.Request(
    "https://payflow.example/api/v2/stkpush.php",
    data=json.dumps({"payment_account_id": 1, "phone": "0712345678", "amount": 100}).encode(),
    headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(call).read().decode())
