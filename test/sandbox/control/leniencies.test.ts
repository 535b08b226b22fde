import { describe, expect, test } from "bun:test";
import { payment } from "../../support/scenario.ts";
import { useSteered } from "../../support/steered.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const TEXT = { "Content-Type": "text/plain" };
const JSON_TYPE = { "Content-Type": "application/json" };
const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 5 };
const json = JSON.stringify(ORDER);

describe("lenient: the log has each correction that a request needed, with the member and its value", () => {
  const sandbox = useSteered({ accept: "lenient" });

  const push = (call: Parameters<typeof sandbox.ask>[2]) => sandbox.ask("POST", "/stkpush.php", call);
  const order = { payment_account_id: "1", phone: 712345678, amount: 100, reference: null, description: "shoes" };
  const untyped = Buffer.from('{"checkout_request_id":" x "}');
  const CASES: [name: string, send: () => Promise<unknown>, leniencies: [member: string, came: string][]][] = [
    [
      "several members, but not the correct ones",
      () => push({ json: order }),
      [
        ["payment_account_id", '"1"'],
        ["phone", "712345678"],
        ["reference", "null"],
      ],
    ],
    [
      "the body and its content type",
      () => push({ body: `\ufeff${json}`, headers: TEXT }),
      [
        ["Content-Type", '"text/plain"'],
        ["body", "a byte order mark"],
      ],
    ],
    [
      "no content type, also of a call that is refused",
      () => sandbox.ask("POST", "/status.php", { body: untyped }),
      [
        ["Content-Type", "none"],
        ["checkout_request_id", '" x "'],
      ],
    ],
    [
      "the query",
      () => sandbox.ask("GET", "/transactions.php?limit=500&status=paid&page=1"),
      [
        ["limit", '"500"'],
        ["status", '"paid"'],
      ],
    ],
    ["a member that no operation reads: none", () => sandbox.ask("GET", "/transactions.php?amount=5"), []],
  ];
  test.each(CASES)("%s", async (_name, send, pairs) => {
    await send();
    const leniencies = pairs.map(([member, came]) => ({ member, came }));
    expect(await sandbox.logged()).toMatchObject([{ leniencies, lenient_takes: false }]);
  });

  test("a secret in a member is not shown", async () => {
    const { apiSecret } = sandbox.caller.key;
    await sandbox.ask("GET", `/transactions.php?status=${apiSecret}`);
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [{ member: "status", came: '"[redacted]"' }] }]);
    expect(JSON.stringify(await sandbox.logged())).not.toContain(apiSecret);
  });
});

describe("strict: the log says of a refusal whether the lenient form would accept the request", () => {
  const sandbox = useSteered();

  const push =
    (changes: object, headers = {}) =>
    () =>
      sandbox.ask("POST", "/stkpush.php", { json: { ...payment(sandbox.caller), ...changes }, headers });
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) => {
    const content = typeof body === "string" ? Buffer.from(body) : body;
    return () => sandbox.ask("POST", path, { body: content, headers });
  };
  const get =
    (path: string, headers = {}) =>
    () =>
      sandbox.ask("GET", path, { headers });

  const CASES: [name: string, send: () => Promise<unknown>, takes: boolean][] = [
    ["a number in text", push({ amount: "5" }), true],
    ["a form", post("/stkpush.php", "payment_account_id=1&phone=0712345678&amount=5", FORM), true],
    ["no content type", post("/stkpush.php", json), true],
    ["a byte order mark", post("/stkpush.php", `\ufeff${json}`, JSON_TYPE), true],
    ["a page below 1", get("/transactions.php?page=0"), true],
    ["one member of two", push({ amount: "5", phone: "x" }), false],
    ["an account of another merchant", push({ payment_account_id: 999 }), false],
    ["an outcome that does not exist", push({}, { "X-Sandbox-Outcome": "paid" }), false],
    ["no JSON", post("/stkpush.php", "{", TEXT), false],
    ["bytes that are not UTF-8", post("/status.php", Uint8Array.of(0x22, 0xff), FORM), false],
    ["an unknown payment", post("/status.php", '{"checkout_request_id":"x"}', JSON_TYPE), false],
    ["wrong credentials", get("/transactions.php?page=0", { "X-API-Key": "mk_no" }), false],
    ["a request that is accepted anyway", push({}), false],
  ];
  test.each(CASES)("%s", async (_name, send, takes) => {
    await send();
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [], lenient_takes: takes }]);
  });
});
