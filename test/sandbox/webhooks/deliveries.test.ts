import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { hang } from "../../support/fake-server.ts";
import { until } from "../../support/waiting.ts";
import { useWebhook } from "./delivering.ts";

const { sandbox, receive, attemptsInMetrics, payAndEnd, deliveries, ended, attempted } = useWebhook();
afterAll(cleanUp);

describe("each payment that becomes final is POSTed", () => {
  test("as payment.updated, with the headers that real services send", async () => {
    const receiver = await receive();
    const id = await sandbox.pay({ amount: 100.5, reference: "ORDER-1" });
    await sandbox.advanceClock("10s"); // it has paid after 3 s
    await receiver.until(1);
    const [message] = receiver.received;
    expect(Object.fromEntries(message?.headers ?? [])).toMatchObject({
      ...{ "x-webhook-event": "payment.updated", "x-webhook-source": "momo", "content-type": "application/json" },
      ...{ "user-agent": "momo (sandbox)", "accept-encoding": "identity" },
    });
    const status = await sandbox.statusOf(id);
    expect(message?.body).toEqual({
      event: "payment.updated",
      timestamp: "2026-11-20 10:00:10",
      data: {
        transaction_id: expect.any(Number),
        checkout_request_id: id,
        merchant_request_id: status.merchant_request_id,
        status: "completed",
        amount: 100.5,
        phone_number: "254712345678",
        transaction_code: status.transaction_code,
        mpesa_receipt: status.momo_receipt_number,
        reference: "ORDER-1",
        transaction_date: status.completed_at,
        result_code: 0,
        result_desc: status.result_desc,
        payment_link_id: null,
        service_fee: status.fee_amount,
        is_deposit: false,
        type: "API",
      },
    });
  });

  test("in the flat form", async () => {
    const receiver = await receive({ form: "flat" });
    const paid = await payAndEnd({ reference: "ORDER-1" });
    await receiver.until(1);
    const cancelled = await payAndEnd({ phone: "254700000032" });
    await receiver.until(2);
    const { momo_receipt_number } = await sandbox.statusOf(paid);
    const [first, second] = receiver.received.map(({ body }) => body);
    expect(first).toEqual({
      ...{ success: true, status: "completed", checkout_request_id: paid, transaction_id: expect.any(Number) },
      ...{ amount: 100, phone: "254712345678", mpesa_receipt: momo_receipt_number },
      reference: "ORDER-1",
    });
    const failure = {
      success: false,
      status: "cancelled",
      checkout_request_id: cancelled,
      mpesa_receipt: null,
      reference: null,
    };
    expect(second).toMatchObject(failure);
  });

  test("also one that expires, and one that a person answers; a pending one is not", async () => {
    const receiver = await receive();
    const silent = await sandbox.pay({ phone: "254700000099" });
    const manual = await sandbox.pay({ phone: "254700000100" });
    await sandbox.advanceClock("30s");
    expect(await deliveries()).toEqual([]);
    await sandbox.control("POST", `/prompts/${manual}/answer`, { outcome: "wrong_pin" });
    await receiver.until(1);
    await sandbox.advanceClock("30s");
    await receiver.until(2);
    expect(receiver.received.map(({ body }) => body.data)).toMatchObject([
      { checkout_request_id: manual, status: "failed", result_code: 2001, transaction_date: "2026-11-20 10:00:30" },
      { checkout_request_id: silent, status: "expired", result_code: 1019, transaction_date: "2026-11-20 10:01:00" },
    ]);
  });
});

describe("an attempt succeeds with any 2xx, and is repeated otherwise after 1, 10 and 60 s of the sandbox's clock", () => {
  test("not before its time; the list shows each attempt, and no secret", async () => {
    const receiver = await receive(
      {},
      (nth) => new Response(`noted ms_${"s".repeat(40)}`, { status: nth < 3 ? 500 : 202 }),
    );
    const id = await payAndEnd();
    await attempted(1);
    await sandbox.advanceClock("999ms");
    expect(receiver.received).toHaveLength(1);
    await sandbox.advanceClock("1ms");
    await attempted(2);
    await sandbox.advanceClock("10s");
    const problem = "only 2xx counts as delivered";
    const [delivery] = await ended();
    expect(delivery).toMatchObject({
      checkout_request_id: id,
      state: "delivered",
      attempts: [
        { status: 500, answer: "noted [redacted]", problem },
        { status: 500, problem },
        { status: 202, answer: "noted [redacted]", problem: null },
      ],
    });
    expect(delivery?.due_at_ms).toBe(delivery?.attempts[2]?.at_ms); // when it has ended: its last attempt
  });

  test("one long advance makes all attempts; the fourth is the last, but a resend begins with none", async () => {
    await receive({}, () => new Response("", { status: 500 }));
    const [delivered = 0, failed = 0] = await attemptsInMetrics();
    await payAndEnd();
    await attempted(1);
    await sandbox.advanceClock("71s");
    const [delivery] = await ended();
    expect(delivery).toMatchObject({ state: "failed", attempts: Array(4).fill({ status: 500 }) });
    expect(await attemptsInMetrics()).toEqual([delivered, failed + 4]);
    await sandbox.control("PUT", "/webhook", { url: "http://127.0.0.1:1/", delay: "1h" });
    const resent = await sandbox.control("POST", `/webhook/deliveries/${delivery?.id}/resend`);
    const { now_ms } = await sandbox.control("GET", "/clock");
    expect(resent.delivery).toMatchObject({ resend_of: delivery?.id, due_at_ms: now_ms, attempts: [] });
    // At once: nothing moves the clock.
    await until(deliveries, (all) => all.at(-1)?.attempts.length === 1);
  });
});

