import { describe, expect, test } from "bun:test";
import { HOST } from "../../support/control.ts";
import { payment } from "../../support/scenario.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

/** A call with a body and a content type of its own. */
async function post(
  sandbox: Steered,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type?: string,
): Promise<void> {
  const headers = { Host: HOST, ...sandbox.caller.headers, ...(type !== undefined && { "Content-Type": type }) };
  const content = typeof body === "string" ? Buffer.from(body) : body;
  await sandbox.handle(new Request(`http://${HOST}/v2${path}`, { method: "POST", headers, body: content }));
}

describe("lenient: each leniency used is in the log, with the member and what came", () => {
  const cases: [name: string, send: (sandbox: Steered) => Promise<unknown>, leniencies: object[]][] = [
    [
      "of several members, and none of a member that came right",
      (sandbox) =>
        sandbox.ask("POST", "/stkpush.php", {
          json: { payment_account_id: "1", phone: 712345678, amount: 100, reference: null, description: "shoes" },
        }),
      [
        { member: "payment_account_id", came: '"1"' },
        { member: "phone", came: "712345678" },
        { member: "reference", came: "null" },
      ],
    ],
    [
      "of the body and its content type",
      (sandbox) => post(sandbox, "/stkpush.php", `\ufeff${JSON.stringify(payment(sandbox.caller))}`, "text/plain"),
      [
        { member: "Content-Type", came: '"text/plain"' },
        { member: "body", came: "a byte order mark" },
      ],
    ],
    [
      "of no content type, also where the call is refused in the end",
      (sandbox) => post(sandbox, "/status.php", '{"checkout_request_id":" x "}'),
      [
        { member: "Content-Type", came: "none" },
        { member: "checkout_request_id", came: '" x "' },
      ],
    ],
    [
      "of the query",
      (sandbox) => sandbox.ask("GET", "/transactions.php?limit=500&status=paid&page=1"),
      [
        { member: "limit", came: '"500"' },
        { member: "status", came: '"paid"' },
      ],
    ],
    ["of a member that nobody reads there: none", (sandbox) => sandbox.ask("GET", "/transactions.php?amount=5"), []],
  ];
  for (const [name, send, leniencies] of cases) {
    test(name, async () => {
      const sandbox = await openSteered("lenient");
      await send(sandbox);
      expect(await sandbox.logged()).toMatchObject([{ leniencies, lenient_takes: false }]);
      await sandbox.close();
    });
  }

  test("a secret that came in a member is not shown", async () => {
    const sandbox = await openSteered("lenient");
    const { apiSecret } = sandbox.caller.key;
    await sandbox.ask("GET", `/transactions.php?status=${apiSecret}`);
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [{ member: "status", came: '"[redacted]"' }] }]);
    expect(JSON.stringify(await sandbox.logged())).not.toContain(apiSecret);
    await sandbox.close();
  });
});

describe("strict: the log says of a refusal whether the lenient form would take it", () => {
  const order = (changes: object) => (sandbox: Steered) =>
    sandbox.ask("POST", "/stkpush.php", { json: { ...payment(sandbox.caller), ...changes } });
  const json = '{"payment_account_id":1,"phone":"0712345678","amount":5}';
  const cases: [name: string, send: (sandbox: Steered) => Promise<unknown>, takes: boolean][] = [
    ["a number in text", order({ amount: "5" }), true],
    [
      "a form",
      (sandbox) => post(sandbox, "/stkpush.php", "payment_account_id=1&phone=0712345678&amount=5", FORM),
      true,
    ],
    ["no content type", (sandbox) => post(sandbox, "/stkpush.php", json), true],
    ["a byte order mark", (sandbox) => post(sandbox, "/stkpush.php", `\ufeff${json}`, "application/json"), true],
    ["a page below 1", (sandbox) => sandbox.ask("GET", "/transactions.php?page=0"), true],
    ["one member that could be taken, and one that could not", order({ amount: "5", phone: "x" }), false],
    ["an account that is another merchant's", order({ payment_account_id: 999 }), false],
    ["an outcome that does not exist", badOutcome, false],
    ["no JSON", (sandbox) => post(sandbox, "/stkpush.php", "{", "text/plain"), false],
    ["bytes that are not UTF-8", (sandbox) => post(sandbox, "/status.php", Uint8Array.of(0x22, 0xff), FORM), false],
    [
      "an unknown payment",
      (sandbox) => sandbox.ask("POST", "/status.php", { json: { checkout_request_id: "x" } }),
      false,
    ],
    ["wrong credentials", (sandbox) => sandbox.ask("GET", "/transactions.php?page=0", { headers: WRONG }), false],
    ["what is taken anyway", order({}), false],
  ];
  for (const [name, send, takes] of cases) {
    test(`${name}: ${takes ? "yes" : "no"}`, async () => {
      const sandbox = await openSteered();
      await send(sandbox);
      expect(await sandbox.logged()).toMatchObject([{ leniencies: [], lenient_takes: takes }]);
      await sandbox.close();
    });
  }
});

const FORM = "application/x-www-form-urlencoded";
const WRONG = { "X-API-Key": "mk_no" };

function badOutcome(sandbox: Steered) {
  const headers = { "X-Sandbox-Outcome": "paid" };
  return sandbox.ask("POST", "/stkpush.php", { json: payment(sandbox.caller), headers });
}
