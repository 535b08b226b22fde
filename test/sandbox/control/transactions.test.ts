import { describe, expect, test } from "bun:test";
import { createTestPayments } from "../../../sandbox/control/memory.ts";
import { expectSoundAnswer, insertDue, payment, useScene } from "../../support/scene.ts";
import { START_MS } from "../../support/service.ts";
import { rejectionOf } from "../../support/waiting.ts";

const sandbox = useScene();

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
    const status = ["?", "?status=cancelled", "?status=expired&date_from=2026-11-20", "?type=api&status=failed"];
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

const decision = async (id: string) => (await sandbox.control("GET", `/transactions/${id}`)).decided_by;
const header = (outcome: string) => ({ "X-Sandbox-Outcome": outcome });
const after = (seconds: number) => START_MS + seconds * 1000;

describe("decided_by: who, what and when, the same while the payment is pending and when it has ended", () => {
  const byRule = async () => {
    const rules = [
      { match: { reference: "A" }, outcome: "expired" },
      { outcome: "wrong_pin", after: "2s", times: 1 },
    ];
    await sandbox.control("PUT", "/rules", rules);
    const id = await sandbox.pay();
    await sandbox.control("DELETE", "/rules");
    return id;
  };
  const byDefault = async () => {
    await sandbox.control("PUT", "/default", { outcome: "unreachable" });
    return sandbox.pay();
  };
  const byHeader = () => sandbox.pay({}, header("cancelled; after=10s"));
  const byLimit = () => sandbox.pay({ amount: 250_001 });
  const byPhone = () => sandbox.pay({ phone: "254700000001" });

  test.each<[who: string, inWords: string, outcome: string, seconds: number, start: () => Promise<string>]>([
    ["header", "The request itself (X-Sandbox-Outcome)", "cancelled", 10, byHeader],
    ["rule", "Rule 2", "wrong_pin", 2, byRule],
    ["network_limit", "The network's own limit of KES 250,000", "over_limit", 3, byLimit],
    ["test_phone", "The number, a test phone,", "insufficient_funds", 3, byPhone],
    ["default", "The default of the server", "unreachable", 15, byDefault],
  ])("%s", async (who, inWords, outcome, seconds, start) => {
    const id = await start();
    const expected = {
      ...{ who, outcome, at_ms: after(seconds) },
      ...(who === "rule" && { rule: 2 }),
      in_words: `${inWords} decided: ${outcome}, ${seconds}s after the start.`,
    };
    expect(await decision(id)).toEqual(expected);
    await sandbox.advanceClock("5m");
    expect(await decision(id)).toEqual(expected);
  });

  test.each([
    ["silent", "254700000099", null, "so that the network never answers"],
    ["expired", "254700000019", after(60), "1m after the start"],
  ])("a network decided, too, if its %s payment ends with the deadline", async (outcome, phone, at_ms, how) => {
    const id = await sandbox.pay({ phone });
    const before = await decision(id);
    const in_words = `The number, a test phone, decided: ${outcome}, ${how}.`;
    expect(before).toMatchObject({ who: "test_phone", outcome, at_ms, in_words });
    await sandbox.advanceClock("5m");
    expect(await decision(id)).toEqual(before);
  });

  test.each(["completed", "manual", "wrong_pin"])("person, instead of %s", async (outcome) => {
    const id = await sandbox.pay({}, header(outcome));
    await sandbox.advanceClock("1s");
    await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "0000" });
    expect(await decision(id)).toMatchObject({
      who: "person",
      outcome: "wrong_pin",
      in_words: "A person, or a script in place of one, answered: wrong_pin, 1s after the start.",
    });
  });

  test.each([
    ["no answer", "manual", null, "manual, to wait for an answer by hand."],
    ["the network would have answered too late", "completed; after=2m", after(120), "completed, 2m after the start."],
  ])("deadline: %s", async (_why, instruction, at_ms, decided) => {
    const id = await sandbox.pay({}, header(instruction));
    expect(await decision(id)).toMatchObject({ who: "header", at_ms });
    await sandbox.advanceClock("60s");
    const before = `The request itself (X-Sandbox-Outcome) had decided: ${decided}`;
    expect(await decision(id)).toEqual({
      who: "deadline",
      outcome: "expired",
      at_ms: after(60),
      in_words: `The prompt's time was over 1m after the start. ${before}`,
    });
  });

  test("null for a payment from a version that did not store it", async () => {
    await insertDue(sandbox, 1);
    const [listed] = await sandbox.list();
    const id = String(listed?.checkout_request_id);
    expect(await decision(id)).toBeNull();
    await sandbox.advanceClock("1s");
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
    expect(await decision(id)).toBeNull();
  });
});

