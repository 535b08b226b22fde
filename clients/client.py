"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program.
    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("/srv/orders"))
    order = momo.pay("ORDER-0001", "0712345678", 100)
A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
  pending                      the customer is asked, and may have paid (may_have_paid): show "Look at your phone."
  unknown                      the answer to the push was lost: the customer may be asked, and have paid, or not
  completed                    final: paid; receipt is the network's
  failed, cancelled, expired   final: not paid; result_code and result_desc say why
  not_started                  not paid: the push was refused or never came; one that comes late opens it again
A script calls pay, which asks every 5 s, 24 times. Call it again later, also after a crash: it goes on.
A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask(reference).
Anybody can send a webhook: ask for the order that has its checkout_request_id. Without one, answer 404.
A cron asks each minute for every order that is not paid in your database. One that has ended needs no request.
Each books a completed order in a transaction: UPDATE … SET paid = true WHERE id = ? AND paid = false, and if that
changed a row, INSERT what is to deliver. A crash before that loses nothing, because the cron asks again.
A test uses a new folder. To move the sandbox's clock, sleep(seconds) moves it, and now() returns by how much so far."""
import json
import os
import re
import secrets
import sys
import tempfile
import time
from pathlib import Path
from urllib import error, parse, request

# The final statuses and the kinds of errors, with exit codes. unreachable: nothing was sent. unknown: no answer.
FINAL = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}
ERRORS = {"store": 1, "usage": 2, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6}

class MomoError(Exception):
    def __init__(self, kind, message, may_have_paid=False):
        super().__init__(message)
        self.kind = kind
        self.may_have_paid = may_have_paid

