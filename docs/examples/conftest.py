# conftest.py: a sandbox for pytest, with the standard library alone
import json
import math
import os
import shutil
import subprocess
from contextlib import contextmanager
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

FAILS_A_TEST = ["error"]  # of the audit; also "warning", and "note"

class Sandbox:
    """Where a sandbox is, and what steers it. A duration is text such as "3s", or a number of seconds. Another member of
    a rule or a fault is as in the control API."""

    def __init__(self, base_url, api_key, api_secret, payment_account_id, control_url, control_token=None):
        self.base_url = base_url
        self.api_key = api_key
        self.api_secret = api_secret
        self.payment_account_id = int(payment_account_id)
        self.control_url = control_url
        self.control_token = control_token

    def control(self, method, path, body=None):
        """Any call of the control API, such as control("PUT", "/webhook", {"url": address})."""
        headers = {"Content-Type": "application/json"}
        if self.control_token:
            headers["Authorization"] = "Bearer " + self.control_token
        content = None if body is None else json.dumps(body).encode()
        request = Request(self.control_url + path, content, headers, method=method)
        try:
            with build_opener(ProxyHandler({})).open(request) as answer:
                return json.load(answer)
        except HTTPError as refusal:
            raise RuntimeError(json.load(refusal)["message"]) from None

    def variables(self):
        """What a shop reads, if it runs in this process or in one that the test starts."""
        return {
            "MOMO_BASE_URL": self.base_url,
            "MOMO_API_KEY": self.api_key,
            "MOMO_API_SECRET": self.api_secret,
            "MOMO_PAYMENT_ACCOUNT_ID": str(self.payment_account_id),
        }

    def add_rule(self, outcome, after=None, **rule):
        if after is not None:
            rule["after"] = in_words(after)
        self.control("POST", "/rules", {"outcome": outcome, **rule})

    def add_fault(self, kind, delay=None, **fault):
        if delay is not None:
            fault["delay"] = in_words(delay)
        self.control("POST", "/faults", {"kind": kind, **fault})

    def set_webhook(self, url, **webhook):
        """From now on, each payment that ends is sent there."""
        self.control("PUT", "/webhook", {"url": url, **webhook})

    def freeze(self):
        self.control("POST", "/clock", {"freeze": True})

    def advance(self, duration):
        self.control("POST", "/clock", {"advance": in_words(duration)})

    def wait(self, order, until="final", timeout="10s"):
        """Waits for an order of the client until the payment is final, or has a status."""
        question = {"reference": order["service_reference"]}
        if order["checkout_request_id"]:
            question = {"checkout_request_id": order["checkout_request_id"]}
        question.update(until=until, timeout=in_words(timeout))
        return self.control("POST", "/wait", question)["transaction"]

    def now(self):
        """The sandbox's time, in seconds since 1970. A client that waits needs it."""
        return self.control("GET", "/clock")["now_ms"] / 1000

    def payments(self):
        """How many there are."""
        return self.control("GET", "/transactions?limit=1")["pagination"]["total_items"]

    def audit(self):
        return self.control("GET", "/audit?over=true")

    def mistakes(self):
        """How often the client made each mistake, in all tests: a reset forgets none."""
        found = [finding for finding in self.audit()["findings"] if finding["severity"] in FAILS_A_TEST]
        return {f"{finding['kind']}: {finding['message']}": finding["count"] for finding in found}

    def reset(self):
        self.control("POST", "/reset", {})


def in_words(duration):
    return duration if isinstance(duration, str) else f"{math.ceil(duration * 1000)}ms"


@contextmanager
def connect_sandbox():
    """The sandbox of MOMO_CONTROL_URL. It must be empty: each test resets it."""
    names = ["BASE_URL", "API_KEY", "API_SECRET", "PAYMENT_ACCOUNT_ID", "CONTROL_URL", "CONTROL_TOKEN"]
    missing = ["MOMO_" + name for name in names[:-1] if not os.environ.get("MOMO_" + name)]
    if missing:
        pytest.exit(f"{', '.join(missing)} is missing: set all that momo env prints, or none", 1)
    sandbox = Sandbox(*[os.environ.get("MOMO_" + name) for name in names])
    advice = "unset MOMO_CONTROL_URL, and the tests start a sandbox"
    try:
        payments = sandbox.payments()
    except URLError as error:
        pytest.exit(f"no sandbox answers at {sandbox.control_url} ({error.reason}): {advice}", 1)
    if payments > 0:
        pytest.exit(f"the sandbox at {sandbox.control_url} has payments, and each test would remove them: {advice}", 1)
    yield sandbox
    sandbox.control("POST", "/clock", {"resume": True})


@contextmanager
def start_sandbox():
    command = "momo serve --ephemeral --port 0 --json --quiet --until-stdin-closes"
    env = {name: value for name, value in os.environ.items() if not name.startswith("MOMO_")}
    if shutil.which("momo") is None:
        raise RuntimeError("there is no momo on the path")
    with subprocess.Popen(command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as server:
        line = server.stdout.readline()
        if not line:
            raise RuntimeError("momo serve does not start; it says why on stderr")
        ready = json.loads(line)
        names = ["base_url", "api_key", "api_secret", "payment_account_id", "control_url"]
        yield Sandbox(*[ready[name] for name in names])


@pytest.fixture(scope="session")
def momo_server():
    """One for the run, or for each worker of pytest-xdist; the one that MOMO_CONTROL_URL names, as in momo exec."""
    is_named = "MOMO_CONTROL_URL" in os.environ and "PYTEST_XDIST_WORKER" not in os.environ
    with connect_sandbox() if is_named else start_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def momo(momo_server, request):
    """The sandbox, empty and frozen. A test in which the client makes an error fails at its end."""
    momo_server.reset()
    momo_server.freeze()
    before = momo_server.mistakes()
    failed = request.session.testsfailed
    yield momo_server
    momo_server.reset()  # what the client has not learned by now, it never learns
    mistakes = [mistake for mistake, count in momo_server.mistakes().items() if count > before.get(mistake, 0)]
    if mistakes and request.session.testsfailed == failed:  # a test that has failed may have ended too early
        pytest.fail("momo found mistakes of the client:\n" + "\n".join(mistakes), pytrace=False)