const start = (changes: object = {}, headers = {}) =>
  sandbox.call("POST", "/payments", { json: { ...payment(sandbox.caller), kind: "web", ...changes }, headers });

describe("POST /_momo/payments: a test payment of any kind", () => {
  test.each(["api", "web", "wallet_deposit", "credit_topup"])("%s", async (kind) => {
    const answer = await start({ kind });
    expect(answer.status, answer.text).toBe(200);
    expectSoundAnswer(answer);
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      transaction_id: expect.any(Number),
      checkout_request_id: expect.stringMatching(/^ws_CO_/),
      merchant_request_id: expect.stringMatching(/^ws_MR_/),
    });
    expect(await sandbox.list()).toMatchObject([
      { id: answer.body.transaction_id, kind, type: kind.toUpperCase(), is_deposit: kind === "wallet_deposit" },
    ]);
  });

  test.each([
    ["the console", { "Sec-Fetch-Site": "same-origin" }, "console"],
    ["another program", {}, "control_api"],
  ])("its story says that %s started it", async (_who, headers, started_by) => {
    const { body } = await start({}, headers);
    expect(await sandbox.control("GET", `/transactions/${body.checkout_request_id}`)).toMatchObject({ started_by });
  });

  test("it belongs to the merchant of the payment account", async () => {
    await start(payment(sandbox.other));
    const { body } = await sandbox.ask("GET", "/transactions.php", { headers: sandbox.other.headers });
    expect(body.transactions).toMatchObject([{ kind: "web" }]);
    expect(await sandbox.list()).toEqual([]);
  });

  test("outcome decides its result", async () => {
    await start({ outcome: "cancelled; after=1s" });
    await sandbox.advanceClock("1s");
    expect(await sandbox.list()).toMatchObject([{ status: "cancelled", result_code: 1032 }]);
  });

  test.each<[what: string, changes: object, status: number, says: string]>([
    ["no kind", { kind: undefined }, 400, "kind is missing: it must be one of api, web, wallet_deposit, credit_topup"],
    ["an unknown kind", { kind: "WEB" }, 400, "kind must be one of"],
    ["a kind that is no string", { kind: 1 }, 400, "kind must be one of"],
    ["an unknown account", { payment_account_id: 999_999 }, 400, "payment_account_id is not"],
    ["an outcome that is no string", { outcome: 1 }, 400, "outcome must be a string"],
    ["an unknown outcome", { outcome: "nothing" }, 400, "outcome is not the name of an outcome"],
    ["a refused phone", { phone: "254700000500" }, 500, "STK push initiation failed: "],
  ])("%s is refused", async (_what, changes, status, says) => {
    const json = { ...payment(sandbox.caller), kind: "web", ...changes };
    expect(await sandbox.refusal("POST", "/payments", json, status)).toStartWith(says);
    expect(await sandbox.list()).toEqual([]);
  });
});

test("the starters of the last 1,000 test payments are known", () => {
  const started = createTestPayments();
  for (let number = 0; number < 1000; number += 1) started.note(`ws_CO_${number}`, "console");
  expect(started.starterOf("ws_CO_0")).toBe("console");
  started.note("ws_CO_1000", "control_api");
  expect([started.starterOf("ws_CO_0"), started.starterOf("ws_CO_1000")]).toEqual([null, "control_api"]);
});
