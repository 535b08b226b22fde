"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program, and keep it.

    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("orders"))
    result = momo.pay("ORDER-0001", "0712345678", 100)  # status completed: deliver, once for each order

A reference is an order: stored before the push, pushed once (as REFERENCE~: no other one begins with it), never again.
After a failure, a new try needs another one. Called again (after a crash), pay goes on. Tests: a new folder each run.
Statuses: completed, failed, cancelled, expired, not_started (known, for good); pending, unknown (may be paid)."""
import contextlib, json, os, re, sys, tempfile, threading, time
from urllib import parse, request

CODES = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}
ERRORS = {"usage": 2, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6}
UNSENT = ("ConnectionRefusedError", "gaierror", "SSLCertVerificationError", "InvalidURL")  # raised before anything is sent

class MomoError(Exception):
    """kind: one of ERRORS. may_have_paid: whether the customer may have paid all the same."""
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.may_have_paid = kind, kind == "unknown"

class FileStore:
    """Orders as files in a folder. Several processes may share it. add: whether the order was not there already."""
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self._path = lambda key: os.path.join(folder, key.encode().hex() + ".json")

    def _draft(self, order):
        number, path = tempfile.mkstemp(dir=self.folder)
        with open(number, "wb", buffering=0) as file:
            file.write(json.dumps(order).encode())
            os.fsync(number)
        return path

    def get(self, key):
        with contextlib.suppress(FileNotFoundError), open(self._path(key)) as file:
            return json.load(file)

    def add(self, key, order):
        draft = self._draft(order)
        try:
            return os.link(draft, self._path(key)) is None
        except FileExistsError:
            return False
        finally:
            os.remove(draft)

    def set(self, key, order): os.replace(self._draft(order), self._path(key))
    def remove(self, key): os.remove(self._path(key))

class _AsItIs(request.HTTPErrorProcessor):  # follows no redirect, and raises for no status
    http_response = https_response = lambda self, sent, response: response

class Client:
    """Times are in seconds. settled: a push that is nowhere so long after it was sent has not started."""
    def __init__(self, base_url, api_key, api_secret, payment_account_id, store, *, timeout=10, interval=5,
                 deadline=120, settled=600, now=time.time, sleep=time.sleep):
        self.base_url, self.account, self.store = base_url, payment_account_id, store
        self.headers = {"X-API-Key": api_key.strip(), "X-API-Secret": api_secret.strip(), "Content-Type": "application/json"}
        self.timeout, self.interval, self.deadline, self.settled = timeout, interval, deadline, settled
        self.now, self.sleep, self.opener = now, sleep, request.build_opener(_AsItIs)

    def pay(self, reference, phone, amount):
        """Starts a payment and waits, or goes on with it."""
        return self.start(reference, phone, amount) and self.wait(reference)

    def start(self, reference, phone, amount):
        """Starts a payment, or returns what is stored of it. It never pushes twice."""
        key, charge, now = _key(reference), _charge(phone, amount), self.now()
        order = dict(charge, reference=reference, status="unknown", checkout_request_id=None, started_at=now, asked_at=now)
        if not self.store.add(key, order):
            known = self._order(key)
            if known == {**known, **charge}:
                return known
            raise MomoError("usage", f"{reference} is an order of {known['phone']} for {known['amount']} already")
        try:
            body = {"payment_account_id": self.account, **charge, "reference": (reference + "~")[:100]}
            return self._save(key, self._call("/stkpush.php", body))
        except MomoError as error:
            if error.kind == "unknown":
                return order  # it may have been received: wait looks for it
            self.store.remove(key)
            raise

    def wait(self, reference):
        """Asks until the status is final or the deadline has come, and never takes no answer for an answer."""
        key, until = _key(reference), self.now() + self.deadline
        while (order := self._ask(key))["status"] not in CODES and self.now() < until:
            self.sleep(self.interval)
        return order if order["status"] in CODES else {**order, "may_have_paid": True}

    def _ask(self, key):
        order, now = self._order(key), self.now()
        if order["status"] in CODES or abs(now - order["asked_at"]) < self.interval:
            return order
        self.store.set(key, {**order, "asked_at": now})  # others that wait for it do not ask as well
        try:
            if order["checkout_request_id"]:
                return self._save(key, self._call("/status.php", {"checkout_request_id": order["checkout_request_id"]}))
            row = self.find(order["reference"], order["phone"], order["amount"], order["started_at"])
            is_over = now - order["started_at"] >= self.settled and not self._order(key)["checkout_request_id"]
            return self._save(key, row or ({"status": "not_started"} if is_over else {}))
        except MomoError as error:
            error.may_have_paid = True
            if error.kind == "credentials":
                raise
            return order

    def _order(self, key):
        if order := self.store.get(key):
            return order
        raise MomoError("refused", f"{key} has not been started")

    def _save(self, key, answer):
        order = self._order(key)  # others may have been faster
        if order["status"] not in CODES:
            order["status"] = answer["status"] if answer.get("status") in ("pending", *CODES) else order["status"]
            order["checkout_request_id"] = order["checkout_request_id"] or answer.get("checkout_request_id")
            self.store.set(key, order)
        return order

    def find(self, reference, phone, amount, at=0):
        """The payment of an order, or None. Phone, amount and time (`at` or later) of each row are compared, too."""
        _, charge = _key(reference), _charge(phone, amount)
        day = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(max(0, at - 75_600)))  # a day before, in Nairobi
        is_charge = lambda row: row.get("amount") == charge["amount"] and str(row.get("phone"))[-9:] == charge["phone"][3:]
        is_own = lambda row: is_charge(row) and str(row.get("created_at")) >= day
        first = lambda search: next(filter(is_own, self.list(search=search)), None)
        return first((reference + "~")[:100]) or (None if at else first(reference))  # other programs push it as it is

    def list(self, status=None, **filters):
        """All rows, newest first: none twice, none left out, also while payments arrive."""
        rows = {}
        for page in range(1, sys.maxsize):
            query = parse.urlencode({**filters, "page": page, "limit": 100}, quote_via=parse.quote)
            answer = self._call("/transactions.php?" + query)
            shown = answer.get("transactions", answer.get("data"))
            is_list = isinstance(shown, list) and all(isinstance(row, dict) for row in shown)
            if not is_list or page * 50 > len(rows) + 1000:
                raise MomoError("unknown", "/transactions.php: no list, or the same page again and again")
            rows.update((row.get("id"), row) for row in shown)
            if len(shown) < 100:  # a status changes while the pages are read, so the service must not filter by it
                return [row for row in rows.values() if status in (None, row.get("status"))]

    def _call(self, path, body=None):
        """The answer, if it is the service's and a success."""
        answers = [MomoError("unknown", f"{path}: no answer in time")]
        sender = threading.Thread(target=lambda: answers.append(self._send(path, body)), daemon=True)
        sender.start()
        sender.join(self.timeout)  # the time-out of a socket is for each byte
        if isinstance(answers[-1], MomoError):
            raise answers[-1]
        return answers[-1]

    def _send(self, path, body):
        try:
            sent = request.Request(self.base_url + path, body and json.dumps(body).encode(), self.headers)
            with self.opener.open(sent, timeout=self.timeout) as response:
                status, answer = response.status, json.loads(response.read(10_000_000))
            if status == 200 and answer["success"] is True:
                return answer
            is_refusal = 400 <= status < 500 and status not in (408, 429) and answer["success"] is False
            kind = "unknown" if not is_refusal else "credentials" if status == 401 else "refused"
            return MomoError(kind, f"{path}: {status} {answer['message']}")
        except Exception as error:
            is_address = re.match(r"(?i)https?://([^/[]|\[[^]/]*])", self.base_url)
            kind = "unknown" if is_address and type(getattr(error, "reason", error)).__name__ not in UNSENT else "unreachable"
            return MomoError(kind, f"{path}: no answer ({error if is_address else self.base_url + ' is not an address'})")

