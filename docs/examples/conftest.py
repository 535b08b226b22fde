# conftest.py: a sandbox for pytest, with the standard library alone
import json
import os
import subprocess
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest


class Sandbox:
    """Where a sandbox is, and what steers it. Durations are text such as "3s"."""

    def __init__(self, base_url, api_key, api_secret, payment_account_id, control_url, control_token=None):
        self.base_url = base_url
        self.api_key = api_key
        self.api_secret = api_secret
        self.payment_account_id = int(payment_account_id)
        self.control_url = control_url
        self.control_token = control_token

    def control(self, method, path, body=None):
        """Any call of the control API."""
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

    def add_rule(self, **rule):
        self.control("POST", "/rules", rule)

    def set_faults(self, *faults, seed=None):
        self.control("PUT", "/faults", {"faults": faults, **({} if seed is None else {"seed": seed})})

    def freeze(self):
        self.control("POST", "/clock", {"freeze": True})

    def advance(self, duration):
        self.control("POST", "/clock", {"advance": duration})

    def wait(self, reference, until="final", timeout="10s"):
        question = {"reference": reference, "until": until, "timeout": timeout}
        return self.control("POST", "/wait", question)["transaction"]

    def audit(self):
        return self.control("GET", "/audit?over=true")

    def reset(self):
        self.control("POST", "/reset", {})


@pytest.fixture(scope="session")
def momo_server():
    """One for the run, or for each worker of pytest-xdist; the one of momo exec if that runs the tests."""
    if "MOMO_CONTROL_URL" in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        names = ["BASE_URL", "API_KEY", "API_SECRET", "PAYMENT_ACCOUNT_ID", "CONTROL_URL", "CONTROL_TOKEN"]
        yield Sandbox(*[os.environ.get("MOMO_" + name) for name in names])
        return
    command = "momo serve --ephemeral --port 0 --json --quiet --until-stdin-closes"
    env = {name: value for name, value in os.environ.items() if not name.startswith("MOMO_")}
    with subprocess.Popen(command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as server:
        ready = json.loads(server.stdout.readline())
        names = ["base_url", "api_key", "api_secret", "payment_account_id", "control_url"]
        yield Sandbox(*[ready[name] for name in names])


@pytest.fixture
def momo(momo_server):
    """The sandbox, empty and frozen."""
    momo_server.reset()
    momo_server.freeze()
    return momo_server