test("a resend takes the place of a delivery that waits: no retry follows", async () => {
  const receiver = await receive({}, (nth) => new Response("", { status: nth === 1 ? 500 : 200 }));
  await payAndEnd();
  await attempted(1);
  const [first] = await deliveries();
  await sandbox.control("POST", `/webhook/deliveries/${first?.id}/resend`);
  const [given, again] = await ended(2);
  expect(given).toMatchObject({ state: "failed", attempts: [{ status: 500 }] });
  expect(again).toMatchObject({ state: "delivered", attempts: [{ status: 200 }], resend_of: first?.id });
  await sandbox.advanceClock("71s");
  expect(receiver.received).toHaveLength(2);
});

describe("the settings make deliveries fail on purpose", () => {
  test("times and delay: each is delivered this many times, later by this duration", async () => {
    const receiver = await receive({ times: 2, delay: "90s" });
    const id = await payAndEnd();
    await sandbox.advanceClock("89s");
    expect(await deliveries()).toMatchObject(Array(2).fill({ state: "waiting", attempts: [] }));
    await sandbox.advanceClock("1s");
    await receiver.until(2);
    for (const { body } of receiver.received) expect(body.data).toMatchObject({ checkout_request_id: id });
  });

  test("times: 0, none is ever sent, and no answer waits for one", async () => {
    const receiver = await receive({ times: 0, early: true });
    await payAndEnd();
    await sandbox.control("PUT", "/webhook", { url: receiver.url });
    const id = await payAndEnd();
    expect((await ended()).map(({ checkout_request_id }) => checkout_request_id)).toEqual([id]);
  });

  test.each([200, 500])(
    "early: it arrives before the answer to the push, also if it is answered with %d",
    async (status) => {
      let isAnswered = false;
      const wasAnswered: boolean[] = [];
      const receiver = await receive({ early: true }, () => {
        wasAnswered.push(isAnswered);
        return new Response("", { status });
      });
      const push = sandbox.pay().finally(() => {
        isAnswered = true;
      });
      await until(sandbox.list, (rows) => rows.length === 1);
      await sandbox.advanceClock("3s");
      expect(wasAnswered).toEqual([false]);
      expect(receiver.received[0]?.body.data).toMatchObject({ checkout_request_id: await push, status: "completed" });
    },
  );
});

test("early: a push that waits is answered when the webhook is removed", async () => {
  await receive({ early: true, delay: "1h" });
  const push = sandbox.pay();
  await until(sandbox.list, (rows) => rows.length === 1);
  await sandbox.control("DELETE", "/webhook");
  await push;
});

test("a test event sends a sample payment once and answers with the attempt; it is no delivery", async () => {
  expect(await sandbox.refusal("POST", "/webhook/test", undefined, 409)).toContain("set one first");
  const receiver = await receive({ form: "flat", delay: "1h" }, (nth) => new Response("no", { status: 400 + nth }));
  const { message, attempt, body } = await sandbox.control("POST", "/webhook/test", {});
  expect(message).toBe("the webhook did not accept the test event: HTTP 401, only 2xx counts as delivered");
  expect(attempt).toMatchObject({ status: 401, answer: "no" });
  const sample = { success: true, status: "completed", transaction_id: 0, amount: 100, phone: "254712345678" };
  expect(body).toMatchObject({ ...sample, checkout_request_id: "ws_CO_01012026000000_TEST", mpesa_receipt: "TEST" });
  expect(receiver.received[0]?.body).toEqual(body as Record<string, unknown>);
  expect(await deliveries()).toEqual([]);
});

test("a receiver that does not know the sample may answer 404, and the answer says so", async () => {
  await receive({}, () => new Response("no such payment", { status: 404 }));
  expect((await sandbox.control("POST", "/webhook/test", {})).message).toBe(
    "the webhook did not accept the test event: HTTP 404, only 2xx counts as delivered. A receiver may answer 404 for a payment that it does not know: this sample is one",
  );
});

test("test events are among the sixteen attempts at once; one more is refused", async () => {
  const receiver = await receive({}, hang);
  const tests = Array.from({ length: 16 }, () => sandbox.call("POST", "/webhook/test"));
  await receiver.until(16);
  expect(await sandbox.call("POST", "/webhook/test")).toMatchObject({ status: 503 });
  await sandbox.control("DELETE", "/webhook");
  for (const { status } of await Promise.all(tests)) expect(status).toBe(409);
});

test("a removal that cannot be stored removes nothing", async () => {
  const { url } = await receive();
  const { deliveries: stored } = sandbox.store;
  const { giveUp } = stored;
  stored.giveUp = () => Promise.reject(new Error("the disk is full"));
  expect(await sandbox.call("DELETE", "/webhook")).toMatchObject({ status: 500 });
  stored.giveUp = giveUp;
  expect(sandbox.faults.splice(0).map(String)).toEqual(["Error: the disk is full"]);
  expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook: { url } });
});
