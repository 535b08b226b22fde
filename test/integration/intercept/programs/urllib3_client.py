import json
import os

import urllib3

proxy = os.environ["HTTPS_PROXY"]
auth = urllib3.make_headers(proxy_basic_auth=urllib3.util.parse_url(proxy).auth)
http = urllib3.ProxyManager(proxy, proxy_headers=auth, ca_certs=os.environ["SSL_CERT_FILE"])
answer = http.request(
    "POST",
    "https://payflow.example/api/v2/stkpush.php",
    body=json.dumps({"payment_account_id": 1, "phone": "0712345678", "amount": 100}),
    headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret", "Content-Type": "application/json"},
)
print(answer.data.decode())
