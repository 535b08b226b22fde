"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program, and keep it.
    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("orders"))
    order = momo.pay("ORDER-0001", "0712345678", 100)
    if order["status"] == "completed": deliver(order)  # once for each order
A reference is an order. It is stored before its push, and pushed once. After a failure, a new try needs a new reference.
  pending                      the customer is asked: "Look at your phone."
  unknown                      the answer to the push was lost, so it is not known whether the customer is asked
  completed                    paid; receipt is the network's
  failed, cancelled, expired   not paid; result_code and result_desc say why
  not_started                  not paid: the network refused the push, or the service does not have the payment
While it is pending or unknown, the customer may have paid (may_have_paid): ask again later. The others never change.
A script calls pay, also again after a crash: it waits for two minutes, and goes on where it was.
A web request calls start, and returns. The page then asks your server every 5 s, and your server calls ask(reference).
A cron, every minute:  for order in momo.open(): momo.ask(order["reference"])
A webhook names no reference, and anybody can send one: find its checkout_request_id in open(), and ask; else 404.
Tests: a new folder for each run. A test that moves the sandbox's clock gives two functions: sleep(seconds) moves that
clock, and now() returns how many seconds sleep has moved it.
"""
import json, os, re, secrets, sys, threading, time
from urllib import parse, request

# The final statuses and the kinds of errors, with the exit codes of the command.
FINAL = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}
ERRORS = {"usage": 2, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6, "store": 1}
# Errors that come before anything was sent.
UNSENT = ("ConnectionRefusedError", "gaierror", "SSLCertVerificationError", "InvalidURL")

class MomoError(Exception):
    """kind: one of ERRORS. may_have_paid: whether the customer may have paid all the same."""
    def __init__(self, kind, message, may_have_paid=False):
        super().__init__(message)
        self.kind = kind
        self.may_have_paid = may_have_paid

class FileStore:
    """Orders as files in a folder. Processes may share it, also with the clients in other languages."""
    def __init__(self, folder):
        self.folder = folder
        _stored("the folder of the orders", False, lambda: os.makedirs(folder, exist_ok=True))
    def get(self, key):
        try:
            with open(self._path(key), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None
    def add(self, key, order):
        """Whether it was added, and not there already. Of several processes, one succeeds."""
        try:
            self._place(key, order, os.link)
            return True
        except FileExistsError:
            return False
    def set(self, key, order): self._place(key, order, os.replace)
    def remove(self, key): os.remove(self._path(key))
    def keys(self):
        names = sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"([0-9a-f]{2})+[.]json", name))
        return [bytes.fromhex(name[: -len(".json")]).decode("latin-1") for name in names]
    def _path(self, key): return os.path.join(self.folder, key.encode().hex() + ".json")
    def _place(self, key, order, give_name):
        """Writes a whole file, and then gives it the name, so that a crash leaves no half order."""
        draft = os.path.join(self.folder, secrets.token_hex(16) + ".draft")
        try:
            with open(draft, "x", encoding="utf-8") as file:
                json.dump(order, file, separators=(",", ":"), ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            give_name(draft, self._path(key))
        finally:
            if os.path.exists(draft): os.remove(draft)
        if os.name != "nt":  # Windows syncs no folders
            opened = os.open(self.folder, os.O_RDONLY)
            os.fsync(opened)
            os.close(opened)

class _AsItIs(request.HTTPErrorProcessor):
    """Follows no redirect, and raises for no status."""
    def http_response(self, sent, response): return response
    https_response = http_response

class Client:
    """Times are in seconds. settled: an order has not started if the service has answered for so long that it has no payment."""
    def __init__(self, base_url, api_key, api_secret, payment_account_id, store, *, timeout=10, interval=5,
                 deadline=120, settled=600, now=None, sleep=time.sleep):
        self.service = base_url.strip().rstrip("/")
        self.headers = {"X-API-Key": api_key.strip(), "X-API-Secret": api_secret.strip(), "Content-Type": "application/json"}
        self.payment_account_id = payment_account_id
        self.store = store
        self.timeout = timeout
        self.interval = interval
        self.deadline = deadline
        self.settled = settled
        offset = time.time() - time.monotonic()
        self.now = now or (lambda: offset + time.monotonic())  # time.time can jump
        self.sleep = sleep
        self.retry_after = 0  # as the last answer said

    def pay(self, reference, phone, amount):
        """Starts a payment and waits for its end, or goes on with it."""
        return self._follow(self.start(reference, phone, amount))
    def wait(self, reference):
        """Asks until the status is final or the deadline has come."""
        return self._follow(self.ask(reference))

    def start(self, reference, phone, amount):
        """Starts a payment, or returns the order as it is stored. It never pushes twice."""
        key = _key(reference)
        charge = _charge(phone, amount)
        order = {
            "service": self.service,
            "reference": str(reference),
            "pushed_as": _pushed_as(reference, secrets.token_hex(4)),
            "phone": charge["phone"],
            "amount": charge["amount"],
            "status": "unknown",
            "checkout_request_id": None,
            "receipt": None,
            "result_code": None,
            "result_desc": None,
            "started_at": self._now_ms(),
            "asks": 0,  # how often the service was asked
            "looked_at": None,  # when it last answered that it does not have the payment
            "missing_ms": 0,  # for how long it has answered so
        }
        is_new = self._read(key) is None and _stored(key, False, lambda: self.store.add(key, order))
        if not is_new: return _shown(self._known(key, charge))
        try:
            payment = {"payment_account_id": self.payment_account_id, **charge, "reference": order["pushed_as"]}
            answer = self._call("/stkpush.php", payment)
            return self._update(key, {**answer, "status": "pending"}, order) if answer.get("checkout_request_id") else _shown(order)
        except MomoError as error:
            if error.kind == "unknown": return _shown(order)  # it may have been pushed: ask looks for it
            if error.kind == "not_started": return self._update(key, {"status": "not_started", "result_desc": str(error)}, order)
            if error.kind != "store":
                _stored(key, False, lambda: self.store.remove(key))  # it was not pushed
            raise

    def _follow(self, order):
        key = _key(order["reference"])
        waited = 0
        while not _is_final(order) and waited < self.deadline:
            pause = max(min(self.interval, self.deadline), self.retry_after)
            before = self.now()
            self.sleep(pause)
            latest = self._known(key)
            order = self.ask(key) if latest["asks"] == order["asks"] else _shown(latest)  # not if another process has asked
            waited += min(max(pause, self.now() - before), pause + self.timeout)  # also if the clock jumps
        return order

    def ask(self, reference):
        """Asks once, now. If no answer comes, the order stays as it was."""
        key = _key(reference)
        order = self._known(key)
        if _is_final(order): return order
        order["asks"] += 1
        self._write(key, order)
        try:
            id = order["checkout_request_id"]
            answer = self._call("/status.php", {"checkout_request_id": id}) if id else self._find_pushed(order)
            return self._update(key, answer, order) if answer else self._miss(key)
        except MomoError as error:
            error.may_have_paid = True
            if error.kind in ("store", "credentials"): raise
            return _shown(self._read(key) or order)

    def _update(self, key, answer, asked):
        order = self._read(key) or asked  # a file that is gone is written again
        if _is_final(order): return order  # another process was faster
        order["checkout_request_id"] = order["checkout_request_id"] or answer.get("checkout_request_id")
        if answer.get("status") == "pending" or _is_final(answer):
            order["status"] = answer["status"]
        order["receipt"] = answer.get("momo_receipt_number")
        order["result_code"] = answer.get("result_code")
        order["result_desc"] = answer.get("result_desc")
        return self._write(key, order)
    def _miss(self, key):
        """Stores that the service does not have the payment now. A push can be on its way for minutes, so it may come later."""
        order = self._known(key)
        if order["status"] != "unknown": return _shown(order)
        now_ms = self._now_ms()
        since_ms = 0 if order["looked_at"] is None else now_ms - order["looked_at"]
        order["missing_ms"] += min(max(0, since_ms), round(self.interval * 1000))  # one interval, if the clock jumps
        order["looked_at"] = now_ms
        if since_ms > 0 and order["missing_ms"] >= self.settled * 1000:
            order["status"] = "not_started"
        return self._write(key, order)

    def open(self):
        """The orders that are not final."""
        orders = [self._known(key) for key in _stored("the folder", True, self.store.keys)]
        return [_shown(order) for order in orders if not _is_final(order)]
    def find(self, reference, phone, amount):
        """The payment of an order as the list shows it, or None; it needs no stored order."""
        _key(reference)
        return self._find_pushed({"pushed_as": _pushed_as(reference, ""), **_charge(phone, amount)})
    def _find_pushed(self, order):
        """A search finds what begins with its text, and rows show no reference: phone and amount are compared, too."""
        number = order["phone"][3:]
        rows = self.list(search=order["pushed_as"])
        own = [row for row in rows if row.get("amount") == order["amount"] and str(row.get("phone")).endswith(number)]
        paid = [row for row in own if row.get("status") == "completed"]
        return next(iter(paid + own), None)

    def list(self, status=None, **filters):
        """All rows, newest first: none twice, and none is left out, also while payments arrive."""
        rows = {}  # statuses change while pages are read: filter by them at the end
        for page in range(1, sys.maxsize):
            query = parse.urlencode({**filters, "page": page, "limit": 100}, quote_via=parse.quote)
            answer = self._call("/transactions.php?" + query)
            page_rows = answer.get("transactions", answer.get("data"))
            is_list = isinstance(page_rows, list) and all(isinstance(row, dict) and "id" in row for row in page_rows)
            if not is_list: raise MomoError("unknown", "/transactions.php: no list", True)
            count_before = len(rows)
            rows.update((row["id"], row) for row in page_rows)
            if len(page_rows) < (answer.get("pagination") or {}).get("per_page", 100): break
            if len(rows) == count_before: raise MomoError("unknown", "/transactions.php: the same page again", True)
        return [row for row in rows.values() if status in (None, row.get("status"))]

    def _call(self, path, body=None):
        """The answer, if it is the service's and a success."""
        answers = [MomoError("unknown", f"{path}: no answer in time", True)]
        sender = threading.Thread(target=lambda: answers.append(self._send(path, body)), daemon=True)
        sender.start()
        sender.join(self.timeout)  # the time-out of a socket is for each byte
        if isinstance(answers[-1], MomoError): raise answers[-1]
        return answers[-1]
    def _send(self, path, body):
        status = ""
        try:
            sent = request.Request(self.service + path, body and json.dumps(body).encode(), self.headers)
            with request.build_opener(_AsItIs).open(sent, timeout=self.timeout) as response:
                status = response.status
                retry_after = response.headers.get("Retry-After") or ""
                self.retry_after = min(int(retry_after), 60) if re.fullmatch("[0-9]{1,9}", retry_after) else 0
                answer = json.loads(response.read(10_000_000))
            if status == 200 and answer["success"] is True: return answer
            kind = _kind_of_failure(status, answer)
            return MomoError(kind, answer["message"], kind == "unknown")
        except Exception as error:
            is_address = re.match(r"(?i)https?://([^/[]|\[[^]/]*])", self.service)
            is_unsent = not is_address or type(getattr(error, "reason", error)).__name__ in UNSENT
            kind = "unreachable" if is_unsent and not status else "unknown"
            return MomoError(kind, f"{path}: no answer of the service ({status or error})", kind == "unknown")
    def _now_ms(self): return round(self.now() * 1000)

    def _read(self, key):
        order = _stored(key, True, lambda: self.store.get(key))
        service = order.get("service", "another program") if isinstance(order, dict) else "another program"
        if order is None or service == self.service: return order
        raise MomoError("usage", f"{key} is an order of {service}, not of {self.service}: use another folder")
    def _known(self, key, charge=None):
        """The stored order, which must be there, and be of this phone and amount if they are given."""
        order = self._read(key)
        if order is None: raise MomoError("refused", f"{key} has not been started")
        if order != {**order, **(charge or {})}:
            raise MomoError("usage", f"{key} is an order of {order['phone']} for {order['amount']} already")
        return order
    def _write(self, key, order):
        _stored(key, True, lambda: self.store.set(key, order))
        return _shown(order)

