import { expect, test } from "bun:test";
import { HOST } from "../../support/control.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

/** The log shows what a client really sent: only what has the shape of a secret is left out. */

const sandbox = forEachTest(openSteered);

const logged = async () => {
  const { requests } = (await sandbox.control("GET", "/requests")) as { requests: { target: string; body: string }[] };
  return requests.at(-1);
};

test("a word that only looks like the start of a secret stays as it is", async () => {
  await sandbox.pay({ reference: "items_42 ms_short" });
  expect(JSON.parse((await logged())?.body ?? "")).toMatchObject({ reference: "items_42 ms_short" });
  await sandbox.ask("GET", "/transactions.php?items_page=1");
  expect((await logged())?.target).toBe("/v2/transactions.php?items_page=1");
});

test("a HEAD request is a curl line that ends", async () => {
  await sandbox.ask("HEAD", "/transactions.php");
  const url = `http://${HOST}/_momo/requests?format=curl`;
  const response = await sandbox.handle(new Request(url, { headers: { Host: HOST } }));
  expect(await response.text()).toMatch(/^curl -g -I '/);
});

test("a fault meets operations only, and is not used up by anything else", async () => {
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "error", status: 503, times: 1 }] });
  expect((await sandbox.ask("GET", "/nothing")).status).toBe(404);
  expect((await sandbox.ask("GET", "foo/transactions.php")).status).toBe(404);
  expect((await sandbox.ask("GET", "/transactions.php")).status).toBe(503);
  expect((await sandbox.ask("GET", "/transactions.php")).status).toBe(200);
});

test("a wait for a payment that a reset forgets ends at once with 404", async () => {
  const id = await sandbox.pay({ phone: "254700000100" });
  const waiting = sandbox.call("POST", "/wait", { json: { checkout_request_id: id, timeout: "1h" } });
  await sandbox.control("GET", "/health");
  await sandbox.control("POST", "/reset");
  expect((await waiting).status).toBe(404);
});

test("the prompts of one phone, in either shape; a number that is none is refused", async () => {
  await sandbox.pay({ phone: "254700000100" });
  const id = await sandbox.pay({ phone: "0733333333" }, { "X-Sandbox-Outcome": "manual" });
  for (const phone of ["0733333333", "254733333333"]) {
    const { prompts } = await sandbox.control("GET", `/prompts?phone=${phone}`);
    expect(prompts).toMatchObject([{ checkout_request_id: id, phone: "254733333333" }]);
  }
  expect(await sandbox.refusal("GET", "/prompts?phone=733")).toContain("phone must be");
});
