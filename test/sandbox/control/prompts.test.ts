import { describe, expect, test } from "bun:test";
import { OUTCOMES } from "../../../sandbox/network/outcomes.ts";
import { insertDue, useScene } from "../../support/scene.ts";

const sandbox = useScene();

const push = (order: Record<string, unknown> = {}) => sandbox.pay(order, { "X-Sandbox-Outcome": "manual" });
const refusal = (status: number, id: string, json: unknown) =>
  sandbox.refusal("POST", `/prompts/${id}/answer`, json, status);
const answer = (id: string, json: unknown) => sandbox.call("POST", `/prompts/${id}/answer`, { json });

describe("GET /_momo/prompts: open prompts, oldest first", () => {
  const open = async (query = "") =>
    (await sandbox.control("GET", `/prompts${query}`)).prompts as Record<string, unknown>[];
  const idsOf = async (query = "") => (await open(query)).map(({ checkout_request_id }) => checkout_request_id);

  test("with business, amount, reference and description", async () => {
    expect(await open()).toEqual([]);
    const id = await push({ amount: 1200.5, phone: "0722000000", reference: "REF", description: "Two shoes" });
    expect(await open()).toEqual([
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
    const [first, second] = [await sandbox.pay(), await push()];
    await sandbox.advanceClock("1s");
    const order = { payment_account_id: sandbox.other.accountId, kind: "web", phone: "0712345678", amount: 5 };
    const third = (await sandbox.control("POST", "/payments", order)).checkout_request_id;
    expect(await idsOf()).toEqual([first, second, third]);
    expect((await open()).map(({ business }) => business)).toEqual(["First Shop", "First Shop", "Second Shop"]);
    await answer(second, { pin: "1234" });
    expect(await idsOf()).toEqual([first, third]);
    await sandbox.advanceClock("1m");
    expect(await idsOf()).toEqual([]);
  });

  test("?phone= those of one phone, in either form", async () => {
    await push();
    const id = await push({ phone: "0733333333" });
    for (const phone of ["0733333333", "254733333333"]) expect(await idsOf(`?phone=${phone}`)).toEqual([id]);
    expect(await sandbox.refusal("GET", "/prompts?phone=733")).toContain("phone must be");
  });
});

describe("POST /_momo/prompts/ID/answer", () => {
  test.each(["1234", "123456", "0001", "00000"])("pin %s: completed when the request is answered", async (pin) => {
    const id = await push({ amount: 1200, reference: "REF" });
    await sandbox.advanceClock("10s");
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

  test.each([
    ["0000", 100, 2001],
    ["0000", 250_001, 2001],
    ["1234", 250_000, 0],
    ["1234", 250_000.01, 3],
  ])("pin %s for KES %d: result code %d", async (pin, amount, result_code) => {
    const id = await push({ amount });
    const { body } = await answer(id, { pin });
    expect(body).toMatchObject({ transaction: { result_code } });
    if (result_code !== 0) expect(body).toMatchObject({ transaction: { status: "failed" }, sms: null });
    expect(await sandbox.statusOf(id)).toMatchObject({ result_code });
  });

  test.each(OUTCOMES.map(({ name, ending }) => ({ name, ending })))("outcome $name", async ({ name, ending }) => {
    const id = await push();
    if (ending.by === "network") {
      const expected = { status: ending.status, result_code: ending.code };
      expect((await answer(id, { outcome: name })).body).toMatchObject({ success: true, transaction: expected });
      expect(await sandbox.statusOf(id)).toMatchObject(expected);
    } else {
      const message = await refusal(400, id, { outcome: name });
      expect(message).toStartWith(`${name} is no answer to a prompt; the answers are completed, `);
      expect(await sandbox.statusOf(id)).toMatchObject({ status: "pending" });
    }
  });

  test("an answer overrides the outcome that was decided", async () => {
    const id = await sandbox.pay();
    await answer(id, { outcome: "cancelled" });
    await sandbox.advanceClock("1h");
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "cancelled", result_code: 1032 });
  });

  const PIN = /^pin must be a string of 4 to 6 digits$/;
  const BAD: [body: unknown, says: RegExp][] = [
    [{ pin: "123" }, PIN],
    [{ pin: "1234567" }, PIN],
    [{ pin: "12a4" }, PIN],
    [{ pin: "1234\n" }, PIN],
    [{ pin: "١٢٣٤" }, PIN],
    [{ pin: 1234 }, /^pin must be a string of 4 to 6 digits; it is a number$/],
    [{ outcome: "paid" }, /^outcome is not the name of an outcome; the names are completed, /],
    [{ outcome: 0 }, /^outcome /],
    [{}, /^give either "pin":"1234" or "outcome":"cancelled"$/],
    [{ pin: "1234", outcome: "completed" }, /^give either "pin":"1234" or "outcome":"cancelled"$/],
    [{ pin: "1234", amount: 5 }, /^there is no member "amount"; the members are /],
    [[{ pin: "1234" }], /^the body must be a JSON object/],
  ];
  test("400 for a bad answer, without the PIN in it; the prompt stays open", async () => {
    const id = await push();
    for (const [body, says] of BAD) expect(await refusal(400, id, body)).toMatch(says);
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "pending" });
  });

  test("404: unknown ids", async () => {
    for (const id of ["ws_CO_20112026100000_NOBODY", "1", "x%2Fy", "%00", "%E2%82%AC"]) {
      await refusal(404, id, { pin: "1234" });
    }
  });

  test("an answer to a final payment: 409, and nothing changes", async () => {
    const id = await push();
    await answer(id, { outcome: "insufficient_funds" });
    const before = await sandbox.statusOf(id);
    for (const body of [{ pin: "1234" }, { pin: "0000" }, { outcome: "cancelled" }]) {
      expect(await refusal(409, id, body)).toContain("the payment is failed");
    }
    expect(await sandbox.statusOf(id)).toEqual(before);
  });
});

