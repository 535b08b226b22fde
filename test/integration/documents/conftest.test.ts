import { afterAll, expect } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { startSession } from "../../support/documents.ts";
import { testWith } from "../../support/needs.ts";

/** The fixture of pytest that people copy, docs/examples/conftest.py. */

afterAll(cleanUp);

/** Tests that notice one another, if they share a sandbox: each is in two workers at once. */
const WORKERS_TEST = `
import os, pathlib, pytest

@pytest.mark.parametrize("number", range(6))
def test_has_its_own_sandbox(momo, number):
    pathlib.Path(os.environ["PYTEST_XDIST_WORKER"]).write_text(momo.control_url)
    payment = {"payment_account_id": momo.payment_account_id, "kind": "api", "amount": 1 + number, "reference": str(number)}
    for phone in ("0712345678", "0799000111"):
        momo.control("POST", "/payments", {**payment, "phone": phone})
    assert momo.control("GET", "/transactions")["pagination"]["total_items"] == 2
`;

testWith(["pytest-xdist"], "docs/examples/conftest.py gives each worker of pytest -n its own sandbox", async () => {
  const { folder, run, variables } = await startSession();
  cpSync(join(ROOT, "docs/examples/conftest.py"), join(folder, "conftest.py"));
  writeFileSync(join(folder, "test_workers.py"), WORKERS_TEST);
  const { stdout, exitCode } = await run("/usr/bin/python3 -m pytest -q -n 2 test_workers.py", variables);
  expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining("6 passed"), exitCode: 0 });
  const places = ["gw0", "gw1"].map((worker) => readFileSync(join(folder, worker), "utf8"));
  expect(new Set([...places, variables.MOMO_CONTROL_URL]).size).toBe(3);
});

/** A client that never asks for its payment, which the customer pays. */
const WRONG_CLIENT_TEST = `
import json
from urllib.request import Request, urlopen

def test_starts_a_payment(momo):
    headers = {"X-API-Key": momo.api_key, "X-API-Secret": momo.api_secret, "Content-Type": "application/json"}
    push = {"payment_account_id": momo.payment_account_id, "phone": "0712345678", "amount": 100, "reference": "ORDER-0001"}
    urlopen(Request(momo.base_url + "/stkpush.php", json.dumps(push).encode(), headers))
    momo.advance("3s")
`;

testWith(["pytest"], "docs/examples/conftest.py says which mistakes the client made", async () => {
  const { folder, run, variables } = await startSession();
  cpSync(join(ROOT, "docs/examples/conftest.py"), join(folder, "conftest.py"));
  writeFileSync(join(folder, "test_wrong.py"), WRONG_CLIENT_TEST);
  const { stdout, exitCode } = await run("/usr/bin/python3 -m pytest -q test_wrong.py", variables);
  const mistake = "error end_not_learned: The payment is completed: the customer has paid, and the shop does not know.";
  expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining(mistake), exitCode: 1 });
});