def _is_final(order): return order.get("status") in FINAL
def _shown(order): return order if _is_final(order) else {**order, "may_have_paid": True}

def _pushed_as(reference, token):
    """The reference for the service, at most 100 characters. A search for it finds no other order, and none of earlier."""
    return f"{str(reference)[:91]}~{token}"

def _stored(name, may_have_paid, action):
    try:
        return action()
    except Exception as error:
        doubt = "; the customer may have paid" if may_have_paid else ""
        raise MomoError("store", f"{name} cannot be read or stored: {error}{doubt}", may_have_paid) from error

def _kind_of_failure(status, answer):
    """Only a refusal by the service itself says that nothing was pushed."""
    if answer["success"] is not False: return "unknown"
    if status == 401: return "credentials"
    if status == 500 and str(answer["message"]).startswith("STK push initiation failed"):  # §4.1
        return "not_started"
    return "refused" if 400 <= status < 500 and status not in (408, 429) else "unknown"
def _check(name, value, pattern, rule):
    match = re.fullmatch(pattern, str(value))
    if not match: raise MomoError("usage", f"{name} must be {rule}; it is {value!r}")
    return match

def _key(reference):
    """The name of an order in the store. The service ignores the case of a reference."""
    rule = "1 to 100 printable characters of ASCII without ~, no space at its ends"
    return _check("reference", reference, r"(?! )[ -}]{1,100}(?<! )", rule)[0].lower()
