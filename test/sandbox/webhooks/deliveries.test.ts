import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { openSteered, type Steered } from "../../support/steered.ts";
import { until } from "../../support/until.ts";

let sandbox: Steered;
beforeEach(async () => {
  sandbox = await openSteered();
});
afterEach(() => sandbox.close());
afterAll(cleanUp);

interface DeliveryView {
  readonly id: number;
  readonly checkout_request_id: string;
  readonly state: string;
  readonly resend_of?: number;
  readonly due_at_ms: number;
  readonly attempts: { status: number | null; answer: string | null; problem: string | null; at_ms: number }[];
}

const set = (receiver: Pick<Receiver, "url">, more: object = {}) =>
  sandbox.control("PUT", "/webhook", { url: receiver.url, ...more });
const advance = (duration: string) => sandbox.control("POST", "/clock", { advance: duration });
const deliveries = async () => (await sandbox.control("GET", "/webhook")).deliveries as DeliveryView[];
const untilDeliveries = (isEnough: (all: DeliveryView[]) => boolean) => until(deliveries, isEnough);
const allEnded = (all: DeliveryView[]) =>
  all.length > 0 && all.every(({ state }) => state !== "waiting" && state !== "sending");

describe("a webhook, which the specification does not know, is off unless somebody asks for it", () => {
  test("without one nothing is delivered, and that is said", async () => {
    await sandbox.pay();
    await advance("3s");
    const answer = await sandbox.control("GET", "/webhook");
    expect(answer).toMatchObject({ webhook: null, deliveries: [], next: null });
    expect(answer.message).toContain("the specification knows no webhooks (§6)");
  });

  test("settings are shown with their defaults", async () => {
    const url = "http://127.0.0.1:1/hook";
    const shown = { url, form: "payment.updated", times: 1, delay: "0s", shuffle: "0s", lost: 0, early: false };
    const put = await sandbox.control("PUT", "/webhook", { url });
    expect(put).toMatchObject({ webhook: shown });
    expect(put.message).toContain("the specification knows no webhooks");
    expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook: shown });
    expect(await sandbox.control("DELETE", "/webhook")).toMatchObject({ webhook: null });
  });

  const BAD: [name: string, settings: object, says: string][] = [
    ["no address", {}, "url: is missing"],
    ["another protocol", { url: "ftp://127.0.0.1/" }, "url: it must be an http or https address"],
    ["no address at all", { url: "hook" }, "url: it must be an http or https address"],
    ["a password", { url: "http://shop:hunter2@127.0.0.1/" }, "url: it must have no user name and no password"],
    ["2,049 characters", { url: `http://a/${"b".repeat(2040)}` }, "at most 2048 characters"],
    ["another form", { url: "http://a/", form: "xml" }, 'form: must be one of payment.updated, flat; it is "xml"'],
    ["11 times", { url: "http://a/", times: 11 }, "times: must be at most 10; it is 11"],
    ["a delay of two days", { url: "http://a/", delay: "48h" }, "delay: it is not a duration"],
    ["a probability of 2", { url: "http://a/", lost: 2 }, "lost: must be at most 1"],
    ["an unknown member", { url: "http://a/", retry: 1 }, 'there is no member "retry"; the members are url, form'],
  ];
  test.each(BAD)("%s is refused", async (_name, settings, says) => {
    const refusal = await sandbox.refusal("PUT", "/webhook", settings);
    expect(refusal).toContain(says);
    expect(refusal).not.toContain("hunter2");
    expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook: null });
  });
});

