"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program.
    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("/srv/orders"))
    order = momo.pay("ORDER-0001", "0712345678", 100)
A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
  pending, unknown             not final (may_have_paid, reason); unknown: the answer to the push was lost
  completed                    paid; receipt is the network's
  failed, cancelled, expired   not paid; result_code and result_desc say why
  not_started                  not paid: the push was refused or never came; one that comes late opens it again
An error has may_have_paid: if it is False, nothing was pushed. A script calls pay, and calls it again after a crash.
A web request calls start. Its page calls your server every 5 s, and that calls ask(reference). A cron asks, each
minute, for every order that is not paid in your database. A webhook can be forged: ask for the order of open() with
its id. Each books what is completed: UPDATE … WHERE id = ? AND paid = false; only if a row changed, deliver.
A test uses a new folder. To move the sandbox's clock, sleep(seconds) moves it; now() returns by how much so far."""
import json, os, re, secrets, sys, tempfile, threading, time
from concurrent.futures import Future
from pathlib import Path
from urllib import error, parse, request

# The final statuses and the kinds of errors, with exit codes. unreachable: nothing was sent. unknown: no answer.
FINAL = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}
ERRORS = {"store": 1, "usage": 2, "not_found": 3, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6}
UNPAID = ("failed", "cancelled", "expired")
UNASKED = {"status": "unknown", "checkout_request_id": None, "receipt": None, "result_code": None, "result_desc": None}
ADDRESS = r"\s*https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[^\s?#]*)?\s*"
class MomoError(Exception):
    def __init__(self, kind, message, may_have_paid=True):
        super().__init__(message)
        self.kind = kind
        self.may_have_paid = may_have_paid
