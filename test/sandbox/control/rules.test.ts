import { describe, expect, test } from "bun:test";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const CODES: Record<string, number> = { completed: 0, over_limit: 3, pin_locked: 8006, unreachable: 1037 };
const add = (...rules: object[]) => sandbox.control("POST", "/rules", rules);

/** What became of a payment, a minute after it started. */
async function endOf(order: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const id = await sandbox.pay(order, headers);
  await sandbox.advance(60_000);
  return (await sandbox.statusOf(id)).result_code;
}

test("header > rules > network limit > phones > default", async () => {
  const order = { phone: "254700000032", amount: 250_000.01 };
  await add({ outcome: "unreachable", times: 1 }, { outcome: "unreachable", times: 1 });
  expect(await endOf(order, { "X-Sandbox-Outcome": "pin_locked" })).toBe(CODES.pin_locked);
  // The header left the rules as they were.
  expect(await endOf(order)).toBe(CODES.unreachable);
  expect(await endOf({ phone: "254700000032" })).toBe(CODES.unreachable);
  expect(await endOf(order)).toBe(CODES.over_limit);
  expect(await endOf({ phone: "254700000032", amount: 250_000 })).toBe(1032);
  expect(await endOf()).toBe(CODES.completed);
});

test("rules in order: the first that matches decides", async () => {
  await add({ match: { amount: 500 }, outcome: "cancelled" }, { outcome: "wrong_pin" });
  await add({ outcome: "pin_locked" });
  expect(await endOf({ amount: 500 })).toBe(1032);
  expect(await endOf({ amount: 501 })).toBe(2001);
});

describe("a rule matches", () => {
  test.each([
    ["phone, as 07…", { phone: "0722000000" }, { phone: "254722000000" }],
    ["phone, as 254…", { phone: "254722000000" }, { phone: "0722000000" }],
    ["amount", { amount: 55.5 }, { amount: 55.5 }],
    ["reference", { reference: "Order 9 ✓" }, { reference: "Order 9 ✓" }],
  ])("%s", async (_name, match, order) => {
    await add({ match, outcome: "cancelled" });
    expect(await endOf()).toBe(0);
    expect(await endOf({ reference: "order 9 ✓" })).toBe(0);
    expect(await endOf(order)).toBe(1032);
  });

  test("payment_account_id", async () => {
    await add({ match: { payment_account_id: sandbox.other.accountId }, outcome: "cancelled" });
    expect(await endOf()).toBe(0);
    expect(await endOf({ payment_account_id: sandbox.other.accountId }, sandbox.other.headers)).toBeUndefined();
    expect((await sandbox.ask("GET", "/transactions.php", { headers: sandbox.other.headers })).body).toMatchObject({
      transactions: [{ status: "cancelled" }],
    });
  });

  test("a reference as long as a payment's may be, in characters", async () => {
    const reference = "😀".repeat(100);
    await add({ match: { reference }, outcome: "cancelled" });
    expect(await endOf({ reference })).toBe(1032);
  });
});

test("two rules with times give: fail twice, then succeed; what is left shows in the list; a rule for others keeps its times", async () => {
  const others = { match: { reference: "another" }, outcome: "expired", times: 2 };
  await add(
    others,
    { outcome: "insufficient_funds", times: 2 },
    { outcome: "completed", times: 1 },
    { outcome: "cancelled" },
  );
  expect(await endOf()).toBe(1);
  expect((await sandbox.control("GET", "/rules")).rules).toEqual([
    others,
    { match: {}, outcome: "insufficient_funds", times: 1 },
    { match: {}, outcome: "completed", times: 1 },
    { match: {}, outcome: "cancelled" },
  ]);
  expect(await endOf()).toBe(1);
  expect(await endOf()).toBe(0);
  expect(await endOf()).toBe(1032);
  expect(await endOf()).toBe(1032);
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

test("after says when, to the millisecond", async () => {
  await add({ outcome: "cancelled", after: "1500ms" });
  const id = await sandbox.pay();
  await sandbox.advance(1499);
  expect((await sandbox.statusOf(id)).status).toBe("pending");
  await sandbox.advance(1);
  expect((await sandbox.statusOf(id)).status).toBe("cancelled");
});

test("decided once, when it is pushed, and then frozen: changing the rules afterwards changes nothing", async () => {
  await add({ outcome: "cancelled" });
  const decidedByRule = await sandbox.pay();
  await sandbox.control("PUT", "/rules", { rules: [{ outcome: "wrong_pin" }] });
  const decidedByNext = await sandbox.pay();
  await sandbox.control("DELETE", "/rules");
  const decidedByDefault = await sandbox.pay();
  await add({ outcome: "pin_locked" });
  await sandbox.advance(60_000);
  const ends = [decidedByRule, decidedByNext, decidedByDefault].map(sandbox.statusOf);
  expect((await Promise.all(ends)).map((end) => end.result_code)).toEqual([1032, 2001, 0]);
});

describe("GET, POST, PUT and DELETE /_momo/rules: list, append, replace all, remove all", () => {
  const A = { match: { phone: "254722000000", amount: 10.5 }, outcome: "cancelled", after: "90s", times: 3 };
  const B = { match: {}, outcome: "manual" };

  test("each answers with the rules in force, as they can be given again", async () => {
    expect(await sandbox.control("GET", "/rules")).toMatchObject({ success: true, rules: [] });
    expect((await add({ ...A, match: { phone: "0722000000", amount: 10.5 } })).rules).toEqual([A]);
    const all = await add(B);
    expect(all.rules).toEqual([A, B]);
    expect((await sandbox.control("PUT", "/rules", { rules: all.rules })).rules).toEqual([A, B]);
    expect((await sandbox.control("PUT", "/rules", [B])).rules).toEqual([B]);
    expect((await sandbox.control("DELETE", "/rules")).rules).toEqual([]);
    expect((await sandbox.control("GET", "/rules")).rules).toEqual([]);
  });

  test.each([
    ["one rule", B],
    ["an array", [B]],
    ['{"rules": [...]}', { rules: [B] }],
  ])("a body can be %s", async (_name, body) => {
    expect((await sandbox.control("POST", "/rules", body)).rules).toEqual([B]);
    expect((await sandbox.control("PUT", "/rules", body)).rules).toEqual([B]);
  });

  test("an empty array replaces all by none, and appends nothing", async () => {
    await add(B);
    expect((await sandbox.control("POST", "/rules", [])).rules).toEqual([B]);
    expect((await sandbox.control("PUT", "/rules", { rules: [] })).rules).toEqual([]);
  });
});

test("at most 1000; one more changes nothing", async () => {
  const rules = (count: number) => Array.from({ length: count }, () => ({ outcome: "cancelled" }));
  await sandbox.control("PUT", "/rules", rules(1000));
  expect(await sandbox.refusal("POST", "/rules", { outcome: "completed" })).toContain("1000");
  expect(await sandbox.refusal("PUT", "/rules", rules(1001))).toContain("1000");
  expect((await sandbox.control("GET", "/rules")).rules).toHaveLength(1000);
});
