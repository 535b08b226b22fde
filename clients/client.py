"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program.
    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("/srv/orders"), settle=settle)
    order = momo.pay("ORDER-0001", "0712345678", 100)
settle(order) is yours. It gets each order that has ended, again until it has returned once; calls can overlap.
In one transaction, UPDATE … SET paid = true … AND paid = false, and if that changes a row, store what is to deliver.
A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
  pending                      the customer is asked: show "Look at your phone."
  unknown                      the answer to the push was lost: the customer may be asked, or not
  completed                    paid; receipt is the network's
  failed, cancelled, expired   not paid; result_code and result_desc say why
  not_started                  not paid: the network refused the push, or the service never got it
While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others are final. (Only a
process that stood still for ten minutes before its push was sent can open an order again that is not_started.)
An order belongs to an address and a payment account: another API key of the account goes on with it.
A script calls pay, which asks every 5 s, 24 times. Call it again later, also after a crash: it goes on.
A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask(reference).
A cron runs each minute. For each order of open() it calls ask(order["reference"]), and logs a MomoError.
Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
A test uses a new folder. To move the sandbox's clock, sleep(seconds) moves it, and now() returns by how much so far.
"""
import json
import os
import re
import secrets
import sys
import threading
import time
from pathlib import Path
from urllib import error, parse, request
FINAL = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}  # exit codes
# refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: it or settle failed.
ERRORS = {"store": 1, "usage": 2, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6}
# What is stored of an order is never changed. The first of these counts: a payment, more than that none was found.
STATES = ("~ended", "~accepted", "~not_started", "")
class MomoError(Exception):
    def __init__(self, kind, message, may_have_paid=False):  # whether the customer may have paid all the same
        super().__init__(f"{message}; the customer may have paid" if may_have_paid else message)
        self.kind = kind
        self.may_have_paid = may_have_paid
class FileStore:
    """Keeps values as files, for processes in all languages. A store of yours, such as a table, needs these methods."""
    def __init__(self, folder):
        self.folder = Path(folder)
        if not self.folder.is_absolute():
            raise _refusal("the folder of the orders", "an absolute path, such as /srv/orders", str(folder))
    def get(self, name):
        try:
            return json.loads(self._path(name).read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
    def add(self, name, value):  # if there is none: the first of several processes adds
        self._write(name, value, os.link)
    def set(self, name, value):
        self._write(name, value, os.replace)
    def remove(self, name):
        self._path(name).unlink(missing_ok=True)
    def names(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        stems = [path.stem for path in self.folder.iterdir() if re.fullmatch("([2-7][0-9a-f])+[.]json", path.name)]
        return [bytes.fromhex(stem).decode() for stem in sorted(stems)]
    def _path(self, name):
        return self.folder / (name.encode().hex() + ".json")
    def _write(self, name, value, link_or_replace):
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / (secrets.token_hex(16) + ".draft")
        try:
            with open(draft, "x", encoding="utf-8") as file:
                json.dump(value, file, separators=(",", ":"), ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            link_or_replace(draft, self._path(name))  # a crash leaves no half file of this name
        except FileExistsError:
            pass  # it is there already
        finally:
            draft.unlink(missing_ok=True)
        if os.name != "nt":  # Windows syncs no folders
            opened = os.open(self.folder, os.O_RDONLY)
            os.fsync(opened)
            os.close(opened)
class _NoRedirects(request.HTTPErrorProcessor):
    http_response = https_response = lambda self, sent, response: response
class Client:
    """Times are in seconds. An order is not_started if the service has not found it for `not_started_after` seconds."""
    def __init__(self, base_url, api_key, api_secret, payment_account_id, store, *, settle=None,
                 timeout=10, interval=5, deadline=120, not_started_after=600, now=time.time, sleep=time.sleep):
        self.address = base_url.strip().rstrip("/")
        self.service = f"{self.address}, account {payment_account_id}"
        self.headers = {"X-API-Key": api_key.strip(), "X-API-Secret": api_secret.strip()}
        self.headers["Content-Type"] = "application/json"
        self.payment_account_id = payment_account_id
        self.store = store
        self.settle = settle
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
        payment = _parse_payment(phone, amount)
        order = {
            "service": self.service,
            "reference": str(reference),
            "service_reference": _create_service_reference(reference),
            **payment,
            "status": "unknown",
            "checkout_request_id": None,
            "may_have_paid": True,
            "asked_ms": round(1000 * self.now()),  # when the service was last asked for it
            "not_found_ms": 0,  # for how long the service has answered that it does not find it
        }
        if self._get(key) is None:
            _use_store(key, False, lambda: self.store.add(key, order))
        stored = self._read(key)  # of another process, or ended by one while this one stood still
        if stored["status"] in FINAL or stored["service_reference"] != order["service_reference"]:
            if stored["phone"] == order["phone"] and stored["amount"] == order["amount"]:
                return self._settle_end(key, stored)
            raise MomoError("usage", f"{key} is already an order of another phone or amount")
        push = {"payment_account_id": self.payment_account_id, **payment, "reference": order["service_reference"]}
        answer = {}
        try:
            answer = self._call("/stkpush.php", push)
        except MomoError as failure:
            if failure.kind == "not_started":
                return self._record(key, order, {"status": failure.kind, "result_desc": str(failure)})
            if failure.kind != "unknown":
                _use_store(key, False, lambda: self.store.remove(key))  # it was not pushed
                raise
        if answer.get("checkout_request_id"):
            return self._record(key, order, {**answer, "status": "pending"})
        self._record_ask(order, order["asked_ms"], 0)  # it may have been pushed: ask looks for it from now on
        _use_store(key, True, lambda: self.store.remove(f"{key}~not_started"))  # by one that looked for it before
        return self._read(key, order)
    def ask(self, reference):
        """Asks for an order once, now. If no answer comes, the order stays as it was. If the service refuses to answer,
        as with 404 for a payment that it had, this raises, and the order stays open: nobody knows if it was paid."""
        key = _key_of(reference)
        order = self._read(key)
        if order["status"] in FINAL:
            return self._settle_end(key, order)
        now_ms = round(1000 * self.now())
        elapsed_ms = max(0, min(now_ms - order["asked_ms"], round(1000 * self.interval)))  # now() can jump
        self._record_ask(order, now_ms, order["not_found_ms"])
        try:
            id = order["checkout_request_id"]
            payment = self._call("/status.php", {"checkout_request_id": id}) if id else self._search(order)
        except MomoError as failure:
            if failure.kind in ("unknown", "unreachable"):
                return self._read(key, order)
            failure.may_have_paid = True
            raise
        if payment is None:
            not_found_ms = order["not_found_ms"] + elapsed_ms  # it may come later: a push can take minutes
            self._record_ask(order, now_ms, not_found_ms)
            payment = {"status": "not_started" if not_found_ms >= 1000 * self.not_started_after else "unknown"}
        return self._record(key, order, payment)
    def _wait_for_end(self, order):
        """Asks until the order is final, or the deadline has come."""
        pause = max(0.1, min(self.interval, self.deadline))
        waited = 0
        while order["status"] not in FINAL and waited < self.deadline:
            self.sleep(pause)
            waited += pause
            stored = self._read(_key_of(order["reference"]), order)
            is_asked = stored["asked_ms"] != order["asked_ms"] and stored["status"] not in FINAL  # by another process
            order = stored if is_asked else self.ask(order["reference"])
        return order
    def open(self):
        """The orders that have not ended, or are not settled. One that cannot be read is unreadable, and has an error."""
        orders = []
        stored = set(self._names())
        for key in sorted(stored):
            state = next((one for one in STATES if key + one in stored), "")
            is_closed = f"{key}{state}~settled" in stored if self.settle else state in ("~ended", "~not_started")
            if "~" in key or is_closed:
                continue
            try:
                orders.append(self._read(key))
            except MomoError as failure:
                orders.append({"reference": key, "status": "unreadable", "error": str(failure)})
        return [order for order in orders if self.settle or order["status"] not in FINAL]  # it can end meanwhile
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
            pagination = answer.get("pagination")
            total_pages = pagination.get("total_pages") if isinstance(pagination, dict) else None
            is_last = page >= total_pages if isinstance(total_pages, int) else not is_new and len(page_rows) < 100
            if is_last:
                return [*rows.values()]
            if not is_new:
                break
        raise MomoError("unknown", "/transactions.php: no list, or a list without its end", True)
    def _settle_end(self, key, order):
        """Gives an order that has ended to settle, until that has returned once."""
        name = f"{key}{_state_of(order['status'])}~settled"
        if self.settle is None or order["status"] not in FINAL or self._get(name):
            return order
        _use_store(key, order["status"] == "completed", lambda: self.settle(order), "settled")
        _use_store(key, True, lambda: self.store.add(name, order))
        return order
    def _record(self, key, started, payment):
        """Stores news of a payment beside what is stored: no process takes back what another has stored."""
        stored = self._read(key, started)  # a file that was removed is written again
        status = payment.get("status")
        if status == stored["status"] or not (status == "pending" or status in FINAL):
            return stored
        order = {**started, "status": status}
        order["checkout_request_id"] = stored["checkout_request_id"] or payment.get("checkout_request_id")
        order["receipt"] = payment.get("momo_receipt_number")
        order.update(result_code=payment.get("result_code"), result_desc=payment.get("result_desc"))
        if status in FINAL:
            del order["may_have_paid"]
        _use_store(key, True, lambda: self.store.add(key + _state_of(status), order))
        return self._settle_end(key, self._read(key))  # another process may have been faster, or know more
    def _search(self, order):
        """The payment of an order without an id, or None. Rows have no reference."""
        own = self._rows_of(order, order["service_reference"])
        # A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        if own and not self.list(search=_create_service_reference(order["reference"])):
            return next((row for row in own if row.get("status") == "completed"), own[0])
        # §4.3 promises the search for a phone alone; a service may show phones as 07…
        rows = own + self._rows_of(order, order["phone"]) + self._rows_of(order, "0" + order["phone"][3:])
        stored = [self._get(name) for name in self._names() if name.endswith(("~accepted", "~ended"))]
        keys = {one["checkout_request_id"]: _key_of(one["reference"]) for one in stored}
        found = [keys.get(row.get("checkout_request_id") or "none") for row in rows]
        if _key_of(order["reference"]) in found:
            return rows[found.index(_key_of(order["reference"]))]
        if None in found:
            same = f"another payment of {order['phone']} for {order['amount']}"
            raise MomoError("unknown", f"{same} can be that of {order['reference']}", True)
    def _rows_of(self, order, search):
        rows = [row for row in self.list(search=search) if str(row.get("phone"))[-9:] == order["phone"][3:]]
        return [row for row in rows if _is_amount(row.get("amount"), order["amount"])]
    def _call(self, path, body=None):
        answers = [MomoError("unknown", f"{path}: no answer in time", True)]
        sender = threading.Thread(target=lambda: answers.append(self._answer_or_error(path, body)), daemon=True)
        sender.start()
        sender.join(self.timeout)  # the time-out of urllib is for each byte
        answer = answers[-1]  # read once: the thread goes on
        if isinstance(answer, MomoError):
            raise answer
        return answer
    def _answer_or_error(self, path, body):
        status = None
        try:
            sent = request.Request(self.address + path, body and json.dumps(body).encode(), self.headers)
            parse.urlsplit(self.address).port  # a ValueError, if it is no address
            with request.build_opener(_NoRedirects).open(sent, timeout=self.timeout) as response:
                status = response.status
                answer = json.loads(response.read(10_000_000))
            if status == 200 and answer["success"] is True:
                return answer
            message = answer.get("message") or f"{path}: HTTP {status}"
            is_refusal = answer["success"] is False  # without one, it may have been pushed
            kind = "unknown"
            if is_refusal and status == 500 and str(message).startswith("STK push initiation failed"):
                kind = "not_started"  # §4.1
            if is_refusal and 400 <= status < 500 and status not in (408, 429):
                kind = "credentials" if status == 401 else "refused"
            return MomoError(kind, message, kind == "unknown")
        except Exception as failure:
            is_sent = status is not None or not isinstance(failure, (error.URLError, ValueError))  # they come before
            kind = "unknown" if is_sent else "unreachable"
            return MomoError(kind, f"{path}: no answer of the service ({status or failure})", is_sent)
    def _record_ask(self, order, asked_ms, not_found_ms):
        value = {"asked_ms": asked_ms, "not_found_ms": not_found_ms}
        _use_store(order["reference"], True, lambda: self.store.set(order["service_reference"] + "~asked", value))
    def _get(self, name):
        return _use_store(name, True, lambda: self.store.get(name))
    def _names(self):
        return _use_store("the folder of the orders", True, lambda: self.store.names())
    def _read(self, key, fallback=None):
        """The order as it was stored last. If there is none, the fallback or an error."""
        states = (self._get(key + state) for state in STATES)
        order = next((state for state in states if state is not None), fallback)
        if order is None:
            raise MomoError("refused", f"{key} has not been started")
        is_order = isinstance(order, dict) and "service_reference" in order
        owner = order["service"] if is_order else "another program or version"
        if owner == self.service:
            return {**order, **(self._get(order["service_reference"] + "~asked") or {})}
        raise MomoError("usage", f"{key} is an order of {owner}, not of {self.service}: use another folder")
def _state_of(status):
    return {"pending": "~accepted", "not_started": "~not_started"}.get(status, "~ended")
def _is_amount(value, amount):  # it can be text
    return re.fullmatch("[0-9]+([.][0-9]+)?", str(value)) is not None and float(value) == amount
def _create_service_reference(reference):
    return f"{reference}~{secrets.token_hex(4)}"  # of 100 characters at most, and like that of no earlier order
def _refusal(name, rule, value):
    return MomoError("usage", f"{name} must be {rule}; it is {value!r}")
def _use_store(name, may_have_paid, action, done="read or stored"):
    try:
        return action()
    except Exception as failure:
        raise MomoError("store", f"{name} cannot be {done}: {failure}", may_have_paid) from failure
def _key_of(reference):
    if reference is not None and re.fullmatch(r"(?! )[ -}]{1,91}(?<! )", str(reference)):
        return str(reference).lower()  # the service ignores the case
    raise _refusal("reference", "1 to 91 printable ASCII characters, without ~ and outer spaces", reference)
def _parse_payment(phone, amount):
    match = re.fullmatch(r"(?:[+]?254|0|(?=[17][0-9]{8}$))([0-9]{9})", re.sub(r"[ ().-]", "", str(phone)))
    if not match:
        raise _refusal("phone", "such as 0712345678", phone)
    if not re.fullmatch(r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", str(amount)):
        raise _refusal("amount", "from 1, with two decimals at most", amount)
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