class FileStore:
    """Keeps values as files, for programs in all languages. A store of yours, such as a table, needs these methods."""
    def __init__(self, folder):
        _check(folder, r"([/\\]|[A-Za-z]:).*", "the folder of the orders", "an absolute path, such as /srv/orders")
        self.folder = Path(folder)
    def get(self, name):
        try:
            return dict(json.loads(self._path(name).read_text("utf-8")))  # fails if it is not an object
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
        self.address = _check(base_url, ADDRESS, "base_url", "such as https://pay.example/v2").strip().rstrip("/")
        self.headers = {"Content-Type": "application/json"}
        self.headers["X-API-Key"] = _check(api_key, r"\s*[!-~]+\s*", "api_key", "ASCII without spaces").strip()
        self.headers["X-API-Secret"] = _check(api_secret, r"\s*[!-~]+\s*", "api_secret", "ASCII without spaces").strip()
        self.account = _check(payment_account_id, "[1-9][0-9]{0,14}", "payment_account_id", "a whole number from 1")
        self.service = f"{self.address}, account {self.account}"
        self.store = store
        self.timeout = timeout
        self.interval = interval
        self.deadline = deadline
        self.not_started_after = not_started_after
        self.now = now
        self.sleep = sleep
    def pay(self, reference, phone, amount):
        return self.wait(reference, self.start(reference, phone, amount))

    def wait(self, reference, started=None):
        order = started or self.ask(reference)
        pause = max(0.1, min(self.interval, self.deadline))
        waited = 0
        while order["status"] not in FINAL and waited < self.deadline:
            self.sleep(pause)
            waited += pause
            order = self.ask(reference)
        return order

    def start(self, reference, phone, amount):
        """Starts an order. If it is stored already, it is returned, and nothing is pushed."""
        key = _key_of(reference)
        order = {
            "service": self.service,
            "reference": str(reference),
            "service_reference": _create_service_reference(reference),
            **_parse_payment(phone, amount),
            **UNASKED,
            "asked_ms": round(1000 * self.now()),  # when the service has last not found it; at first, now
            "not_found_ms": 0,  # for how long the service has not found it
        }
        if self._get(key) is None:
            _use_store(key, lambda: self.store.add(key, order), may_have_paid=False)
        stored = self._read(key)  # of another process, or ended by one while this one stood still
        if stored["service_reference"] == order["service_reference"] and stored["status"] not in FINAL:
            return self._push(key, order)
        if stored["phone"] == order["phone"] and stored["amount"] == order["amount"]:
            return stored
        raise MomoError("usage", f"{key} is already an order of another phone or amount")
    def _push(self, key, order):
        body = {"payment_account_id": int(self.account), "reference": order["service_reference"]}
        body.update(phone=order["phone"], amount=order["amount"])
        try:
            payment = {**self._call("/stkpush.php", body), "status": "pending"}
        except MomoError as failure:
            if failure.kind not in ("unknown", "not_started"):
                _use_store(key, lambda: self.store.remove(key), may_have_paid=False)  # it was not pushed
                raise
            payment = {"status": failure.kind, "result_desc": str(failure)}
        if payment["status"] == "unknown":  # what was counted before the push is not about it
            _use_store(key, lambda: self.store.remove(order["service_reference"] + "~asked"))
        return self._record(key, order, payment, payment.get("result_desc"))

    def ask(self, reference):
        """Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this raises."""
        key = _key_of(reference)
        order = self._read(key)
        if order["status"] in FINAL:
            return order
        try:
            payments = self._find_payments(order)
        except MomoError as failure:
            if failure.kind not in ("unknown", "unreachable"):
                raise
            return self._record(key, order, {}, str(failure))
        if not payments:
            self._count_not_found(key)
        statuses = ", ".join(json.dumps(payment.get("status")) for payment in payments) or "no payment"
        return self._record(key, order, _decisive(payments), f"the service shows {statuses}")

    def open(self):
        """The orders that are not final. One that cannot be read is unreadable, and has an error."""
        orders = []
        names = dict.fromkeys(_use_store("the folder", self.store.names))
        for key in [name for name in names if "~" not in name and f"{name}~ended" not in names]:
            try:
                orders.append(self._read(key))
            except MomoError as failure:
                orders.append({"reference": key, "status": "unreadable", "error": str(failure)})
        return [order for order in orders if order["status"] not in FINAL]
    def find(self, reference, phone, amount):
        """The payment of an order as the list shows it, or None. The order need not be stored."""
        order = {"reference": _key_of(reference), "service_reference": f"{reference}~", "checkout_request_id": None}
        payments = self._find_payments({**order, **_parse_payment(phone, amount)})
        paid = [payment for payment in payments if payment.get("status") == "completed"]
        return next(iter(paid + payments), None)
    def list(self, **filters):
        """All payments, newest first. None is there twice or left out, also if payments arrive meanwhile."""
        rows = {}
        for page in range(1, 10_001):
            query = parse.urlencode({**filters, "page": page, "limit": 100}, quote_via=parse.quote)
            answer = self._call(f"/transactions.php?{query}")
            page_rows = answer.get("data") if answer.get("transactions") is None else answer["transactions"]
            if not isinstance(page_rows, list) or not all(isinstance(row, dict) and row.get("id") for row in page_rows):
                break
            is_new = any(str(row["id"]) not in rows for row in page_rows)
            rows.update((str(row["id"]), row) for row in page_rows)
            pagination = answer.get("pagination")
            total_pages = pagination.get("total_pages") if isinstance(pagination, dict) else None
            is_last = isinstance(total_pages, int) and 0 < total_pages <= page
            if is_last or (not is_new and len(page_rows) < 100):
                return [*rows.values()]
            if not is_new:
                break
        raise MomoError("unknown", "/transactions.php: no list, or a list without its end")
    def _find_payments(self, order):  # by the id, or else by the reference; several, if a proxy has repeated the push
        id = order["checkout_request_id"]
        if id:
            payment = self._call("/status.php", {"checkout_request_id": id})
            if (payment.get("checkout_request_id") or id) == id:
                return [payment]
            raise MomoError("unknown", f"/status.php: the answer is not of {id}")
        found = self.list(search=order["service_reference"])
        # A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        is_exact = bool(found) and not self.list(search=_create_service_reference(order["reference"]))
        own = [row for row in found if is_exact and _is_of(order, row)]
        if own:
            return own
        if is_exact and not order["service_reference"].endswith("~"):
            raise MomoError("unknown", f"the service shows {order['reference']} with another phone or amount")
        # §4.3 promises the search for a phone alone; a service may show phones as 07…
        rows = self.list(search=order["phone"]) + self.list(search="0" + order["phone"][3:])
        names = _use_store("the folder", self.store.names)
        key = _key_of(order["reference"])
        others = [name for name in names if name.endswith(("~pending", "~ended")) and not name.startswith(key + "~")]
        ids = [(self._get(name) or {}).get("checkout_request_id") for name in others]
        row_ids = [row.get("checkout_request_id") or "none" for row in rows if _is_of(order, row)]
        if all(row_id in ids for row_id in row_ids):
            return []
        raise MomoError("unknown", f"another payment of {order['phone']} can be that of {order['reference']}")
    def _call(self, path, body=None):  # the answer of the service, if it is a success
        status = 0
        sent = request.Request(self.address + path, body and json.dumps(body).encode(), self.headers)
        received = Future()
        def receive():
            try:
                with request.build_opener(_NoRedirects).open(sent, timeout=2 * self.timeout) as response:
                    received.set_result((response.status, response.read(10_000_000)))
            except Exception as failure:
                received.set_exception(failure)
        threading.Thread(target=receive, daemon=True).start()  # an answer can come for ever, byte by byte
        try:
            status, text = received.result(self.timeout)
            answer = json.loads(text.decode("utf-8-sig"))
            is_success = answer["success"]
        except Exception as failure:
            is_cut = isinstance(getattr(failure, "reason", None), (ConnectionResetError, BrokenPipeError))
            is_connected = is_cut or not isinstance(failure, error.URLError)
            message = f"{path}: no answer of the service ({status or str(failure) or 'in time'})"
            raise MomoError("unknown" if is_connected else "unreachable", message, is_connected) from failure
        if status == 200 and is_success is True:
            return answer
        message = str(answer.get("message") or f"{path}: HTTP {status}")
        kind = "unknown"  # without a refusal, it may have been pushed
        if is_success is False and status == 500 and message.startswith("STK push initiation failed"):  # §4.1
            kind = "not_started"
        if is_success is False and 400 <= status < 500 and status not in (408, 409, 425, 429):  # 409: it is there
            kind = "credentials" if status == 401 else "refused"
        raise MomoError(kind, message, may_have_paid=kind == "unknown" or path != "/stkpush.php")
    def _count_not_found(self, key):  # adds the time since the last look, at most the interval: now() can jump
        order = self._read(key)  # another process may have counted meanwhile
        now_ms = round(1000 * self.now())
        elapsed_ms = max(0, min(now_ms - order["asked_ms"], round(1000 * self.interval)))
        asked = {"asked_ms": now_ms, "not_found_ms": order["not_found_ms"] + elapsed_ms}
        _use_store(key, lambda: self.store.add(order["service_reference"] + "~asked", asked, replaces=True))
    def _read(self, key):  # an order as it was stored last: each of its states is a file that is never changed
        order = self._get(f"{key}~ended") or self._get(f"{key}~pending") or self._get(key)
        if order is None:
            raise MomoError("not_found", f"{key} has not been started with this folder")
        owner = order.get("service", "another program")
        if owner != self.service:
            raise MomoError("usage", f"{key} is an order of {owner}, not of {self.service}: use another folder")
        order.update(self._get(order["service_reference"] + "~asked") or {})
        if order["status"] == "unknown" and order["not_found_ms"] >= 1000 * self.not_started_after:
            order.update(status="not_started", result_desc="the service did not find it in time")
        return order if order["status"] in FINAL else {**order, "may_have_paid": True}
    def _record(self, key, stored, payment, reason):  # no process takes back what another has stored
        status = payment.get("status")
        if status != stored["status"] and (status == "pending" or status in FINAL):
            order = {**stored, "status": status, "receipt": payment.get("momo_receipt_number") or None}
            order.update(result_code=payment.get("result_code"), result_desc=payment.get("result_desc"))
            order["checkout_request_id"] = stored["checkout_request_id"] or payment.get("checkout_request_id") or None
            order.pop("may_have_paid", None)  # _read adds it
            _use_store(key, lambda: self.store.add(key + ("~ended" if status in FINAL else "~pending"), order))
        order = self._read(key)  # another process may have been faster, or know more
        return order if order["status"] in FINAL or status == "pending" else {**order, "reason": reason}
    def _get(self, name):
        return _use_store(name, lambda: self.store.get(name))
