"""A client for the mobile-money API in one file, for Python 3.9 and later. Copy it into your program.
    momo = Client(base_url, api_key, api_secret, payment_account_id, FileStore("orders"))
    order = momo.pay("ORDER-0001", "0712345678", 100)
    settle(order)  # yours: it delivers an order that is completed, once
A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
  pending                      the customer is asked: show "Look at your phone."
  unknown                      the answer to the push was lost: the customer may be asked, or not
  completed                    paid; receipt is the network's
  failed, cancelled, expired   not paid; result_code and result_desc say why
  not_started                  not paid: the network refused the push, or the service never got it
While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others never change.
A script calls pay, which waits for two minutes at most. Call it again later, also after a crash: it goes on.
A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask(reference).
A cron runs every minute:  for order in momo.open(): settle(momo.ask(order["reference"]))
Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
A test uses a new folder. If it moves the sandbox's clock, it gives two functions: sleep(seconds) moves that clock,
and now() returns by how many seconds sleep has moved it in all.
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

# The final statuses and the kinds of errors, with the exit codes of the command.
FINAL = {"completed": 0, "failed": 10, "cancelled": 11, "expired": 12, "not_started": 5}
# refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: the store failed.
ERRORS = {"store": 1, "usage": 2, "credentials": 4, "refused": 5, "unreachable": 6, "unknown": 6}

class MomoError(Exception):
    """kind: one of ERRORS. may_have_paid: whether the customer may have paid all the same."""
    def __init__(self, kind, message, may_have_paid=False):
        super().__init__(message)
        self.kind = kind
        self.may_have_paid = may_have_paid

class FileStore:
    """Keeps each order as a file. Processes can share it, in all languages. A store of your own needs these methods."""
    def __init__(self, folder):
        self.folder = Path(folder)
        _use_store("the folder of the orders", False, lambda: self.folder.mkdir(parents=True, exist_ok=True))
    def get(self, key):
        """The order, or None."""
        try:
            return json.loads(self._path(key).read_text("utf-8"))
        except FileNotFoundError:
            return None
    def add(self, key, order):
        """Whether the order was added, and not there already. Of several processes, one succeeds."""
        try:
            self._place(key, order, os.link)
            return True
        except FileExistsError:
            return False
    def set(self, key, order):
        self._place(key, order, os.replace)
    def remove(self, key):
        self._path(key).unlink()
    def keys(self):
        names = [path.stem for path in self.folder.iterdir() if re.fullmatch("([0-9a-f]{2})+[.]json", path.name)]
        return [bytes.fromhex(name).decode() for name in sorted(names)]
    def _path(self, key):
        return self.folder / (key.encode().hex() + ".json")
    def _place(self, key, order, give_name):
        """Writes a whole file, and then gives it its name: a crash leaves no half order."""
        draft = self.folder / (secrets.token_hex(16) + ".draft")
        try:
            with open(draft, "x", encoding="utf-8") as file:
                json.dump(order, file, separators=(",", ":"), ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            give_name(draft, self._path(key))
        finally:
            draft.unlink(missing_ok=True)
        if os.name != "nt":  # Windows syncs no folders
            opened = os.open(self.folder, os.O_RDONLY)
            os.fsync(opened)
            os.close(opened)

class _NoRedirects(request.HTTPErrorProcessor):
    def http_response(self, sent, response):
        return response
    https_response = http_response

class Client:
    """Times are in seconds. An order is not_started once the service has answered for `settled` that it has none."""
    def __init__(self, base_url, api_key, api_secret, payment_account_id, store, *,
                 timeout=10, interval=5, deadline=120, settled=600, now=time.time, sleep=time.sleep):
        self.service = base_url.strip().rstrip("/")
        self.headers = {"X-API-Key": api_key.strip(), "X-API-Secret": api_secret.strip()}
        self.payment_account_id = payment_account_id
        self.store = store
        self.timeout = timeout
        self.interval = interval
        self.deadline = deadline
        self.settled = settled
        self.now = now
        self.sleep = sleep
    def pay(self, reference, phone, amount):
        """Starts an order, or goes on with it, and waits for its end."""
        return self._wait_for_end(self.start(reference, phone, amount))
    def wait(self, reference):
        """Asks until the order is final or the deadline has come."""
        return self._wait_for_end(self.ask(reference))
    def start(self, reference, phone, amount):
        """Starts an order. If it is stored already, it is returned, and nothing is pushed."""
        key = _key_of(reference)
        charge = _charge_of(phone, amount)
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
            "asked_at": round(1000 * self.now()),  # when the service was last asked for it
            "missing_ms": 0,  # for how long the service has answered that it does not have it
        }
        is_stored = _use_store(key, True, lambda: self.store.get(key)) is not None
        if is_stored or not _use_store(key, False, lambda: self.store.add(key, order)):
            stored = self._read(key)
            if stored["phone"] == charge["phone"] and stored["amount"] == charge["amount"]:
                return _with_doubt(stored)
            raise MomoError("usage", f"{key} is an order of {stored['phone']} for {stored['amount']} already")
        payment = {"payment_account_id": self.payment_account_id, **charge, "reference": order["pushed_as"]}
        try:
            answer = self._call("/stkpush.php", payment)
        except MomoError as failure:
            if failure.kind == "unknown":
                return _with_doubt(order)  # it may have been pushed: ask looks for it
            if failure.kind == "not_started":
                return self._save_answer(key, {"status": "not_started", "result_desc": str(failure)}, order)
            _use_store(key, False, lambda: self.store.remove(key))  # it was not pushed
            raise
        status = "pending" if answer.get("checkout_request_id") else "unknown"
        return self._save_answer(key, {**answer, "status": status}, order)
    def ask(self, reference):
        """Asks for an order once, now. If no answer comes, the order stays as it was."""
        key = _key_of(reference)
        order = self._read(key)
        if _is_final(order):
            return order
        now_ms = round(1000 * self.now())
        since_ms = max(0, min(now_ms - order["asked_at"], round(1000 * self.interval)))  # now() can jump
        self._save(key, {**order, "asked_at": now_ms})
        try:
            id = order["checkout_request_id"]
            payment = self._call("/status.php", {"checkout_request_id": id}) if id else self._search(order)
            if payment:
                return self._save_answer(key, payment, order)
            order = self._read(key)
            if order["status"] == "unknown":
                order["missing_ms"] += since_ms  # it may come later: a push can take minutes
                if order["missing_ms"] >= 1000 * self.settled:
                    order["status"] = "not_started"
            return self._save(key, order)
        except MomoError as failure:
            failure.may_have_paid = True
            if failure.kind in ("store", "credentials"):
                raise
            return _with_doubt(self._read(key, order))
    def open(self):
        """The orders that are not final."""
        keys = _use_store("the folder of the orders", True, self.store.keys)
        orders = [self._read(key) for key in keys]
        return [_with_doubt(order) for order in orders if not _is_final(order)]
    def find(self, reference, phone, amount):
        """The payment of an order as the list shows it, or None. The order need not be stored."""
        _key_of(reference)
        return self._search({"pushed_as": _pushed_as(reference, ""), **_charge_of(phone, amount)})
    def list(self, status=None, **filters):
        """All payments, newest first. None is there twice or left out, also if payments arrive or change meanwhile."""
        rows = {}
        for page in range(1, sys.maxsize):
            query = parse.urlencode({**filters, "page": page, "limit": 100}, quote_via=parse.quote)
            answer = self._call(f"/transactions.php?{query}")
            page_rows = answer.get("transactions", answer.get("data"))
            is_list = isinstance(page_rows, list) and all(isinstance(row, dict) and "id" in row for row in page_rows)
            is_last = is_list and len(page_rows) < (answer.get("pagination") or {}).get("per_page", 100)
            is_new = is_list and any(row["id"] not in rows for row in page_rows)
            if not is_last and not is_new:
                raise MomoError("unknown", "/transactions.php: no list, or the same page again", True)
            rows.update((row["id"], row) for row in page_rows)
            if is_last:  # a status can change between two pages, so it is compared at the end
                return [row for row in rows.values() if status in (None, row.get("status"))]
    def _wait_for_end(self, order):
        key = _key_of(order["reference"])
        waited = 0
        while not _is_final(order) and waited < self.deadline:
            pause = min(self.interval, self.deadline)
            before = time.monotonic()  # now() can jump
            self.sleep(pause)
            stored = self._read(key)
            is_asked_by_other = stored["asked_at"] != order["asked_at"]
            order = _with_doubt(stored) if is_asked_by_other else self.ask(key)
            waited += max(pause, time.monotonic() - before)
        return order
    def _save_answer(self, key, payment, fallback):
        """Stores what the service says of the payment."""
        order = self._read(key, fallback)  # a file that was removed is written again
        if _is_final(order):
            return order  # another process was faster
        order["checkout_request_id"] = order["checkout_request_id"] or payment.get("checkout_request_id")
        if payment.get("status") == "pending" or _is_final(payment):
            order["status"] = payment["status"]
        order["receipt"] = payment.get("momo_receipt_number")
        order["result_code"] = payment.get("result_code")
        order["result_desc"] = payment.get("result_desc")
        return self._save(key, order)
    def _search(self, order):
        """A search finds what begins with its text, and rows have no reference: compare phone and amount, too."""
        rows = [row for row in self.list(search=order["pushed_as"]) if row.get("amount") == order["amount"]]
        own = [row for row in rows if str(row.get("phone")).endswith(order["phone"][3:])]
        paid = [row for row in own if row.get("status") == "completed"]
        return next(iter(paid + own), None)
    def _call(self, path, body=None):
        """The answer of the service, if it is a success."""
        answers = [MomoError("unknown", f"{path}: no answer in time", True)]
        sender = threading.Thread(target=lambda: answers.append(self._answer_or_error(path, body)), daemon=True)
        sender.start()
        sender.join(self.timeout)  # the time-out of urllib is for each byte
        answer = answers[-1]  # read once: the thread goes on
        if isinstance(answer, MomoError):
            raise answer
        return answer
    def _answer_or_error(self, path, body):
        headers = {**self.headers, "Content-Type": "application/json"}
        status = None
        try:
            sent = request.Request(self.service + path, body and json.dumps(body).encode(), headers)
            parse.urlsplit(self.service).port  # a ValueError, if it is no address
            with request.build_opener(_NoRedirects).open(sent, timeout=self.timeout) as response:
                status = response.status
                answer = json.loads(response.read(10_000_000))
            if status == 200 and answer["success"] is True:
                return answer
            is_refusal = answer["success"] is False  # without one, it may have been pushed
            kind = "unknown"
            if is_refusal and status == 500 and str(answer["message"]).startswith("STK push initiation failed"):
                kind = "not_started"  # §4.1
            if is_refusal and 400 <= status < 500 and status not in (408, 429):
                kind = "credentials" if status == 401 else "refused"
            return MomoError(kind, answer["message"], kind == "unknown")
        except Exception as failure:
            is_sent = status is not None or not isinstance(failure, (error.URLError, ValueError))  # they come before
            kind = "unknown" if is_sent else "unreachable"
            return MomoError(kind, f"{path}: no answer of the service ({status or failure})", is_sent)
    def _read(self, key, fallback=None):
        """The stored order. If there is none, the fallback or an error."""
        stored = _use_store(key, True, lambda: self.store.get(key))
        order = fallback if stored is None else stored
        if order is None:
            raise MomoError("refused", f"{key} has not been started")
        service = order.get("service", "another program") if isinstance(order, dict) else "another program"
        if service == self.service:
            return order
        raise MomoError("usage", f"{key} is an order of {service}, not of {self.service}: use another folder")
    def _save(self, key, order):
        _use_store(key, True, lambda: self.store.set(key, order))
        return _with_doubt(order)

def _is_final(order):
    return order.get("status") in FINAL
def _with_doubt(order):
    return order if _is_final(order) else {**order, "may_have_paid": True}
def _pushed_as(reference, token):
    """The reference for the service, at most 100 characters. The token tells it from an earlier order of this name."""
    return f"{str(reference)[:91]}~{token}"
def _use_store(name, may_have_paid, action):
    try:
        return action()
    except Exception as failure:
        doubt = "; the customer may have paid" if may_have_paid else ""
        raise MomoError("store", f"{name} cannot be read or stored: {failure}{doubt}", may_have_paid) from failure

def _key_of(reference):
    """The name of an order in the store. The service ignores the case of a reference."""
    if reference is not None and re.fullmatch(r"(?! )[ -}]{1,100}(?<! )", str(reference)):
        return str(reference).lower()
    rule = "1 to 100 printable ASCII characters, without ~ and outer spaces"
    raise MomoError("usage", f"reference must be {rule}; it is {reference!r}")
def _charge_of(phone, amount):
    match = re.fullmatch(r"(?:[+]?254|0|(?=[17][0-9]{8}$))([0-9]{9})", re.sub(r"[ ().-]", "", str(phone)))
    if not match:
        raise MomoError("usage", f"phone must be such as 0712345678; it is {phone!r}")
    if not re.fullmatch(r"[1-9][0-9]{0,8}([.][0-9]{1,2})?", str(amount)):
        raise MomoError("usage", f"amount must be from 1, with two decimals at most; it is {amount!r}")
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
        store = FileStore(os.environ.get("MOMO_ORDERS") or "momo-orders")
        result = getattr(Client(base_url, api_key, api_secret, int(account), store), command)(*arguments)
        code = FINAL.get(result["status"], 13) if isinstance(result, dict) else 0
        if result is None:
            code = 3  # find has found nothing
    except Exception as failure:
        kind = getattr(failure, "kind", "unexpected")
        code = ERRORS.get(kind, 1)
        doubt = getattr(failure, "may_have_paid", True)
        result = {"error": {"code": kind, "message": str(failure), "may_have_paid": doubt}}
    print(json.dumps(result, ensure_ascii=False))
    sys.exit(code)
