# test_cancelled.py
import json
from urllib.request import Request, urlopen


def post(momo, url, body):
    headers = {"Content-Type": "application/json", "X-API-Key": momo["api_key"], "X-API-Secret": momo["api_secret"]}
    with urlopen(Request(url, json.dumps(body).encode(), headers)) as response:
        return json.load(response)


def test_a_customer_who_cancels_is_not_charged(momo):
    base, control = momo["base_url"], momo["control_url"]
    post(momo, f"{control}/clock", {"freeze": True})
    post(momo, f"{control}/rules", {"outcome": "cancelled", "times": 1})
    order = {"payment_account_id": momo["payment_account_id"], "phone": "0712345678", "amount": 100}
    started = post(momo, f"{base}/stkpush.php", order)
    post(momo, f"{control}/clock", {"advance": "3s"})
    payment = post(momo, f"{base}/status.php", {"checkout_request_id": started["checkout_request_id"]})
    assert payment["status"] == "cancelled"