describe("each payment that becomes final is POSTed", () => {
  test("as payment.updated, with the headers of the field", async () => {
    const receiver = startReceiver();
    await set(receiver);
    const id = await sandbox.pay({ amount: 100.5 });
    await advance("3s");
    await receiver.until(1);
    const [message] = receiver.received;
    expect(message?.headers.get("X-Webhook-Event")).toBe("payment.updated");
    expect(message?.headers.get("X-Webhook-Source")).toBe("momo");
    expect(message?.headers.get("Content-Type")).toBe("application/json");
    const status = await sandbox.statusOf(id);
    expect(message?.body).toEqual({
      event: "payment.updated",
      timestamp: "2026-11-20 10:00:03",
      data: {
        transaction_id: expect.any(Number),
        checkout_request_id: id,
        merchant_request_id: status.merchant_request_id,
        status: "completed",
        amount: 100.5,
        phone_number: "254712345678",
        transaction_code: status.transaction_code,
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
    const receiver = startReceiver();
    await set(receiver, { form: "flat" });
    const paid = await sandbox.pay();
    await advance("3s");
    await receiver.until(1);
    const { momo_receipt_number } = await sandbox.statusOf(paid);
    expect(receiver.received[0]?.body).toEqual({
      success: true,
      status: "completed",
      checkout_request_id: paid,
      transaction_id: expect.any(Number),
      amount: 100,
      phone: "254712345678",
      mpesa_receipt: momo_receipt_number,
    });
    const cancelled = await sandbox.pay({ phone: "254700000032" });
    await advance("3s");
    await receiver.until(2);
    expect(receiver.received[1]?.body).toMatchObject({
      success: false,
      status: "cancelled",
      checkout_request_id: cancelled,
      mpesa_receipt: null,
    });
  });

  test("also one that expires, and one that a person answers; none while it is pending", async () => {
    const receiver = startReceiver();
    await set(receiver);
    const silent = await sandbox.pay({ phone: "254700000099" });
    const manual = await sandbox.pay({ phone: "254700000100" });
    await advance("30s");
    expect(await deliveries()).toEqual([]);
    await sandbox.control("POST", `/prompts/${manual}/answer`, { outcome: "wrong_pin" });
    await receiver.until(1);
    await advance("30s");
    await receiver.until(2);
    expect(receiver.received.map(({ body }) => body.data)).toMatchObject([
      { checkout_request_id: manual, status: "failed", result_code: 2001 },
      { checkout_request_id: silent, status: "expired", result_code: 1019 },
    ]);
  });

  test("any 2xx takes it, and its answer is shown", async () => {
    const receiver = startReceiver(() => new Response("noted", { status: 202 }));
    await set(receiver);
    const id = await sandbox.pay();
    await advance("3s");
    const [delivery] = await untilDeliveries(allEnded);
    expect(delivery).toMatchObject({
      checkout_request_id: id,
      state: "delivered",
      attempts: [{ status: 202, answer: "noted", problem: null }],
    });
  });
});

describe("what is not taken is tried again after 1, 10 and 60 s by the sandbox's clock", () => {
  test("each by an advance, and no sooner", async () => {
    const receiver = startReceiver((nth) => new Response("", { status: nth < 3 ? 500 : 200 }));
    await set(receiver);
    await sandbox.pay();
    await advance("3s");
    await untilDeliveries(([one]) => one?.attempts.length === 1);
    await advance("999ms");
    expect(receiver.received).toHaveLength(1);
    await advance("1ms");
    await untilDeliveries(([one]) => one?.attempts.length === 2);
    await advance("10s");
    const [delivery] = await untilDeliveries(allEnded);
    expect(delivery).toMatchObject({ state: "delivered" });
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 500, 200]);
  });

  test("one advance over all of them makes them all; then it is given up", async () => {
    const receiver = startReceiver(() => new Response("", { status: 500 }));
    await set(receiver);
    await sandbox.pay();
    await advance("3s");
    await receiver.until(1);
    await advance("71s");
    const [delivery] = await untilDeliveries(allEnded);
    expect(delivery).toMatchObject({ state: "failed" });
    expect(delivery?.attempts).toHaveLength(4);
    expect(delivery?.attempts.map(({ problem }) => problem)).toEqual(Array(4).fill("only 2xx counts as taken"));
  });

  test("a redirect is not followed", async () => {
    const other = startReceiver();
    const receiver = startReceiver(() => Response.redirect(other.url, 307));
    await set(receiver);
    await sandbox.pay();
    await advance("3s");
    const [delivery] = await untilDeliveries(([one]) => one?.attempts.length === 1);
    expect(delivery).toMatchObject({
      state: "waiting",
      attempts: [{ status: 307, problem: "it redirects, and redirects are not followed" }],
    });
    expect(other.received).toEqual([]);
  });

  test("where nobody listens, that is said", async () => {
    const receiver = startReceiver();
    await receiver.stop();
    await set(receiver);
    await sandbox.pay();
    await advance("3s");
    const [delivery] = await untilDeliveries(([one]) => one?.attempts.length === 1);
    expect(delivery?.attempts[0]).toMatchObject({ status: null, problem: "nothing answers at this address" });
  });
});

describe("weather", () => {
  test("twice: each is delivered as often as times says", async () => {
    const receiver = startReceiver();
    await set(receiver, { times: 2 });
    const id = await sandbox.pay();
    await advance("3s");
    await receiver.until(2);
    for (const { body } of receiver.received) expect(body.data).toMatchObject({ checkout_request_id: id });
    expect((await untilDeliveries(allEnded)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  test("late: each is held back by delay", async () => {
    const receiver = startReceiver();
    await set(receiver, { delay: "90s" });
    await sandbox.pay();
    await advance("3s");
    await advance("89s");
    expect(await deliveries()).toMatchObject([{ state: "waiting", attempts: [] }]);
    await advance("1s");
    await receiver.until(1);
  });

  test("lost: some are never sent, the same ones for the same seed", async () => {
    const receiver = startReceiver();
    const run = async () => {
      await set(receiver, { lost: 0.5, seed: 7 });
      for (let count = 0; count < 12; count += 1) await sandbox.pay();
      await advance("3s");
      return (await untilDeliveries((all) => all.length >= 12 && allEnded(all))).slice(-12).map(({ state }) => state);
    };
    const states = await run();
    expect(new Set(states)).toEqual(new Set(["lost", "delivered"]));
    expect(receiver.received).toHaveLength(states.filter((state) => state === "delivered").length);
    expect(await run()).toEqual(states);
  });

  test("out of order: shuffle has one overtake another", async () => {
    const receiver = startReceiver();
    await set(receiver, { shuffle: "60s", seed: 3 });
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) ids.push(await sandbox.pay());
    await advance("3s");
    for (let second = 0; second < 60; second += 1) {
      await advance("1s");
      const due = (await deliveries()).filter(({ due_at_ms }) => due_at_ms <= sandbox.harness.clock.nowMs());
      await receiver.until(due.length);
    }
    const arrived = receiver.received.map(({ body }) => (body.data as DeliveryView).checkout_request_id);
    expect(arrived.toSorted()).toEqual(ids.toSorted());
    expect(arrived).not.toEqual(ids);
  });

  test("early: it comes before the answer to the push", async () => {
    const receiver = startReceiver();
    await set(receiver, { early: true });
    let isAnswered = false;
    const push = sandbox.pay().then((id) => {
      isAnswered = true;
      return id;
    });
    await until(
      () => sandbox.list(),
      (rows) => rows.length === 1,
    );
    await advance("3s");
    await receiver.until(1);
    expect(isAnswered).toBe(false);
    expect(receiver.received[0]?.body.data).toMatchObject({ checkout_request_id: await push, status: "completed" });
  });
});

describe("a delivery can be sent again", () => {
  test("as one of its own, at once and in good weather", async () => {
    const receiver = startReceiver();
    await set(receiver, { lost: 1 });
    await sandbox.pay();
    await advance("3s");
    const [lost] = await untilDeliveries(allEnded);
    expect(lost?.state).toBe("lost");
    const { delivery } = await sandbox.control("POST", `/webhook/deliveries/${lost?.id}/resend`);
    expect(delivery).toMatchObject({ resend_of: lost?.id, state: "waiting" });
    await receiver.until(1);
    expect(await untilDeliveries(allEnded)).toMatchObject([{ state: "lost" }, { state: "delivered" }]);
  });

  test("not one that is unknown, and not where there is no webhook", async () => {
    const receiver = startReceiver();
    await set(receiver);
    for (const id of ["99", "x", "0"]) {
      expect((await sandbox.call("POST", `/webhook/deliveries/${id}/resend`)).status).toBe(404);
    }
    await sandbox.pay();
    await advance("3s");
    await untilDeliveries(allEnded);
    await sandbox.control("DELETE", "/webhook");
    const refused = await sandbox.call("POST", "/webhook/deliveries/1/resend");
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining("PUT /_momo/webhook") } });
  });
});

describe("where it is seen", () => {
  test("the story of a payment has its deliveries", async () => {
    const receiver = startReceiver();
    const before = await sandbox.pay();
    await advance("3s");
    await set(receiver);
    const id = await sandbox.pay();
    await advance("3s");
    await untilDeliveries(allEnded);
    expect(await sandbox.control("GET", `/transactions/${before}`)).toMatchObject({ webhooks: [] });
    expect(await sandbox.control("GET", `/transactions/${id}`)).toMatchObject({
      webhooks: [{ state: "delivered", body: { data: { checkout_request_id: id } } }],
    });
  });

  test("a reset forgets the deliveries and the webhook", async () => {
    await set(startReceiver(), { delay: "1h" });
    await sandbox.pay();
    await advance("3s");
    expect(await deliveries()).toHaveLength(1);
    await sandbox.control("POST", "/reset");
    expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook: null, deliveries: [] });
  });

  test("when it is removed, what waits is dropped", async () => {
    await set(startReceiver(), { delay: "1h" });
    await sandbox.pay();
    await advance("3s");
    await sandbox.control("DELETE", "/webhook");
    expect(await deliveries()).toMatchObject([{ state: "failed", attempts: [] }]);
  });

  test("the list comes in pages", async () => {
    const receiver = startReceiver();
    await set(receiver, { times: 3 });
    await sandbox.pay();
    await advance("3s");
    await untilDeliveries(allEnded);
    const page = await sandbox.control("GET", "/webhook?limit=2");
    expect(page).toMatchObject({ deliveries: [{ id: 2 }, { id: 3 }], next: "/_momo/webhook?before=2&limit=2" });
    expect(await sandbox.control("GET", "/webhook?before=2&limit=2")).toMatchObject({
      deliveries: [{ id: 1 }],
      next: null,
    });
  });
});