class _NoRedirects(request.HTTPErrorProcessor):
    http_response = https_response = lambda self, sent, response: response
def _create_service_reference(reference):
    return f"{reference}~{secrets.token_hex(4)}"  # of 100 characters at most, and like that of no earlier order
def _decisive(payments):
    """What payments of one push say together: one that is paid counts; while one of several is open, none is final."""
    statuses = [payment.get("status") for payment in payments]
    if "completed" in statuses:
        return payments[statuses.index("completed")]
    is_ended = payments and all(status in UNPAID for status in statuses)
    return payments[0] if is_ended or statuses == ["pending"] else {}
def _is_of(order, row):
    is_number = re.fullmatch("[0-9]+([.][0-9]+)?", str(row.get("amount")))  # it can be text
    is_same = is_number and float(row["amount"]) == order["amount"]
    return is_same and str(row.get("phone")).endswith(order["phone"][3:])
def _use_store(name, action, may_have_paid=True):
    try:
        return action()
    except Exception as failure:
        doubt = "; the customer may have paid" if may_have_paid else ""
        raise MomoError("store", f"{name} cannot be read or stored: {failure}{doubt}", may_have_paid) from failure
def _check(value, pattern, name, right):  # the value as text, if it is right
    text = "" if value is None else str(value)
    given = "" if "secret" in name else f"; it is {value!r}"
    if not re.fullmatch(pattern, text):
        raise MomoError("usage", f"{name} must be {right}{given}", may_have_paid=False)
    return text
