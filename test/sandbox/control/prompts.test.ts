import { describe, expect, test } from "bun:test";
import { OUTCOMES } from "../../../sandbox/network/outcomes.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const MANUAL = { "X-Sandbox-Outcome": "manual" };
const push = (order: Record<string, unknown> = {}) => sandbox.pay(order, MANUAL);
const answer = (id: string, json: unknown) => sandbox.call("POST", `/prompts/${id}/answer`, { json });

describe("GET /_momo/prompts: open prompts, oldest first", () => {
  test("none", async () => {
    expect(await sandbox.control("GET", "/prompts")).toMatchObject({ success: true, prompts: [] });
  });

  test("with business, amount, reference and description", async () => {
    const id = await push({ amount: 1200.5, phone: "0722000000", reference: "REF", description: "Two shoes" });
    expect((await sandbox.control("GET", "/prompts")).prompts).toEqual([
      {
        checkout_request_id: id,
        phone: "254722000000",
        business: "First Shop",
        amount: 1200.5,
        reference: "REF",
        description: "Two shoes",
        created_at: "2026-11-20 10:00:00",
        expires_at: "2026-11-20 10:01:00",
        expires_at_ms: Date.UTC(2026, 10, 20, 7, 1),
      },
    ]);
  });

  test("of every merchant and every outcome, and only while they are open", async () => {
    const first = await sandbox.pay();
    const second = await push();
    await sandbox.control("POST", "/clock", { advance: "1s" });
    const order = { payment_account_id: sandbox.other.accountId, kind: "web", phone: "0712345678", amount: 5 };
    const third = (await sandbox.control("POST", "/payments", order)).checkout_request_id;
    const open = async () => (await sandbox.control("GET", "/prompts")).prompts as Record<string, unknown>[];
    expect((await open()).map((prompt) => [prompt.checkout_request_id, prompt.business])).toEqual([
      [first, "First Shop"],
      [second, "First Shop"],
      [third, "Second Shop"],
    ]);
    await answer(second, { pin: "1234" });
    expect((await open()).map((prompt) => prompt.checkout_request_id)).toEqual([first, third]);
    await sandbox.control("POST", "/clock", { advance: "1m" });
    expect(await open()).toEqual([]);
  });
});

describe("POST /_momo/prompts/ID/answer", () => {
  test.each(["1234", "123456", "0001", "00000"])("pin %s: completed, in force when the call returns", async (pin) => {
    const id = await push({ amount: 1200, reference: "REF" });
    await sandbox.control("POST", "/clock", { advance: "10s" });
    const { status, body } = await answer(id, { pin });
    expect(status).toBe(200);
    const receipt = (body.transaction as Record<string, unknown>).momo_receipt_number;
    expect(body).toMatchObject({
      success: true,
      message: "the payment is completed",
      transaction: { checkout_request_id: id, status: "completed", result_code: 0, fee_deducted: true },
      sms: `${receipt} Confirmed. Ksh1,200.00 sent to First Shop for account REF on 20/11/26 at 10:00 AM`,
    });
    expect(await sandbox.statusOf(id)).toMatchObject({
      status: "completed",
      completed_at: "2026-11-20 10:00:10",
      momo_receipt_number: receipt,
    });
  });

  test("pin 0000: wrong_pin, 2001, and no message to the customer", async () => {
    const id = await push();
    expect((await answer(id, { pin: "0000" })).body).toMatchObject({
      transaction: { status: "failed", result_code: 2001 },
      sms: null,
    });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "failed", result_code: 2001 });
  });

  test("an amount above 250,000 by pin: over_limit", async () => {
    const over = await push({ amount: 250_000.01 });
    const at = await push({ amount: 250_000 });
    const wrong = await push({ amount: 250_001 });
    await Promise.all([over, at].map((id) => answer(id, { pin: "1234" })));
    await answer(wrong, { pin: "0000" });
    const codes = await Promise.all([over, at, wrong].map(sandbox.statusOf));
    expect(codes.map(({ result_code }) => result_code)).toEqual([3, 0, 2001]);
  });

  for (const { name, ending } of OUTCOMES) {
    if (ending.by === "network") {
      test(`outcome ${name}: ${ending.status} ${ending.code}`, async () => {
        const id = await push();
        const expected = { status: ending.status, result_code: ending.code };
        expect((await answer(id, { outcome: name })).body).toMatchObject({ success: true, transaction: expected });
        expect(await sandbox.statusOf(id)).toMatchObject(expected);
      });
    } else {
      test(`outcome ${name}: 400, it is no answer, and the prompt stays open`, async () => {
        const id = await push();
        const refused = await answer(id, { outcome: name });
        expect(refused.status).toBe(400);
        expectSoundAnswer(refused);
        expect(refused.body.message).toStartWith(`${name} is no answer to a prompt; the answers are completed, `);
        expect(await sandbox.statusOf(id)).toMatchObject({ status: "pending" });
      });
    }
  }

  test("a prompt that would have gone by itself can be answered before", async () => {
    const id = await sandbox.pay();
    await answer(id, { outcome: "cancelled" });
    await sandbox.control("POST", "/clock", { advance: "1h" });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "cancelled", result_code: 1032 });
  });

  const BAD: [body: unknown, says: string][] = [
    [{ pin: "123" }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: "1234567" }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: "12a4" }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: "1234\n" }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: "١٢٣٤" }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: "" }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: 1234 }, "pin: must be a string of 4 to 6 digits"],
    [{ pin: null }, "pin: must be a string of 4 to 6 digits"],
    [{ outcome: "paid" }, "outcome: it is not the name of an outcome; the names are completed, "],
    [{ outcome: "completed; after=1s" }, "outcome: it is not the name of an outcome"],
    [{ outcome: 0 }, "outcome: "],
    [{}, 'give either "pin":"1234" or "outcome":"cancelled"'],
    [{ pin: "1234", outcome: "completed" }, 'give either "pin":"1234" or "outcome":"cancelled"'],
    [{ pin: "1234", amount: 5 }, 'there is no member "amount"; the members are '],
    [[{ pin: "1234" }], "the body must be a JSON object"],
  ];
  for (const [body, says] of BAD) {
    test(`400: ${JSON.stringify(body)}`, async () => {
      const id = await push();
      const refused = await answer(id, body);
      expect(refused.status).toBe(400);
      expectSoundAnswer(refused);
      expect(refused.body.message).toStartWith(says);
      expect(await sandbox.statusOf(id)).toMatchObject({ status: "pending" });
    });
  }

  test.each(["ws_CO_20112026100000_NOBODY", "1", "x%2Fy", "%00", "%E2%82%AC"])("404: unknown id %s", async (id) => {
    const refused = await answer(id, { pin: "1234" });
    expect(refused.status).toBe(404);
    expectSoundAnswer(refused);
  });
});

describe("already final: 409, and nothing changes", () => {
  test.each([{ pin: "1234" }, { pin: "0000" }, { outcome: "cancelled" }])("%j", async (body) => {
    const id = await push();
    await answer(id, { outcome: "insufficient_funds" });
    const before = await sandbox.statusOf(id);
    const refused = await answer(id, body);
    expect(refused.status).toBe(409);
    expectSoundAnswer(refused);
    expect(refused.body.message).toContain("the payment is failed");
    expect(await sandbox.statusOf(id)).toEqual(before);
  });
});
