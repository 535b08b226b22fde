# test_shop.py: a shop in a test, with its page and its webhook. momo help shop.py > shop.py
import json
import threading
import time
from http.server import ThreadingHTTPServer
from urllib.request import Request, urlopen

import pytest

import shop  # or yours


@pytest.fixture
def address(momo, tmp_path, monkeypatch):
    """Where the shop is. It has no orders."""
    monkeypatch.setenv("MOMO_ORDERS", str(tmp_path))
    monkeypatch.setattr(shop, "now", momo.now)
    for name, value in momo.variables().items():
        monkeypatch.setenv(name, value)
    server = ThreadingHTTPServer(("127.0.0.1", 0), shop.Shop)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def ask(url, body=None):
    content = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, content)) as answer:
        return json.load(answer)


def test_a_customer_pays(momo, address):
    assert ask(address + "/orders/order1001", {"phone": "0712345678"})["status"] == "pending"
    momo.advance(3)
    assert ask(address + "/orders/order1001")["status"] == "completed"
    assert shop.is_paid("order1001")


def test_a_customer_pays_at_the_second_try(momo, address):
    momo.add_rule("wrong_pin", after=10, times=1)
    ask(address + "/orders/order1001", {"phone": "0712345678"})
    momo.advance(10)
    assert ask(address + "/orders/order1001")["status"] == "failed"
    assert ask(address + "/orders/order1001", {"phone": "0712345678"})["status"] == "pending"
    momo.advance(3)
    assert ask(address + "/orders/order1001")["status"] == "completed"


def test_the_answer_is_lost_and_the_customer_clicks_again(momo, address):
    momo.add_fault("disconnect", path="/stkpush.php", times=1)
    momo.add_fault("error", path="/transactions.php", status=503, times=1)
    for _ in range(2):
        assert ask(address + "/orders/order1001", {"phone": "0712345678"})["status"] == "unknown"
    momo.advance(3)
    assert ask(address + "/orders/order1001")["status"] == "completed"
    assert momo.payments() == 1


def test_the_customer_clicks_twice_at_once(momo, address):
    momo.add_fault("delay", path="/stkpush.php", delay=0.3, times=1)  # in real time
    clicks = [threading.Thread(target=ask, args=(address + "/orders/order1001", {"phone": "0712345678"})) for _ in range(2)]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    assert momo.payments() == 1
    momo.advance(3)
    assert ask(address + "/orders/order1001")["status"] == "completed"


def test_the_push_never_arrives(momo, address):
    momo.add_fault("error", path="/stkpush.php", status=504, times=1)
    assert ask(address + "/orders/order1001", {"phone": "0712345678"})["status"] == "unknown"
    for _ in range(121):  # ten minutes after the first
        momo.advance(5)
        status = ask(address + "/orders/order1001")["status"]
    assert status == "not_started"


def test_the_page_is_closed_and_a_webhook_comes(momo, address):
    momo.set_webhook(address + "/hook")
    ask(address + "/orders/order1001", {"phone": "0712345678"})
    momo.advance(3)
    give_up_at = time.monotonic() + 10  # a webhook takes real time
    while not shop.is_paid("order1001"):
        assert time.monotonic() < give_up_at
        time.sleep(0.02)


def test_a_forged_webhook_books_nothing(momo, address):
    momo.add_rule("cancelled", after=3, times=1)
    ask(address + "/orders/order1001", {"phone": "0712345678"})
    checkout_request_id = shop.tries_of("order1001")[0]["checkout_request_id"]
    ask(address + "/hook", {"data": {"status": "completed", "checkout_request_id": checkout_request_id}})
    assert not shop.is_paid("order1001")
    momo.advance(3)
    assert ask(address + "/orders/order1001")["status"] == "cancelled"