def _key_of(reference):  # the service ignores the case
    return _check(reference, r"(?! )[ -}]{1,91}(?<! )", "reference", "1-91 of ASCII, no ~, no outer spaces").lower()
def _parse_payment(phone, amount):
    digits = re.sub(r"[\s().-]", "", str(phone))
    _check(digits, r"([+]?254|0|(?=[17][0-9]{8}$))[0-9]{9}", "the phone", "such as 0712345678")
    number = float(_check(amount, r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", "the amount", "from 1, two decimals at most"))
    return {"phone": "254" + digits[-9:], "amount": int(number) if number.is_integer() else number}
COMMANDS = {"pay": 3, "start": 3, "find": 3, "wait": 1, "ask": 1, "open": 0}  # and the number of their arguments
VARIABLES = ("MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID")
USAGE = "client.py pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open"
if __name__ == "__main__":
    try:
        command, *arguments = sys.argv[1:] or [""]
        if COMMANDS.get(command) != len(arguments):
            raise MomoError("usage", f"the command must be {USAGE}; it is {' '.join(sys.argv[1:])!r}", False)
        store = FileStore(os.environ.get("MOMO_ORDERS") or Path(__file__).resolve().with_name("momo-orders"))
        result = getattr(Client(*map(os.environ.get, VARIABLES), store), command)(*arguments)
        if command == "open":
            code = ERRORS["store"] if any("error" in order for order in result) else 0
        else:
            code = FINAL.get(result["status"], 13) if result else 3  # 3: find has found nothing
    except (Exception, KeyboardInterrupt) as failure:
        kind = getattr(failure, "kind", "unexpected")
        code = ERRORS.get(kind, 1)
        may_have_paid = getattr(failure, "may_have_paid", True)
        result = {"error": {"code": kind, "message": str(failure), "may_have_paid": may_have_paid}}
    print(json.dumps(result))
    sys.exit(code)
