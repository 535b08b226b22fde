import { describe, expect, test } from "bun:test";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

describe("GET /_momo/transactions: the full answer of the merchant API's list, with references and the counts of every status", () => {
  const QUERIES = [
    "",
    "?limit=1&page=2",
    "?status=cancelled",
    "?type=API",
    "?search=0712",
    "?id=1",
    "?date_from=2026-11-20",
  ];
  for (const query of QUERIES) {
    test(`the same members: ${query}`, async () => {
      for (const amount of [10, 20]) await sandbox.pay({ amount });
      await sandbox.pay({ phone: "254700000032", reference: "R" });
      await sandbox.control("POST", "/clock", { advance: "3s" });
      const theirs = await sandbox.ask("GET", `/transactions.php${query}`);
      const named = `${query === "" ? "?" : `${query}&`}merchant_id=1`;
      for (const asked of [query, named]) {
        const { every_status: _, transactions, ...ours } = await sandbox.control("GET", `/transactions${asked}`);
        const shared = (transactions as object[]).map((one) => ({
          ...one,
          reference: undefined,
          merchant_id: undefined,
        }));
        expect<object>({ ...ours, transactions: shared }).toEqual(theirs.body);
      }
    });
  }

  test("the counts of every status do not change with the status that is asked for", async () => {
    for (const amount of [10, 20]) await sandbox.pay({ amount });
    await sandbox.pay({ phone: "254700000032", reference: "R" });
    await sandbox.pay({ phone: "254700000001" });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    await sandbox.pay({ phone: "254700000019" });
    await sandbox.control("POST", "/clock", { advance: "60s" });
    await sandbox.pay();
    const every_status = {
      total_completed_amount: 30,
      completed_count: 2,
      failed_count: 1,
      cancelled_count: 1,
      expired_count: 1,
      pending_count: 1,
    };
    for (const query of ["", "?status=cancelled", "?status=expired&search=07"]) {
      expect(await sandbox.control("GET", `/transactions${query}`)).toMatchObject({ every_status });
    }
    const { transactions } = await sandbox.control("GET", "/transactions?status=cancelled");
    expect(transactions).toMatchObject([{ reference: "R", merchant_id: 1 }]);
  });

  test.each(["limit=0", "limit=101", "page=x", "status=paid", "date_from=2026-13-01", "search=", "limit=1&limit=2"])(
    "the same refusal: %s",
    async (query) => {
      const theirs = await sandbox.ask("GET", `/transactions.php?${query}`);
      const refused = await sandbox.call("GET", `/transactions?${query}`);
      expect(refused.status).toBe(400);
      expect(refused.body).toEqual(theirs.body);
    },
  );

  test.each([
    ["merchant_id=x", 400],
    ["merchant_id=99", 404],
    ["id=99", 404],
  ])("refused: %s, %d", async (query, status) => {
    const refused = await sandbox.call("GET", `/transactions?${query}`);
    expect(refused.status).toBe(status);
    expectSoundAnswer(refused);
  });
});

