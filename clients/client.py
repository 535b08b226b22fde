"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program.
    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("/srv/orders"))
    order = momo.pay("ORDER-0001", "0712345678", 100)
A reference (its case does not matter) names one order: it is stored, then pushed once. A new try needs a new reference.
  pending, unknown             not final: may_have_paid, and a reason; unknown: the answer to the push was lost
  completed                    paid; receipt is the network's
  failed, cancelled, expired   not paid; result_code and result_desc say why
  not_started                  not paid: the network refused the push, or none arrived; ask finds one that comes late
A web request calls start; every 5 s, its page asks your server, which calls ask. So do a webhook (may be forged) and
a cron, for each unpaid order, also if one fails. Book what is completed: UPDATE … WHERE id = ? AND paid = false; if
a row changed, deliver. An error with may_have_paid false pushed nothing. In tests, sleep and now are the sandbox's.
open() lists what is not final; it fails if an order cannot be read. KEY is stored as it was started, KEY~pending as
accepted, KEY~ended as it ended: these never change. SERVICE_REFERENCE~asked counts the time of looks in vain."""
import contextlib
import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path
from urllib import error, parse, request

FINAL_STATUSES = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}  # with exit codes
ERRORS = {"store": 1, "usage": 2, "not_found": 3, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6}
REFUSALS = {400: "refused", 401: "credentials", 403: "refused", 404: "refused", 405: "refused"}
COMMANDS = {"pay": 3, "start": 3, "find": 3, "wait": 1, "ask": 1, "open": 0}  # with the number of their arguments
USAGE = "the command must be client.py pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open"
ADDRESS = r"(?i)https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[^\s?#]*)?"

class MomoError(Exception):
    def __init__(self, kind, message, may_have_paid=True):
        super().__init__(message)
        self.kind = kind  # one of ERRORS; unreachable: nothing was sent; unknown: no answer
        self.may_have_paid = may_have_paid  # False: this call pushed nothing

# Keeps values as files, for programs in all languages. A table needs these methods: momo help table_store.py
class FileStore:
    def __init__(self, folder):
        _check(folder, r"([/\\]|[A-Za-z]:).*", "the folder of the orders", "an absolute path, such as /srv/orders")
        self.folder = Path(folder)
    def get(self, name):
        try:
            return {**json.loads(self._path_of(name).read_text("utf-8"))}  # fails if it is not an object
        except FileNotFoundError:
            return None
    def add(self, name, value, replaces=False):  # or keeps the value that is there; a crash leaves no half value
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self.folder / f"draft-{os.urandom(16).hex()}"
        try:
            with open(draft, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                json.dump(value, file)
                file.flush()
                os.fsync(file.fileno())
            place = os.replace if replaces else os.link
            with contextlib.suppress(FileExistsError):
                place(draft, self._path_of(name))
        finally:
            draft.unlink(missing_ok=True)
        if os.name != "nt":  # Windows syncs no folders
            opened = os.open(self.folder, os.O_RDONLY)
            os.fsync(opened)
            os.close(opened)
    def remove(self, name):
        self._path_of(name).unlink(missing_ok=True)
    def names(self):
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = [path for path in self.folder.iterdir() if re.fullmatch("([2-7][0-9a-f])+[.]json", path.name)]
        return [bytes.fromhex(path.stem).decode() for path in sorted(files)]
    def _path_of(self, name):
        return self.folder / (name.encode().hex() + ".json")

# In seconds; timeout is for each read. An order is not_started after not_started_after of looks (an interval each).
class Client:
    def __init__(self, base_url, api_key, api_secret, payment_account_id, store, *, timeout=10, interval=5,
                 deadline=120, not_started_after=600, now=time.time, sleep=time.sleep):
        self.address = _check(base_url, ADDRESS, "base_url (MOMO_BASE_URL)", "such as https://host/v2").rstrip("/")
        _check(api_key, "[!-~]+", "api_key (MOMO_API_KEY)", "ASCII without spaces")
        _check(api_secret, "[!-~]+", "api_secret (MOMO_API_SECRET)", "ASCII without spaces")
        self.account = _check(payment_account_id, "[1-9][0-9]{0,14}", "account (MOMO_PAYMENT_ACCOUNT_ID)", "a number")
        self.headers = {"X-API-Key": api_key, "X-API-Secret": api_secret, "Content-Type": "application/json"}
        self.service = f"{self.address}, account {self.account}"
        self.store = store
        self._get = lambda name: _use_store(name, lambda: store.get(name))
        self.timeout = timeout
        self.interval = interval
        self.deadline = deadline
        self.not_started_after = not_started_after
        self.now = now
        self.sleep = sleep
        self.opener = request.OpenerDirector()  # it follows no redirect, and takes a refusal for an answer
        for handler in (request.ProxyHandler, request.HTTPHandler, request.HTTPSHandler):
            self.opener.add_handler(handler())

    def pay(self, reference, phone, amount):
        return self.wait(reference, self.start(reference, phone, amount))

    def start(self, reference, phone, amount):  # if the order is stored already, nothing is pushed
        key = _key_of(reference)
        order = self._new_order(reference, phone, amount)
        order["service_reference"] += os.urandom(4).hex()  # of no earlier order
        if self._get(key) is None:
            _use_store(key, lambda: self.store.add(key, order), may_have_paid=False)
        kept = self._read(key)  # of another process, or ended by one while this one stood still
        if kept["phone"] != order["phone"] or kept["amount"] != order["amount"]:
            raise MomoError("usage", f"{key} is already an order of another phone or amount")
        if kept["service_reference"] != order["service_reference"] or not kept["may_have_paid"]:
            return kept
        body = {"reference": order["service_reference"], "phone": order["phone"], "amount": order["amount"]}
        try:
            payment = self._call("/stkpush.php", {"payment_account_id": int(self.account), **body})
            payment["status"] = "pending"
        except MomoError as failure:
            if failure.kind not in ("unknown", "not_started"):
                _use_store(key, lambda: self.store.remove(key), may_have_paid=False)  # nothing was pushed
                raise
            payment = {"status": failure.kind, "result_desc": str(failure)}
        _use_store(key, lambda: self.store.remove(order["service_reference"] + "~asked"))  # earlier looks say nothing
        return self._record(key, order, payment, payment["result_desc"] if payment["status"] == "unknown" else None)

    def wait(self, reference, started=None):
        pause = max(0.1, min(self.interval, self.deadline))
        order = started or self.ask(reference)
        waited = 0
        while order["may_have_paid"] and waited < self.deadline:
            self.sleep(pause)
            began = time.monotonic()
            order = self.ask(reference)
            waited += pause + time.monotonic() - began  # no jump of now() ends or prolongs it
        return order

    def ask(self, reference):  # once, now; without an answer the order stays as it was; a refusal is raised
        key = _key_of(reference)
        order = self._read(key)
        if self._get(f"{key}~ended") is not None:
            return order
        try:
            payment = self._find_payment(order)
            if payment is not None:
                return self._record(key, order, payment)
            self._count_not_found(order)
            return self._read(key, "the service shows no payment")
        except MomoError as failure:
            if failure.kind not in ("unknown", "unreachable"):
                raise
            return self._read(key, str(failure))

    def open(self):
        names = set(_use_store("the folder", self.store.names))
        keys = [name for name in sorted(names) if "~" not in name and f"{name}~ended" not in names]
        return [order for order in map(self.stored, keys) if order and order["may_have_paid"]]

    def stored(self, reference):  # the order, without a question to the service, or None
        key = _key_of(reference)
        order = self._get(f"{key}~ended") or self._get(f"{key}~pending") or self._get(key)
        if order is None:
            return None
        owner = order.get("service", "another program")
        if owner != self.service:
            raise MomoError("usage", f"{key} is an order of {owner}, not of {self.service}: use another folder")
        for part in ("reference", "service_reference", "phone", "amount", "status"):
            if not order.get(part):
                raise MomoError("store", f"{key} cannot be read: it has no {part}")
        clocks = (self._get(order["service_reference"] + "~asked") or {}).get("clocks", [])
        not_found_ms = _use_store(key, lambda: max((clock["not_found_ms"] for clock in clocks), default=0))
        if order["status"] == "unknown" and not_found_ms >= 1000 * self.not_started_after:
            order.update(status="not_started", result_desc="not found in time")
        order["may_have_paid"] = order["status"] not in FINAL_STATUSES
        return order

    def find(self, reference, phone, amount):  # the payment as the list shows it, or None
        return self._find_payment(self._new_order(reference, phone, amount))

    def list(self, **filters):  # newest first, each once, also if payments arrive meanwhile
        rows = {}
        for page in range(1, 10_001):
            answer = self._call("/transactions.php?" + parse.urlencode({**filters, "page": page, "limit": 100}))
            page_rows = answer.get("data") if answer.get("transactions") is None else answer["transactions"]
            is_list = isinstance(page_rows, list) and all(isinstance(row, dict) and row.get("id") for row in page_rows)
            if not is_list:
                raise MomoError("unknown", "/transactions.php: the answer has no list of payments")
            is_new = any(str(row["id"]) not in rows for row in page_rows)
            rows.update((str(row["id"]), row) for row in page_rows)
            pagination = answer.get("pagination")
            pages = pagination.get("total_pages") if isinstance(pagination, dict) else None
            is_last = page >= pages if isinstance(pages, int) else not is_new and len(page_rows) < 100
            if is_last:
                return list(rows.values())
            if not is_new:
                break
        raise MomoError("unknown", "/transactions.php: a list without its end")

    def _new_order(self, reference, phone, amount):
        digits = re.sub(r"[\s().-]", "", str(phone))
        _check(digits, r"([+]?254|0|(?=[17][0-9]{8}$))[0-9]{9}", "the phone", "such as 0712345678")
        number = float(_check(amount, r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", "the amount", "from 1, two decimals at most"))
        tag = hashlib.sha256(_key_of(reference).encode()).hexdigest()[:4]  # a reference with the same end has another
        return {
            "service": self.service, "reference": str(reference), "service_reference": f"{reference}~{tag}",
            "phone": "254" + digits[-9:], "amount": int(number) if number.is_integer() else number,
            "status": "unknown", "checkout_request_id": None, "receipt": None, "result_code": None, "result_desc": None,
        }

    def _find_payment(self, order):  # or None; of several with its reference, one must be paid, or all have ended
        own = order.get("checkout_request_id")
        payments = [self._call("/status.php", {"checkout_request_id": own})] if own else self._find_by_reference(order)
        if own and (payments[0].get("checkout_request_id") or own) != own:
            raise MomoError("unknown", f"/status.php: the answer is not of {own}")
        statuses = [payment.get("status") for payment in payments]
        if "completed" in statuses:
            return payments[statuses.index("completed")]
        if statuses == ["pending"] or all(status in ("failed", "cancelled", "expired") for status in statuses):
            return payments[0] if payments else None
        raise MomoError("unknown", f"the service shows {json.dumps(statuses)}")

    def _find_by_reference(self, order):
        """Its payments by reference, or else by phone (§4.3). Empty only if none can be its own, as a masked can."""
        payer = _payer_of(order)
        found = self.list(search=order["service_reference"])
        own = [row for row in found if _payer_of(row) == payer]
        if own and not self.list(search=order["service_reference"][:-1] + "x"):  # a reference that nobody has
            return own
        rows = self.list(search=order["phone"]) + self.list(search="0" + order["phone"][3:])  # or shown as 07…
        names = _use_store("the folder", self.store.names)
        others = [self._get(name) or {} for name in names if not name.startswith(_key_of(order["reference"]) + "~")]
        ids = [other["checkout_request_id"] for other in others if other.get("checkout_request_id")]
        rest = [row for row in rows if _payer_of(row) in (payer, None) and row.get("checkout_request_id") not in ids]
        if found or rest:
            raise MomoError("unknown", f"the service shows a payment that can be that of {order['reference']}")
        return []

    def _call(self, path, body=None):
        status = 0
        kind = "unknown"  # without a refusal, it may have been pushed
        sent = request.Request(self.address + path, body and json.dumps(body).encode(), self.headers)
        try:
            with self.opener.open(sent, timeout=self.timeout) as response:
                status = response.status
                answer = {**json.loads(response.read(10_000_000))}
        except Exception as failure:
            is_lost = isinstance(getattr(failure, "reason", None), (ConnectionResetError, BrokenPipeError))
            kind = "unreachable" if isinstance(failure, error.URLError) and not is_lost else "unknown"
            answer = {"message": f"{path}: no answer of the service ({status or failure})"}
        if status == 200 and answer.get("success") is True:
            return answer
        message = str(answer.get("message") or f"{path}: HTTP {status}")
        is_denied = path == "/stkpush.php" and message.startswith("STK push initiation failed")  # §4.1
        if answer.get("success") is False:
            kind = "not_started" if status == 500 and is_denied else REFUSALS.get(status, "unknown")
        raise MomoError(kind, message, may_have_paid=kind == "unknown" or path != "/stkpush.php")

    def _count_not_found(self, order):  # clocks differ, and jump, so each counts for itself; those ahead come first
        name = order["service_reference"] + "~asked"
        now_ms = round(1000 * self.now())
        clocks = (self._get(name) or {}).get("clocks", [])
        longest_ms = max((clock["not_found_ms"] for clock in clocks), default=0)
        ahead = [clock for clock in clocks if clock["asked_ms"] > now_ms]
        behind = clocks[len(ahead):]
        own = behind.pop(0) if behind else {"asked_ms": now_ms, "not_found_ms": longest_ms}
        counted_ms = own["not_found_ms"] + min(now_ms - own["asked_ms"], round(1000 * self.interval))
        looks = [*ahead, {"asked_ms": now_ms, "not_found_ms": max(longest_ms, counted_ms)}, *behind]
        _use_store(name, lambda: self.store.add(name, {"clocks": looks[-10:]}, replaces=True))

    def _record(self, key, stored, payment, reason=None):
        status = payment["status"]
        if status != stored["status"]:
            order = {**stored, "status": status, "may_have_paid": status not in FINAL_STATUSES}
            order["checkout_request_id"] = payment.get("checkout_request_id") or order.get("checkout_request_id")
            order["receipt"] = payment.get("momo_receipt_number") or None
            order["result_code"] = payment.get("result_code")
            order["result_desc"] = payment.get("result_desc")
            name = f"{key}~pending" if order["may_have_paid"] else f"{key}~ended"
            _use_store(key, lambda: self.store.add(name, order))  # beside it: nobody takes back what is stored
        return self._read(key, reason)

    def _read(self, key, reason=None):
        order = self.stored(key)
        if order is None:
            raise MomoError("not_found", f"{key} has not been started with this folder")
        return {**order, "reason": reason} if reason and order["may_have_paid"] else order

def _key_of(reference):  # the service ignores the case
    expected = "1 to 87 ASCII characters, no ~, no outer spaces"
    return _check(reference, "(?! )[ -}]{1,87}(?<! )", "reference", expected).lower()
def _payer_of(row):  # its phone and its amount; None: one of them cannot be read
    text = f"{row.get('phone')} {row.get('amount')}"
    is_readable = re.fullmatch("[+]?[0-9]{9,15} [0-9]{1,15}([.][0-9]+)?", text)
    return f"{row['phone']}"[-9:] + f" {float(row['amount'])}" if is_readable else None
def _check(value, pattern, name, expected):
    text = "" if value is None else str(value)
    given = "" if "secret" in name else f"; it is {text!r}"
    if not re.fullmatch(pattern, text):
        raise MomoError("usage", f"{name} must be {expected}{given}", may_have_paid=False)
    return text
def _use_store(name, action, may_have_paid=True):
    try:
        return action()
    except Exception as failure:
        warning = "; the customer may have paid" if may_have_paid else ""
        raise MomoError("store", f"{name} cannot be read or stored: {failure}{warning}", may_have_paid) from failure

if __name__ == "__main__":
    try:
        command = sys.argv[1] if len(sys.argv) > 1 else ""
        if COMMANDS.get(command) != len(sys.argv) - 2:
            raise MomoError("usage", USAGE, may_have_paid=False)
        env = os.environ.get
        store = FileStore(env("MOMO_ORDERS") or Path(__file__).resolve().with_name("momo-orders"))
        account = env("MOMO_PAYMENT_ACCOUNT_ID")
        momo = Client(env("MOMO_BASE_URL"), env("MOMO_API_KEY"), env("MOMO_API_SECRET"), account, store)
        result = getattr(momo, command)(*sys.argv[2:])
        code = 0
        if command != "open":
            code = FINAL_STATUSES.get(result["status"], 13) if result else 3
    except MomoError as failure:
        code = ERRORS[failure.kind]
        result = {"error": {"code": failure.kind, "message": str(failure), "may_have_paid": failure.may_have_paid}}
    print(json.dumps(result))
    sys.exit(code)
