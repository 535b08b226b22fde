import { describe, expect, test } from "bun:test";
import { rejectionOf } from "../../support/rejection.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();

describe("GET /_momo/transactions: the list of the merchant API, with references and the counts of every status", () => {
  const COUNTS = {
    total_completed_amount: 30,
    completed_count: 2,
    failed_count: 1,
    cancelled_count: 1,
    expired_count: 1,
    pending_count: 1,
  };

  test("has the same members, and the counts do not depend on the filter by status", async () => {
    for (const amount of [10, 20]) await sandbox.pay({ amount });
    await sandbox.pay({ phone: "254700000032", reference: "R" });
    await sandbox.pay({ phone: "254700000001" });
    await sandbox.pay({ phone: "254700000099" });
    await sandbox.advanceClock("1m");
    await sandbox.pay();
    const [newest] = await sandbox.list();
    const status = ["?", "?status=cancelled", "?status=expired&date_from=2026-11-20"];
    for (const query of [...status, "?limit=1&page=2", "?type=API", `?search=${newest?.id}`, `?id=${newest?.id}`]) {
      const merchant = (await sandbox.ask("GET", `/transactions.php${query}`)).body;
      for (const asked of [query, `${query}&merchant_id=1`]) {
        const { every_status, transactions, ...others } = await sandbox.control("GET", `/transactions${asked}`);
        const shared = (transactions as object[]).map((one) => ({
          ...one,
          reference: undefined,
          merchant_id: undefined,
        }));
        expect<object>({ ...others, transactions: shared }).toEqual(merchant);
        if (status.includes(query)) expect(every_status).toEqual(COUNTS);
      }
    }
    const { transactions } = await sandbox.control("GET", "/transactions?status=cancelled");
    expect(transactions).toMatchObject([{ reference: "R", merchant_id: 1 }]);
  });

  test("refuses what the merchant API refuses, in the same words", async () => {
    for (const query of ["limit=101", "page=x", "status=paid", "date_from=2026-13-01", "search=", "limit=1&limit=2"]) {
      const { status, body } = await sandbox.ask("GET", `/transactions.php?${query}`);
      expect(status).toBe(400);
      expect(await sandbox.refusal("GET", `/transactions?${query}`)).toBe(String(body.message));
    }
  });

  test("an unknown merchant or payment: 404", async () => {
    for (const query of ["merchant_id=99", "id=99999"]) {
      await sandbox.refusal("GET", `/transactions?${query}`, undefined, 404);
    }
    await sandbox.refusal("GET", "/transactions?merchant_id=x");
  });
});

describe("GET /_momo/transactions/CHECKOUT_REQUEST_ID: one payment's whole story", () => {
  const poll = (id: string, more = {}) =>
    sandbox.ask("POST", "/status.php", { json: { ...more, checkout_request_id: id } });
  const story = (id: string) => sandbox.control("GET", `/transactions/${id}`);

  test("its members in the lists, who decided, its requests, and the result", async () => {
    const id = await sandbox.pay({ amount: 1200, reference: "REF", description: "Two shoes" });
    const { prompts } = await sandbox.control("GET", "/prompts");
    const other = await sandbox.pay({ reference: id, phone: "254700000100" });
    await sandbox.advanceClock("1s");
    await poll(id);
    await poll(other);
    await sandbox.advanceClock("2500ms");
    await poll(id);
    await sandbox.ask("GET", `/transactions.php?search=${id}`);
    const { transactions } = await sandbox.control("GET", "/transactions?status=completed");
    const { messages } = await sandbox.control("GET", "/messages");
    const found = await story(id);
    expect(found).toEqual({
      success: true,
      message: "the payment is completed",
      transaction: (transactions as unknown[])[0],
      prompt: (prompts as unknown[])[0],
      started_by: null,
      decided_by: expect.objectContaining({ who: "default", outcome: "completed" }),
      requests: expect.any(Array),
      requests_left_out: 0,
      result: {
        code: 0,
        description: "The service request is processed successfully.",
        meaning: "The customer has paid.",
        advice: expect.any(String),
      },
      webhooks: [],
      sms: (messages as { text: string }[])[0]?.text,
    });
    expect(found.requests).toMatchObject([
      { target: "/v2/stkpush.php", answer: { checkout_request_id: id }, interval_ms: null },
      { target: "/v2/status.php", answer: { status: "pending" }, interval_ms: 1000 },
      { target: "/v2/status.php", answer: { status: "completed" }, interval_ms: 2500 },
    ]);
    expect(JSON.stringify(found)).not.toContain(sandbox.caller.key.apiSecret);
  });

  test("its requests include a start whose answer was lost, and a poll whose id is after the part that the log keeps", async () => {
    await sandbox.control("PUT", "/faults", { faults: [{ kind: "disconnect", path: "/stkpush.php", times: 1 }] });
    expect(await rejectionOf(sandbox.pay())).toBeUndefined();
    const [listed] = await sandbox.list();
    const id = String(listed?.checkout_request_id);
    await poll(id, { padding: "x ".repeat(3000) });
    expect((await story(id)).requests).toMatchObject([
      { status: null, answer: null, fault: "disconnect" },
      { answer: { status: "pending" } },
    ]);
  });

  test("a pending payment has no result and no message", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    expect(await story(id)).toMatchObject({ transaction: { status: "pending" }, result: null, sms: null });
  });

  test("the payment can be another merchant's, and started without the merchant API", async () => {
    const order = { payment_account_id: sandbox.other.accountId, kind: "web", phone: "0712345678", amount: 5 };
    const { checkout_request_id } = await sandbox.control("POST", "/payments", order);
    expect(await story(String(checkout_request_id))).toMatchObject({
      transaction: { merchant_id: 2, kind: "web" },
      prompt: { business: "Second Shop" },
      requests: [],
    });
  });

  test("404: unknown ids", async () => {
    for (const id of ["ws_CO_20112026100000_NOBODY", "1", "%00", "x%2Fy"])
      await sandbox.refusal("GET", `/transactions/${id}`, undefined, 404);
  });
});