describe("GET /_momo/transactions/CHECKOUT_REQUEST_ID: one payment's whole story", () => {
  const poll = (id: string) => sandbox.ask("POST", "/status.php", { json: { checkout_request_id: id } });
  const story = (id: string) => sandbox.control("GET", `/transactions/${id}`);
  const advance = (by: string) => sandbox.control("POST", "/clock", { advance: by });

  test("transaction, prompt, who decided, the calls that concern it, result and message", async () => {
    const id = await sandbox.pay({ amount: 1200, reference: "REF", description: "Two shoes" });
    await sandbox.pay();
    await advance("1s");
    await poll(id);
    await advance("2500ms");
    await poll(id);
    await sandbox.ask("GET", `/transactions.php?search=${id}`);
    const [, listed] = await sandbox.list();
    const told = await story(id);
    expect(told).toEqual({
      success: true,
      message: "the payment is completed",
      transaction: { merchant_id: 1, reference: "REF", ...listed },
      prompt: {
        checkout_request_id: id,
        phone: "254712345678",
        business: "First Shop",
        amount: 1200,
        reference: "REF",
        description: "Two shoes",
        created_at: "2026-11-20 10:00:00",
        expires_at: "2026-11-20 10:01:00",
        expires_at_ms: Date.UTC(2026, 10, 20, 7, 1),
      },
      started_by: null,
      decided_by: {
        who: "default",
        outcome: "completed",
        at_ms: Date.UTC(2026, 10, 20, 7, 0, 3),
        in_words: "The default of the server decided: completed, 3s after the start.",
      },
      requests: expect.any(Array),
      requests_left_out: 0,
      result: {
        code: 0,
        description: "The service request is processed successfully.",
        meaning: "The customer has paid.",
        advice: expect.any(String),
      },
      webhooks: [],
      sms: `${listed?.momo_receipt_number} Confirmed. Ksh1,200.00 sent to First Shop for account REF on 20/11/26 at 10:00 AM`,
    });
    expect(told.requests).toMatchObject([
      { id: 1, target: "/v2/stkpush.php", status: 200, interval_ms: null },
      { id: 3, target: "/v2/status.php", answer: { status: "pending" }, interval_ms: 1000 },
      { id: 4, target: "/v2/status.php", answer: { status: "completed" }, interval_ms: 2500 },
    ]);
    expect(JSON.stringify(told)).not.toContain(sandbox.caller.key.apiSecret);
  });

  test("a start whose answer was lost on the way is among its calls", async () => {
    await sandbox.control("PUT", "/faults", { faults: [{ kind: "disconnect", path: "/stkpush.php", times: 1 }] });
    await sandbox.ask("POST", "/stkpush.php", { json: { payment_account_id: 1, phone: "0712345678", amount: 5 } }).then(
      () => expect.unreachable(),
      () => null,
    );
    const [listed] = await sandbox.list();
    const told = await story(String(listed?.checkout_request_id));
    expect(told.requests).toMatchObject([{ id: 1, status: null, answer: null, fault: "disconnect" }]);
  });

  test("a poll whose id stands behind the part of the body that the log keeps is among its calls", async () => {
    const id = await sandbox.pay();
    await sandbox.ask("POST", "/status.php", { json: { padding: "x ".repeat(3000), checkout_request_id: id } });
    expect((await story(id)).requests).toMatchObject([{ id: 1 }, { id: 2, answer: { status: "pending" } }]);
  });

  test("while it is pending there is no result and no message", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    expect(await story(id)).toMatchObject({
      transaction: { status: "pending" },
      decided_by: { who: "test_phone", outcome: "manual", at_ms: null },
      result: null,
      sms: null,
    });
  });

  test("of any merchant, also one that no request of the merchant API has started", async () => {
    const order = { payment_account_id: sandbox.other.accountId, kind: "web", phone: "0712345678", amount: 5 };
    const { checkout_request_id } = await sandbox.control("POST", "/payments", order);
    expect(await story(String(checkout_request_id))).toMatchObject({
      transaction: { merchant_id: 2, kind: "web" },
      prompt: { business: "Second Shop" },
      requests: [],
    });
  });

  test.each(["ws_CO_20112026100000_NOBODY", "1", "%00", "x%2Fy"])("404: unknown id %s", async (id) => {
    const refused = await sandbox.call("GET", `/transactions/${id}`);
    expect(refused.status).toBe(404);
    expectSoundAnswer(refused);
  });
});

describe("what a logged call leaves out, its story leaves out too", () => {
  test("a poll of another payment, and a start that only mentions this one, do not concern it", async () => {
    const id = await sandbox.pay();
    const other = await sandbox.pay({ reference: id });
    await sandbox.ask("POST", "/status.php", { json: { checkout_request_id: other } });
    const { requests } = await sandbox.control("GET", `/transactions/${id}`);
    expect(requests).toMatchObject([{ id: 1 }]);
  });
});
