import { afterAll, expect } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { testWith } from "../../support/needs.ts";
import { startSession } from "./session.ts";

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

/** A client that never asks for its payment, which the customer pays, and a test that goes wrong for another reason. */
const WRONG_CLIENT_TEST = `
import json
from urllib.request import Request, urlopen

def start(momo):
    headers = {"X-API-Key": momo.api_key, "X-API-Secret": momo.api_secret, "Content-Type": "application/json"}
    push = {"payment_account_id": momo.payment_account_id, "phone": "0712345678", "amount": 100, "reference": "ORDER-0001"}
    urlopen(Request(momo.base_url + "/stkpush.php", json.dumps(push).encode(), headers))
    momo.advance("3s")

def test_forgets_a_payment(momo):
    start(momo)

def test_forgets_another(momo):
    start(momo)

def test_fails_by_itself(momo):
    start(momo)
    assert False

def test_is_innocent(momo):
    momo.advance("3s")
`;

testWith(["pytest"], "docs/examples/conftest.py fails each test in which the client makes a mistake", async () => {
  const { run, variables } = await startTests("test_wrong.py", WRONG_CLIENT_TEST);
  const { stdout, exitCode } = await run("/usr/bin/python3 -m pytest -q test_wrong.py", variables);
  expect(stdout).toContain(
    "end_not_learned: The payment is completed: the customer has paid, and the shop does not know.",
  );
  const summary = stdout.slice(stdout.indexOf("short test summary")).split("\n");
  const failures = summary.flatMap((line) => /^(?:FAILED|ERROR) \S+/.exec(line) ?? []);
  expect({ failures, exitCode }).toEqual({
    failures: [
      "FAILED test_wrong.py::test_fails_by_itself",
      "ERROR test_wrong.py::test_forgets_a_payment",
      "ERROR test_wrong.py::test_forgets_another",
    ],
    exitCode: 1,
  });
});

testWith(["pytest"], "docs/examples/test_shop.py tests the shop, its page and its webhook", async () => {
  const { folder, run, variables } = await startSession();
  for (const name of ["conftest.py", "test_shop.py", "shop.py"]) {
    cpSync(join(ROOT, "docs/examples", name), join(folder, name));
  }
  cpSync(join(ROOT, "clients/client.py"), join(folder, "client.py"));
  const { stdout, exitCode } = await run("/usr/bin/python3 -m pytest -q test_shop.py", variables);
  expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining("7 passed"), exitCode: 0 });
});

testWith(["pytest"], "docs/examples/conftest.py leaves a sandbox alone in which somebody works", async () => {
  const { run, variables } = await startTests("test_wrong.py", WRONG_CLIENT_TEST);
  await run("momo pay 0712345678 100 -q", variables);
  const { stdout: output, exitCode } = await run("/usr/bin/python3 -m pytest -q test_wrong.py", variables);
  expect({ output, exitCode }).toEqual({
    output: expect.stringContaining(
      `the sandbox at ${variables.MOMO_CONTROL_URL} has payments, and each test would remove them: unset MOMO_CONTROL_URL, and the tests start a sandbox`,
    ),
    exitCode: 1,
  });
  const { stdout } = await run("momo list --json", variables);
  expect(JSON.parse(stdout).transactions).toHaveLength(1);
});

testWith(["pytest"], "docs/examples/conftest.py lets the clock run again at the end", async () => {
  const { run, variables } = await startTests(
    "test_innocent.py",
    "def test_is_innocent(momo):\n    momo.advance('3s')\n",
  );
  expect(await run("/usr/bin/python3 -m pytest -q test_innocent.py", variables)).toMatchObject({ exitCode: 0 });
  const { stdout } = await run("momo clock show --json", variables);
  expect(JSON.parse(stdout)).toMatchObject({ frozen: false });
});

testWith(["pytest"], "docs/examples/conftest.py says that no sandbox answers", async () => {
  const { run, variables } = await startTests("test_wrong.py", WRONG_CLIENT_TEST);
  const gone = { ...variables, MOMO_CONTROL_URL: "http://127.0.0.1:1/_momo" };
  const { stdout: output, exitCode } = await run("/usr/bin/python3 -m pytest -q test_wrong.py", gone);
  expect({ output, exitCode }).toEqual({
    output: expect.stringMatching(
      /Exit: no sandbox answers at http:\/\/127\.0\.0\.1:1\/_momo \(.+\): unset MOMO_CONTROL_URL/,
    ),
    exitCode: 1,
  });
});

/** A session with the fixture and a file of tests. */
async function startTests(name: string, text: string) {
  const session = await startSession();
  cpSync(join(ROOT, "docs/examples/conftest.py"), join(session.folder, "conftest.py"));
  writeFileSync(join(session.folder, name), text);
  return session;
}