def _checked(what, value, pattern, rule):
    if found := re.fullmatch(pattern, str(value)):
        return found
    raise MomoError("usage", f"{what} must be {rule}; it is {value!r}")

def _key(reference):
    rule = "1 to 100 printable characters of ASCII without ~, no space at its ends"
    return _checked("reference", reference, r"(?! )[ -}]{1,100}(?<! )", rule)[0].lower()  # the service ignores the case

def _charge(phone, amount):
    number, pattern = re.sub(r"[ ().-]", "", str(phone)), r"(?:[+]?254|0|(?=[17][0-9]{8}$))([0-9]{9})"
    digits = _checked("phone", number, pattern, "such as 0712345678")[1]
    pattern, rule = r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", "a number from 1, with two decimals at most"
    value = float(_checked("amount", amount, pattern, rule)[0])
    return {"phone": "254" + digits, "amount": int(value) if value.is_integer() else value}

if __name__ == "__main__":
    names = ("MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID")
    try:
        url, api_key, api_secret, account = values = [os.environ.get(name, "") for name in names]
        if sys.argv[1:2] not in (["pay"], ["find"]) or len(sys.argv) != 5 or not all(values) or not account.isdigit():
            raise MomoError("usage", f"client.py pay|find REFERENCE PHONE AMOUNT, with {', '.join(names)}")
        momo = Client(url, api_key, api_secret, int(account), FileStore(os.environ.get("MOMO_ORDERS", "momo-orders")))
        result = getattr(momo, sys.argv[1])(*sys.argv[2:])
        code = CODES.get(result["status"], 13) if result else 3
    except Exception as error:
        kind = getattr(error, "kind", "unexpected")
        result, code = {"error": {"code": kind, "message": str(error)}}, ERRORS.get(kind, 1)
    print(json.dumps(result))
    sys.exit(code)
