import { beforeEach, describe, expect, test } from "bun:test";
import { testRefusals, useScene } from "../../support/scene.ts";

const sandbox = useScene();

const add = (...rules: object[]) => sandbox.control("POST", "/rules", rules);
const listed = async () => (await sandbox.control("GET", "/rules")).rules;

/** The result code of a payment, a minute after it started. */
async function endOf(order: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const id = await sandbox.pay(order, headers);
  await sandbox.advance(60_000);
  return (await sandbox.statusOf(id)).result_code;
}

test("header > rules > network limit > test phones > default", async () => {
  const phone = "254700000032";
  const order = { phone, amount: 250_000.01 };
  await add({ outcome: "unreachable", times: 1 }, { outcome: "unreachable", times: 1 });
  expect(await endOf(order, { "X-Sandbox-Outcome": "pin_locked" })).toBe(8006);
  // The header used up no rule.
  expect(await endOf(order)).toBe(1037);
  expect(await endOf({ phone })).toBe(1037);
  expect(await endOf(order)).toBe(3);
  expect(await endOf({ phone, amount: 250_000 })).toBe(1032);
  expect(await endOf()).toBe(0);
});

test.each([
  ["phone, as 07…", { phone: "0722000000" }, { phone: "254722000000" }],
  ["phone, as 254…", { phone: "254722000000" }, { phone: "0722000000" }],
  ["amount", { amount: 55.5 }, { amount: 55.5 }],
  ["reference", { reference: "Order 9 ✓" }, { reference: "Order 9 ✓" }],
  ["a reference of 100 characters", { reference: "😀".repeat(100) }, { reference: "😀".repeat(100) }],
])("a rule matches by %s", async (_name, match, order) => {
  await add({ match, outcome: "cancelled" });
  expect(await endOf({ reference: "order 9 ✓" })).toBe(0);
  expect(await endOf(order)).toBe(1032);
});

test("a rule matches by payment_account_id", async () => {
  const { accountId, headers } = sandbox.other;
  await add({ match: { payment_account_id: accountId }, outcome: "cancelled" });
  expect(await endOf()).toBe(0);
  await endOf({ payment_account_id: accountId }, headers);
  const { body } = await sandbox.ask("GET", "/transactions.php", { headers });
  expect(body.transactions).toMatchObject([{ status: "cancelled" }]);
});

test("the first matching rule decides, up to its times; the list shows how many are left; other rules keep theirs", async () => {
  const others = { match: { reference: "another" }, outcome: "expired", times: 2 };
  await add(
    others,
    { outcome: "insufficient_funds", times: 2 },
    { outcome: "completed", times: 1 },
    { outcome: "cancelled" },
  );
  expect(await endOf()).toBe(1);
  expect(await listed()).toEqual([
    others,
    { match: {}, outcome: "insufficient_funds", times: 1 },
    { match: {}, outcome: "completed", times: 1 },
    { match: {}, outcome: "cancelled" },
  ]);
  for (const code of [1, 0, 1032, 1032]) expect(await endOf()).toBe(code);
});

test("a rule for refused: HTTP 500, nothing is stored, and its times count", async () => {
  await add({ outcome: "refused", times: 1 });
  const json = { payment_account_id: sandbox.caller.accountId, phone: "0712345678", amount: 5 };
  const refused = await sandbox.ask("POST", "/stkpush.php", { json });
  expect(refused.status).toBe(500);
  expect(refused.body.message).toStartWith("STK push initiation failed: ");
  expect(await sandbox.list()).toEqual([]);
  expect(await endOf()).toBe(0);
});

describe("GET, POST, PUT and DELETE /_momo/rules: list, append, replace all, remove all", () => {
  const A = { match: { phone: "254722000000", amount: 10.5 }, outcome: "cancelled", after: "90s", times: 3 };
  const B = { match: {}, outcome: "manual" };

  test("each answers with the rules in force, in a form that can be sent again", async () => {
    expect(await listed()).toEqual([]);
    expect((await add({ ...A, match: { phone: "0722000000", amount: 10.5 } })).rules).toEqual([A]);
    const all = await add(B);
    expect(all.rules).toEqual([A, B]);
    expect((await sandbox.control("PUT", "/rules", { rules: all.rules })).rules).toEqual([A, B]);
    expect((await sandbox.control("PUT", "/rules", [B])).rules).toEqual([B]);
    expect((await add()).rules).toEqual([B]);
    expect((await sandbox.control("PUT", "/rules", { rules: [] })).rules).toEqual([]);
    await add(A);
    expect((await sandbox.control("DELETE", "/rules")).rules).toEqual([]);
    expect(await listed()).toEqual([]);
  });

  test.each([
    ["one rule", B],
    ["an array", [B]],
    ["an object with the rules", { rules: [B] }],
  ])("a body can be %s", async (_name, body) => {
    expect((await sandbox.control("POST", "/rules", body)).rules).toEqual([B]);
    expect((await sandbox.control("PUT", "/rules", body)).rules).toEqual([B]);
  });

  test("at most 1000; one more changes nothing", async () => {
    const rules = (count: number) => Array.from({ length: count }, () => ({ outcome: "cancelled" }));
    await sandbox.control("PUT", "/rules", rules(1000));
    expect(await sandbox.refusal("POST", "/rules", { outcome: "completed" })).toContain("1000");
    expect(await sandbox.refusal("PUT", "/rules", rules(1001))).toContain("1000");
    expect(await listed()).toHaveLength(1000);
  });
});

