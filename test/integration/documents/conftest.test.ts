import { afterAll, expect } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { testWith } from "../../support/needs.ts";
import { startSession } from "./session.ts";

/** The fixture of pytest that people copy, docs/examples/conftest.py. */

afterAll(cleanUp);

/** Runs a file of tests with the fixture. @returns what pytest prints, its exit code, and the session */
async function pytest(file: string, text: string, { before = "", flags = "", env = {} } = {}) {
  const session = await startSession();
  cpSync(join(ROOT, "docs/examples/conftest.py"), join(session.folder, "conftest.py"));
  writeFileSync(join(session.folder, file), text);
  await session.run(before, session.variables);
  const given = { ...session.variables, ...env };
  const { stdout, exitCode } = await session.run(`/usr/bin/python3 -m pytest -q ${flags} ${file}`, given);
  const read = async (command: string) => JSON.parse((await session.run(command, session.variables)).stdout);
  return { ...session, ended: { stdout, exitCode }, read };
}

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
  const { folder, variables, ended } = await pytest("test_workers.py", WORKERS_TEST, { flags: "-n 2" });
  expect(ended).toEqual({ stdout: expect.stringContaining("6 passed"), exitCode: 0 });
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
  const { stdout, exitCode } = (await pytest("test_wrong.py", WRONG_CLIENT_TEST)).ended;
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
  const files = ["docs/examples/test_shop.py", "docs/examples/shop.py", "clients/client.py"];
  const before = files.map((file) => `cp '${join(ROOT, file)}' .`).join("\n");
  const text = readFileSync(join(ROOT, "docs/examples/test_shop.py"), "utf8");
  const { ended } = await pytest("test_shop.py", text, { before });
  expect(ended).toEqual({ stdout: expect.stringContaining("7 passed"), exitCode: 0 });
});

testWith(["pytest"], "docs/examples/conftest.py leaves a sandbox alone in which somebody works", async () => {
  const before = "momo pay 0712345678 100 -q";
  const { variables, ended, read } = await pytest("test_wrong.py", WRONG_CLIENT_TEST, { before });
  expect(ended).toEqual({
    stdout: expect.stringContaining(
      `the sandbox at ${variables.MOMO_CONTROL_URL} has payments, and each test would remove them: unset MOMO_CONTROL_URL, and the tests start a sandbox`,
    ),
    exitCode: 1,
  });
  expect((await read("momo list --json")).transactions).toHaveLength(1);
});

testWith(["pytest"], "docs/examples/conftest.py lets the clock run again at the end", async () => {
  const text = "def test_is_innocent(momo):\n    momo.advance('3s')\n";
  const { ended, read } = await pytest("test_innocent.py", text);
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(await read("momo clock show --json")).toMatchObject({ frozen: false });
});

testWith(["pytest"], "docs/examples/conftest.py says that no sandbox answers", async () => {
  const env = { MOMO_CONTROL_URL: "http://127.0.0.1:1/_momo" };
  const { ended } = await pytest("test_wrong.py", WRONG_CLIENT_TEST, { env });
  expect(ended).toEqual({
    stdout: expect.stringMatching(
      /Exit: no sandbox answers at http:\/\/127\.0\.0\.1:1\/_momo \(.+\): unset MOMO_CONTROL_URL/,
    ),
    exitCode: 1,
  });
});
