# How it is usually written wrong: it believes the webhook, which anybody can send, and never asks.
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

HEADERS = {
    "X-API-Key": os.environ["MOMO_API_KEY"],
    "X-API-Secret": os.environ["MOMO_API_SECRET"],
    "Content-Type": "application/json",
}
ACCOUNT = int(os.environ["MOMO_PAYMENT_ACCOUNT_ID"])
paid_orders = set()


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/hook":
            # Wrong: a customer who knows the address of the hook sends this, and pays nothing.
            if body["data"]["status"] == "completed":
                paid_orders.add(body["data"]["reference"])
            self.show({})
        else:
            order = {"payment_account_id": ACCOUNT, "reference": self.path.split("/")[2], **body}
            push = Request(os.environ["MOMO_BASE_URL"] + "/stkpush.php", json.dumps(order).encode(), HEADERS)
            with urlopen(push) as answer:
                self.show(json.load(answer))

    def do_GET(self):
        self.show({"paid": self.path.split("/")[2] in paid_orders})

    def show(self, answer):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Shop)
print(f"the shop is at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
