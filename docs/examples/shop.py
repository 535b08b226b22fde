# A shop in plain Python. momo client python > client.py; eval "$(momo env)"; python3 shop.py
# Every minute a cron, with the same variables: python3 shop.py cron
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from client import Client, FileStore

# Yours: a table of your database, and its column paid: the file ID.delivered. The price never comes from the browser.
PRICES = {"order1001": 100, "order1002": 250}

UNPAID = {
    "failed": "The payment failed. Nothing was paid.",
    "cancelled": "You cancelled. Nothing was paid.",
    "expired": "Nobody entered a PIN in time. Nothing was paid.",
    "not_started": "The payment could not be started. Nothing was paid.",
}
TEXTS = {
    **UNPAID,
    "pending": "Look at your phone, and enter your PIN.",
    "unknown": "We do not know yet whether you have paid. Please do not pay again: this page will say it.",
    "completed": "Thank you. You have paid.",
}


def folder():
    return Path(os.environ.get("MOMO_ORDERS") or Path(__file__).resolve().parent / "orders")


def now():
    """A test has a time of its own."""
    return time.time()


def connect():
    return Client(
        os.environ["MOMO_BASE_URL"],
        os.environ["MOMO_API_KEY"],
        os.environ["MOMO_API_SECRET"],
        os.environ["MOMO_PAYMENT_ACCOUNT_ID"],
        FileStore(folder()),
        now=now,
    )


def tries_of(order_id):
    """The tries of an order, as they are stored. Each has a reference of its own."""
    momo = connect()
    tries = []
    while True:
        stored = momo.stored(f"{order_id}-{len(tries) + 1}")
        if stored is None:
            return tries
        tries.append(stored)


def find_order(checkout_request_id):
    """The order of a payment, or None. If the file of one order cannot be read, the others are found."""
    unreadable = None
    for order_id in PRICES:
        try:
            if any(one["checkout_request_id"] == checkout_request_id for one in tries_of(order_id)):
                return order_id
        except Exception as error:
            unreadable = error
    if unreadable:
        raise unreadable  # the payment can be of that order: the webhook comes again
    return None


def is_paid(order_id):
    return (folder() / f"{order_id}.delivered").exists()


def book(order):
    """Books a paid order, once. In a database, one transaction: UPDATE orders SET paid = true WHERE id = ? AND
    paid = false, and if that changed a row, INSERT what is to deliver. Here, the file is both."""
    order_id = re.sub("-[0-9]+$", "", order["reference"])
    if order["status"] != "completed" or is_paid(order_id):
        return order
    try:
        with open(folder() / f"{order_id}.delivered", "x", encoding="utf-8") as file:
            file.write(order["receipt"] or "")
    except FileExistsError:
        return order  # another process was faster
    print(f"deliver {order_id}, receipt {order['receipt']}", flush=True)
    return order


def look(order_id):
    """Asks for all tries of an order, as a push that came late can open an earlier one again, and books what was paid.
    Returns the try that may be paid, or else the last; None if there is none."""
    if is_paid(order_id):
        return {"status": "completed"}
    momo = connect()
    orders = [book(momo.ask(one["reference"])) for one in tries_of(order_id)]
    if is_paid(order_id):
        return {"status": "completed"}
    may_be_paid = [order for order in orders if order["status"] not in UNPAID]
    return (may_be_paid or orders[-1:] or [None])[0]


def pay(order_id, phone):
    """Starts the first try, or a new one if all have ended unpaid."""
    order = look(order_id)
    if order and order["status"] not in UNPAID:
        return order
    number = int(order["reference"].rsplit("-", 1)[1]) + 1 if order else 1
    return book(connect().start(f"{order_id}-{number}", phone, PRICES[order_id]))


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(look)

    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        except ValueError:
            self.show(400, {"text": "The request is not JSON."})
            return
        body = body if isinstance(body, dict) else {}
        if self.path == "/hook":
            self.take_webhook(body)
        else:
            self.answer(lambda order_id: pay(order_id, body.get("phone")))

    def answer(self, action):
        """Shows an order. While it is not final, the page asks again after 5 s."""
        order_id = self.path.split("/")[2] if self.path.startswith("/orders/") else ""
        if order_id not in PRICES:
            self.show(404, {"text": "There is no such order."})
            return
        try:
            order = action(order_id)
        except Exception as error:
            self.show_error(error)
            return
        if order is None:
            self.show(404, {"text": "The payment of this order has not been started."})
            return
        asks_again = order.get("may_have_paid", False)
        self.show(200, {"status": order["status"], "text": TEXTS[order["status"]], "asks_again": asks_again})

    def take_webhook(self, body):
        """It only says where to look: anybody can send one."""
        data = body.get("data")
        checkout_request_id = body.get("checkout_request_id") or (isinstance(data, dict) and data.get("checkout_request_id"))
        try:
            order_id = find_order(checkout_request_id) if checkout_request_id else None
            if order_id:
                look(order_id)
        except Exception as error:
            self.show_error(error)
            return
        self.show(200 if order_id else 404, {})

    def show_error(self, error):
        print(error, file=sys.stderr, flush=True)
        may_have_paid = getattr(error, "may_have_paid", True)
        if not may_have_paid and error.kind == "usage":
            self.show(400, {"text": "Please enter a phone number."})
        else:
            self.show(503, {"text": TEXTS["unknown" if may_have_paid else "not_started"], "asks_again": may_have_paid})

    def show(self, status, answer):
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def run_cron():
    """The customer may have closed the page, and a process may have ended before it has booked."""
    for order_id in PRICES:
        try:
            look(order_id)
        except Exception as error:
            print(f"{order_id}: {error}", file=sys.stderr)  # the others go on


def serve():
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT") or 3000)), Shop)
    print(f"the shop is at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    run_cron() if sys.argv[1:] == ["cron"] else serve()