describe("a refusal names the place of each error, and leaves the rules as they were", () => {
  beforeEach(() => add({ match: { reference: "before" }, outcome: "cancelled", times: 2 }));

  const good = { outcome: "completed" };
  const third = (rule: object) => [good, good, { ...good, ...rule }];
  const BAD: [body: unknown, says: string][] = [
    [third({ match: { phone: "+254712345678" } }), "rules[2].match.phone must be a string of 254"],
    [third({ match: { phone: 712345678 } }), "rules[2].match.phone must be a string; it is a number, 712345678"],
    [third({ match: { amount: 0.5 } }), "rules[2].match.amount must be a number"],
    [third({ match: { amount: "100" } }), "rules[2].match.amount "],
    [third({ match: { payment_account_id: 0 } }), "rules[2].match.payment_account_id "],
    [third({ match: { reference: "a".repeat(101) } }), "rules[2].match.reference must have at most 100"],
    [third({ match: { Phone: "0712345678" } }), "rules[2].match: "],
    [third({ time: 1 }), "rules[2]: "],
    [third({ outcome: "paid" }), "rules[2].outcome is not the name of an outcome"],
    [[good, {}], "rules[1].outcome "],
    [
      third({ after: "25h" }),
      'rules[2].after is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h; it is "25h"',
    ],
    [third({ outcome: "silent", after: "3s" }), "rules[2].after has no meaning"],
    [third({ times: 0 }), "rules[2].times "],
    [third({ times: 1_000_001 }), "rules[2].times "],
    [[good, 5], "rules[1] must be a JSON object"],
    [{ ...good, name: "x" }, 'there is no member "name"; the members are '],
    [{ rules: third({ outcome: "" }) }, "rules[2].outcome "],
    [{ rules: [], seed: 1 }, 'there is no member "seed"; the members are '],
    ["completed", ""],
    [null, ""],
  ];
  testRefusals(sandbox, "POST", "/rules", BAD);
  testRefusals(sandbox, "PUT", "/rules", BAD.slice(0, 1));

  test("of a thousand errors twenty are named", async () => {
    const message = await sandbox.refusal("PUT", "/rules", Array(1000).fill({ outcome: 1 }));
    expect(message).toContain("rules[19].outcome ");
    expect(message).not.toContain("rules[20].outcome ");
    expect(message).toEndWith("; and 980 more");
  });

  test.each(["", "{", "[1,", "completed"])("a body that is not JSON: %p", async (body) => {
    const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain("body");
  });
});

const replace = (json: unknown) => sandbox.control("PUT", "/default", json);

describe("GET and PUT /_momo/default: what prompts do if nothing else decides", () => {
  test("a new one is in force for the prompts to come only", async () => {
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "completed", after: "3s" });
    const before = await sandbox.pay();
    expect(await replace({ outcome: "cancelled", after: "1s" })).toMatchObject({ outcome: "cancelled", after: "1s" });
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "cancelled", after: "1s" });
    const [after, byPhone] = [await sandbox.pay(), await sandbox.pay({ phone: "254700000001" })];
    await sandbox.advanceClock("1s");
    expect(await sandbox.statusOf(after)).toMatchObject({ status: "cancelled" });
    await sandbox.advanceClock("2s");
    expect(await sandbox.statusOf(before)).toMatchObject({ status: "completed" });
    expect(await sandbox.statusOf(byPhone)).toMatchObject({ result_code: 1 });
  });

  test.each([
    ["unreachable", "15s"],
    ["expired", "prompt timeout"],
    ["silent", "never"],
    ["manual", null],
    ["refused", null],
  ])("%s without after has its own time: %s", async (outcome, after) => {
    expect(await replace({ outcome })).toMatchObject({ outcome, after });
  });

  testRefusals(sandbox, "PUT", "/default", [
    [{}, "outcome is missing"],
    [{ outcome: "paid" }, "outcome is not the name of an outcome; the names are completed, "],
    [{ outcome: "completed", after: "soon" }, "after is not a duration up to 24h"],
    [{ outcome: "manual", after: "3s" }, "after has no meaning with manual: leave it out"],
    [{ outcome: "completed", times: 1 }, 'there is no member "times"; the members are '],
    [{ outcome: JSON.parse("[".repeat(10_000) + "]".repeat(10_000)) }, "outcome must be the name of an outcome; "],
    [["completed"], "the body must be a JSON object"],
  ]);

  test("the names of unknown members are cut, and no secret is among them", async () => {
    const secret = `ms_${"0123456789".repeat(4)}`;
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${"x".repeat(40)}${index}`, 1]));
    const message = await sandbox.refusal("PUT", "/default", { outcome: "completed", [secret]: 1, ...unknown });
    expect(message).not.toContain(secret);
    expect(message.length).toBeLessThan(2000);
  });
});