def _charge(phone, amount):
    digits = re.sub(r"[ ().-]", "", str(phone))
    number = _check("phone", digits, r"(?:[+]?254|0|(?=[17][0-9]{8}$))([0-9]{9})", "such as 0712345678")[1]
    rule = "a number from 1, with two decimals at most"
    value = float(_check("amount", amount, r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", rule)[0])
    return {"phone": "254" + number, "amount": int(value) if value.is_integer() else value}

# The commands, with the number of their arguments.
COMMANDS = {"pay": 3, "start": 3, "find": 3, "wait": 1, "ask": 1, "open": 0}
VARIABLES = ("MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID")
USAGE = "client.py pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with "

def _run_command(command="", *arguments):
    base_url, api_key, api_secret, account = [os.environ.get(name, "") for name in VARIABLES]
    is_complete = base_url and api_key and api_secret and re.fullmatch("[1-9][0-9]{0,14}", account)
    if not is_complete or COMMANDS.get(command) != len(arguments): raise MomoError("usage", USAGE + ", ".join(VARIABLES))
    store = FileStore(os.environ.get("MOMO_ORDERS") or "momo-orders")
    return getattr(Client(base_url, api_key, api_secret, int(account), store), command)(*arguments)

if __name__ == "__main__":
    try:
        result = _run_command(*sys.argv[1:])
        is_order = isinstance(result, dict)
        code = FINAL.get(result["status"], 13) if is_order else 3 if result is None else 0
    except Exception as error:
        kind = getattr(error, "kind", "unexpected")
        code = ERRORS.get(kind, 1)
        result = {"error": {"code": kind, "message": str(error), "may_have_paid": getattr(error, "may_have_paid", True)}}
    print(json.dumps(result, ensure_ascii=False))
    sys.exit(code)