interface Message {
  readonly text: string;
  readonly at_ms: number;
  readonly checkout_request_id: string;
}
const messages = async (query = "") =>
  (await sandbox.control("GET", `/messages${query}`)).messages as readonly Message[];

describe("GET /_momo/messages: the last messages to customers, newest first", () => {
  test("the receipt of each customer who paid, and none for others", async () => {
    const id = await sandbox.pay({ amount: 1200, reference: "REF" });
    await sandbox.pay({ phone: "254700000032" });
    expect(await messages()).toEqual([]);
    await sandbox.advanceClock("3s");
    const listed = (await sandbox.list()).find(({ checkout_request_id }) => checkout_request_id === id);
    expect(await sandbox.control("GET", "/messages")).toEqual({
      success: true,
      message: "1 message",
      messages: [
        {
          phone: "254712345678",
          text: `${listed?.momo_receipt_number} Confirmed. Ksh1,200.00 sent to First Shop for account REF on 20/11/26 at 10:00 AM`,
          at: "2026-11-20 10:00:03",
          at_ms: Date.UTC(2026, 10, 20, 7, 0, 3),
          checkout_request_id: id,
        },
      ],
    });
  });

  test("of all merchants, in the order in which they were paid", async () => {
    const late = await sandbox.pay({ phone: "254700000030" });
    const early = await sandbox.pay({ payment_account_id: sandbox.other.accountId }, sandbox.other.headers);
    await sandbox.advanceClock("1m");
    const list = await messages();
    expect(list.map((message) => message.checkout_request_id)).toEqual([late, early]);
    expect(list[1]?.text).toContain("sent to Second Shop");
  });

  test("?phone= those to one phone, in either form, and not those that have it only in their text", async () => {
    const id = await sandbox.pay({ phone: "0722000000" });
    await sandbox.pay({ phone: "0722000001", reference: "254722000000" });
    await sandbox.advanceClock("3s");
    for (const phone of ["0722000000", "254722000000"]) {
      expect((await messages(`?phone=${phone}`)).map((message) => message.checkout_request_id)).toEqual([id]);
    }
    expect(await messages("?phone=0722000009")).toEqual([]);
  });

  test("at most 100, those that were paid last, even if they started first", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    await insertDue(sandbox, 101);
    await sandbox.advanceClock("1s");
    const list = await messages();
    expect(list).toHaveLength(100);
    expect(list[0]?.at_ms).toBe(Date.UTC(2026, 10, 20, 7) + 101);
    expect(list[99]?.at_ms).toBe(Date.UTC(2026, 10, 20, 7) + 2);
    await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "1234" });
    expect((await messages())[0]).toMatchObject({ checkout_request_id: id });
  });

  test("a bad phone is refused", async () => {
    for (const query of ["phone=07", "phone=", "phone=0722000000&phone=0722000000"]) {
      await sandbox.refusal("GET", `/messages?${query}`);
    }
  });
});