class FileStore:
    """Keeps values as files, for programs in all languages. A store of yours, such as a table, needs these methods."""
    def __init__(self, folder):
        self.folder = Path(folder)
        if not self.folder.is_absolute():
            raise MomoError("usage", f"the folder of the orders must be an absolute path; it is {str(folder)!r}")
    def get(self, name):
        try:
            return json.loads(self._path(name).read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
    def add(self, name, value, replaces=False):
        """Of several processes, the first adds its own, unless one replaces it. A crash leaves no half file."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, draft = tempfile.mkstemp(prefix="draft-", dir=self.folder)  # for this user alone
        try:
            with open(number, "w", encoding="utf-8") as file:
                json.dump(value, file)
                file.flush()
                os.fsync(number)
            (os.replace if replaces else os.link)(draft, self._path(name))
        except FileExistsError:
            pass
        finally:
            Path(draft).unlink(missing_ok=True)
        if os.name != "nt":  # Windows syncs no folders
            opened = os.open(self.folder, os.O_RDONLY)
            os.fsync(opened)
            os.close(opened)
    def remove(self, name):
        self._path(name).unlink(missing_ok=True)
    def names(self):
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stems = [path.stem for path in self.folder.iterdir() if re.fullmatch("([2-7][0-9a-f])+[.]json", path.name)]
        return [bytes.fromhex(stem).decode() for stem in sorted(stems)]
    def _path(self, name):
        return self.folder / (name.encode().hex() + ".json")

class Client:
    """Times are in seconds. An order is not_started if the service has not found it for `not_started_after` seconds."""
    def __init__(self, base_url, api_key, api_secret, payment_account_id, store, *, timeout=10, interval=5,
                 deadline=120, not_started_after=600, now=time.time, sleep=time.sleep):
        self.address = base_url.strip().rstrip("/")
        self.service = f"{self.address}, account {payment_account_id}"
        self.headers = {"X-API-Key": api_key.strip(), "X-API-Secret": api_secret.strip()}
        self.headers["Content-Type"] = "application/json"
        self.payment_account_id = payment_account_id
        self.store = store
        self.timeout = timeout
        self.interval = interval
        self.deadline = deadline
        self.not_started_after = not_started_after
        self.now = now
        self.sleep = sleep

    def pay(self, reference, phone, amount):
        return self._wait_for_end(self.start(reference, phone, amount))
    def wait(self, reference):
        return self._wait_for_end(self.ask(reference))
    def start(self, reference, phone, amount):
        """Starts an order. If it is stored already, it is returned, and nothing is pushed."""
        key = _key_of(reference)
        order = {
            "service": self.service,
            "reference": str(reference),
            "service_reference": _create_service_reference(reference),
            **_parse_payment(phone, amount),
            "status": "unknown",
            "checkout_request_id": None,
            "asked_ms": round(1000 * self.now()),  # when the service has last not found it; at first, now
            "not_found_ms": 0,  # for how long the service has not found it
        }
        if self._get(key) is None:
            _use_store(key, False, lambda: self.store.add(key, order))
        stored = self._read(key)  # of another process, or ended by one while this one stood still
        if stored["status"] in FINAL or stored["service_reference"] != order["service_reference"]:
            if stored["phone"] == order["phone"] and stored["amount"] == order["amount"]:
                return stored
            may_have_paid = stored["status"] in ("pending", "unknown", "completed")
            raise MomoError("usage", f"{key} is already an order of another phone or amount", may_have_paid)
        push = {"payment_account_id": self.payment_account_id, "reference": order["service_reference"]}
        push.update(phone=order["phone"], amount=order["amount"])
        try:
            news = {**self._call("/stkpush.php", push), "status": "pending"}
        except MomoError as failure:
            if failure.kind not in ("unknown", "not_started"):
                _use_store(key, False, lambda: self.store.remove(key))  # it was not pushed
                raise
            news = {"status": failure.kind, "result_desc": str(failure)}
        if news["status"] == "unknown":  # what was counted before the push is not about it
            _use_store(key, True, lambda: self.store.remove(order["service_reference"] + "~asked"))
        return self._record(key, order, news)

    def ask(self, reference):
        """Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this raises."""
        key = _key_of(reference)
        order = self._read(key)
        if order["status"] in FINAL:
            return order
        id = order["checkout_request_id"]
        try:
            news = self._call("/status.php", {"checkout_request_id": id}) if id else self._search(order)
        except MomoError as failure:
            if failure.kind not in ("unknown", "unreachable"):
                raise
            news = {}
        if news is None:
            self._count_not_found(self._read(key))  # as it is now: another process may have counted
        return self._record(key, order, news or {})
    def open(self):
        """The orders that are not final. One that cannot be read is unreadable, and has an error."""
        orders = []
        stored = dict.fromkeys(_use_store("the folder", True, self.store.names))
        for key in stored:
            if "~" in key or f"{key}~ended" in stored:
                continue
            try:
                orders.append(self._read(key))
            except MomoError as failure:
                orders.append({"reference": key, "status": "unreadable", "error": str(failure)})
        return [order for order in orders if order["status"] not in FINAL]
    def find(self, reference, phone, amount):
        """The payment of an order as the list shows it, or None. The order need not be stored."""
        order = {"reference": _key_of(reference), "service_reference": f"{reference}~"}
        return self._search({**order, **_parse_payment(phone, amount)})

    def list(self, **filters):
        """All payments, newest first. None is there twice or left out, also if payments arrive meanwhile."""
        rows = {}
        for page in range(1, 10_001):
            query = parse.urlencode({**filters, "page": page, "limit": 100}, quote_via=parse.quote)
            answer = self._call(f"/transactions.php?{query}")
            page_rows = answer.get("transactions", answer.get("data"))
            if not isinstance(page_rows, list) or not all(isinstance(row, dict) and "id" in row for row in page_rows):
                break
            is_new = any(row["id"] not in rows for row in page_rows)
            rows.update((row["id"], row) for row in page_rows)
            total_pages = (answer.get("pagination") or {}).get("total_pages") or 10_000
            if page >= total_pages or (not is_new and len(page_rows) < 100):
                return [*rows.values()]
            if not is_new:
                break
        raise MomoError("unknown", "/transactions.php: no list, or a list without its end", True)
    def _wait_for_end(self, order):
        pause = max(0.1, min(self.interval, self.deadline))
        waited = 0
        while order["status"] not in FINAL and waited < self.deadline:
            self.sleep(pause)
            waited += pause
            order = self.ask(order["reference"])
        return order

    def _search(self, order):
        """The payment of an order without an id, or None. Rows have no reference."""
        rows = self._rows_of(order, order["service_reference"])
        # A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        if rows and not self.list(search=_create_service_reference(order["reference"])):
            # A proxy can repeat a push. What is paid counts; while one of them is pending, none is final.
            paid = [row for row in rows if row.get("status") == "completed"]
            is_open = len(rows) > 1 and any(row.get("status") == "pending" for row in rows)
            return {} if is_open and not paid else (paid + rows)[0]
        # §4.3 promises the search for a phone alone; a service may show phones as 07…
        rows += self._rows_of(order, order["phone"]) + self._rows_of(order, "0" + order["phone"][3:])
        if not rows:
            return None
        own = _key_of(order["reference"]) + "~"
        names = [name for name in _use_store("the folder", True, self.store.names) if not name.startswith(own)]
        ids = [self._get(name)["checkout_request_id"] for name in names if name.endswith(("~pending", "~ended"))]
        if all((row.get("checkout_request_id") or "none") in ids for row in rows):
            return None
        same = f"another payment of {order['phone']} for {order['amount']}"
        raise MomoError("unknown", f"{same} can be that of {order['reference']}", True)
    def _rows_of(self, order, text):
        rows = [row for row in self.list(search=text) if str(row.get("phone"))[-9:] == order["phone"][3:]]
        return [row for row in rows if _is_amount(row.get("amount"), order["amount"])]

    def _call(self, path, body=None):
        """The answer of the service, if it is a success."""
        status = None
        try:
            sent = request.Request(self.address + path, body and json.dumps(body).encode(), self.headers)
            parse.urlsplit(self.address).port  # a ValueError, if it is no address
            with request.build_opener(_NoRedirects).open(sent, timeout=self.timeout) as response:
                status = response.status
                answer = json.loads(response.read(10_000_000))
            is_success = answer["success"]
            message = str(answer.get("message") or f"{path}: HTTP {status}")
        except Exception as failure:
            is_sent = status is not None or not isinstance(failure, (error.URLError, ValueError))  # they come before
            kind = "unknown" if is_sent else "unreachable"
            raise MomoError(kind, f"{path}: no answer of the service ({status or failure})", is_sent) from failure
        if status == 200 and is_success is True:
            return answer
        kind = "unknown"  # without a refusal, it may have been pushed
        if is_success is False and status == 500 and message.startswith("STK push initiation failed"):  # §4.1
            kind = "not_started"
        if is_success is False and 400 <= status < 500 and status not in (408, 429):
            kind = "credentials" if status == 401 else "refused"
        raise MomoError(kind, message, kind == "unknown" or path != "/stkpush.php")
    def _count_not_found(self, order):
        """Adds the time since the last look, at most the interval: a push can come late, and now() can jump."""
        now_ms = round(1000 * self.now())
        elapsed_ms = max(0, min(now_ms - order["asked_ms"], round(1000 * self.interval)))
        asked = {"asked_ms": now_ms, "not_found_ms": order["not_found_ms"] + elapsed_ms}
        name = order["service_reference"] + "~asked"
        _use_store(name, True, lambda: self.store.add(name, asked, True))

    def _read(self, key):
        """An order as it was stored last: each of its states is a file, which is never changed."""
        order = self._get(f"{key}~ended") or self._get(f"{key}~pending") or self._get(key)
        if order is None:
            raise MomoError("refused", f"{key} has not been started")
        is_order = isinstance(order, dict) and "service_reference" in order
        owner = order["service"] if is_order else "another program or version"
        if owner != self.service:
            raise MomoError("usage", f"{key} is an order of {owner}, not of {self.service}: use another folder", True)
        order.update(self._get(order["service_reference"] + "~asked") or {})
        if order["status"] == "unknown" and order["not_found_ms"] >= 1000 * self.not_started_after:
            order["status"] = "not_started"
        return order if order["status"] in FINAL else {**order, "may_have_paid": True}
    def _record(self, key, order, news):
        """Stores news of an order beside what is stored: no process takes back what another has stored."""
        status = news.get("status")
        if status != order["status"] and (status == "pending" or status in FINAL):
            order = {**order, "status": status}
            order.pop("may_have_paid", None)  # _read adds it
            order["checkout_request_id"] = order["checkout_request_id"] or news.get("checkout_request_id")
            order["receipt"] = news.get("momo_receipt_number")
            order["result_code"] = news.get("result_code")
            order["result_desc"] = news.get("result_desc")
            state = "~ended" if status in FINAL else "~pending"
            _use_store(key, True, lambda: self.store.add(key + state, order))
        return self._read(key)  # another process may have been faster, or know more
    def _get(self, name):
        return _use_store(name, True, lambda: self.store.get(name))

class _NoRedirects(request.HTTPErrorProcessor):
    http_response = https_response = lambda self, sent, response: response
def _create_service_reference(reference):
    return f"{reference}~{secrets.token_hex(4)}"  # of 100 characters at most, and like that of no earlier order
def _is_amount(value, amount):  # it can be text
    return re.fullmatch("[0-9]+([.][0-9]+)?", str(value)) is not None and float(value) == amount
def _use_store(name, may_have_paid, action):
    try:
        return action()
    except Exception as failure:
        doubt = "; the customer may have paid" if may_have_paid else ""
        raise MomoError("store", f"{name} cannot be read or stored: {failure}{doubt}", may_have_paid) from failure
def _key_of(reference):
    if reference is None or not re.fullmatch(r"(?! )[ -}]{1,91}(?<! )", str(reference)):
        raise MomoError("usage", f"reference must be 1-91 ASCII characters, no ~, no outer spaces; it is {reference!r}")
    return str(reference).lower()  # the service ignores the case
def _parse_payment(phone, amount):
    match = re.fullmatch(r"(?:[+]?254|0|(?=[17][0-9]{8}$))([0-9]{9})", re.sub(r"[\s().-]", "", str(phone)))
    if not match:
        raise MomoError("usage", f"the phone must be such as 0712345678; it is {phone!r}")
    if not re.fullmatch(r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", str(amount)):
        raise MomoError("usage", f"the amount must be from 1, with two decimals at most; it is {amount!r}")
    number = float(amount)
    return {"phone": "254" + match[1], "amount": int(number) if number.is_integer() else number}

COMMANDS = {"pay": 3, "start": 3, "find": 3, "wait": 1, "ask": 1, "open": 0}  # and the number of their arguments
VARIABLES = ("MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID")
USAGE = "client.py pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with " + ", ".join(VARIABLES)
if __name__ == "__main__":
    try:
        command, *arguments = sys.argv[1:] or [""]
        base_url, api_key, api_secret, account = (os.environ.get(name, "") for name in VARIABLES)
        is_complete = base_url and api_key and api_secret and re.fullmatch("[1-9][0-9]{0,14}", account)
        if not is_complete or COMMANDS.get(command) != len(arguments):
            raise MomoError("usage", USAGE)
        store = FileStore(os.environ.get("MOMO_ORDERS") or Path(__file__).resolve().with_name("momo-orders"))
        result = getattr(Client(base_url, api_key, api_secret, int(account), store), command)(*arguments)
        if command == "open":
            code = ERRORS["store"] if any("error" in order for order in result) else 0
        else:
            code = FINAL.get(result["status"], 13) if result else 3  # 3: find has found nothing
    except Exception as failure:
        kind = getattr(failure, "kind", "unexpected")
        code = ERRORS.get(kind, 1)
        doubt = getattr(failure, "may_have_paid", True)
        result = {"error": {"code": kind, "message": str(failure), "may_have_paid": doubt}}
    print(json.dumps(result, ensure_ascii=False))
    sys.exit(code)
