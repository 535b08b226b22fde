import { describe, expect, test } from "bun:test";
import { MOST_LIST_READS } from "../../../sandbox/audit/rules.ts";
import { type AuditedClient, createAuditedClient, LOST, testFindings } from "../../support/audited-client.ts";

describe("charging a reference twice", () => {
  test("while the first payment is pending is an error that names both requests", () => {
    const client = createAuditedClient();
    client.push("A");
    client.live(5000);
    const second = client.push("A");
    expect(client.finding()).toMatchObject({
      kind: "charges_twice",
      severity: "error",
      request_ids: [1, 2],
      checkout_request_id: second,
      reference: "A",
      first_at: "2026-11-20 10:00:05",
      count: 1,
    });
  });

  test("the third time is counted in the same finding", () => {
    const client = createAuditedClient();
    for (let click = 0; click < 3; click += 1) client.push("A");
    expect(client.finding()).toMatchObject({ request_ids: [1, 2, 3], count: 2 });
  });

  test("a payment that has ended in between hides nothing", () => {
    const client = createAuditedClient();
    const phone = { phone: "254711111111" };
    client.push("A", {}, phone);
    client.poll(client.push("B", {}, phone), "failed");
    client.push("C", {}, phone);
    expect(client.finding()).toMatchObject({
      severity: "warning",
      request_ids: [1, 2, 4],
      count: 2,
      message: expect.stringContaining(
        "254711111111 is asked for KES 1 a second time, with another reference (first “A”, then “B”)",
      ),
    });
  });
});

/** What is not as in the first payment. */
type Differs = Partial<Record<"phone", string> & Record<"amountCents" | "merchantId" | "paymentAccountId", number>>;

/** A payment in a scenario: its reference, and what is not as in the first one. */
type Scenario = (
  pay: (reference: string | null, order?: Differs, more?: object) => string,
  client: AuditedClient,
) => void;

const OTHER_PHONE = { phone: "254722222222" };
const OTHER_AMOUNT = { amountCents: 999 };
const ERROR = "error charges_twice";
const WARNING = "warning charges_twice";
const NOTE = "note reference_reused";

describe("a customer who can pay twice", () => {
  const scenarios: readonly (readonly [string, Parameters<typeof testFindings>[1], Scenario])[] = [
    ["two clicks without a reference", [ERROR], (pay) => [pay(null), pay(null)]],
    ["two clicks with an empty reference", [ERROR], (pay) => [pay(""), pay("")]],
    ["two clicks with one reference", [ERROR], (pay) => [pay("A"), pay("A")]],
    ["one reference and phone, and another amount", [ERROR], (pay) => [pay("A"), pay("A", OTHER_AMOUNT)]],
    [
      "two clicks 0.7 s apart whose references hold the time",
      [WARNING],
      (pay, client) => [pay("ORDER-1763600000000"), client.live(700), pay("ORDER-1763600000700")],
    ],
    ["a reference, and then none", [WARNING], (pay) => [pay("A"), pay(null)]],
    [
      "many orders of a suite that pays from one phone",
      [WARNING],
      (pay) => ["A", "B", "C", "D"].map((name) => pay(name)),
    ],
    ["two other orders of one customer", [], (pay) => [pay("A"), pay("B", OTHER_AMOUNT)]],
    [
      "two customers with the same amount",
      [],
      (pay) => [pay("A"), pay("B", OTHER_PHONE), pay(null, { phone: "254733333333" })],
    ],
    ["two payment accounts", [], (pay) => [pay("A"), pay("B", { paymentAccountId: 2 })]],
    ["two customers with one reference", [NOTE], (pay) => [pay("A"), pay("A", OTHER_PHONE)]],
    [
      "a bulk run with a campaign's name",
      [NOTE],
      (pay) => Array.from({ length: 50 }, (_, number) => pay("CAMPAIGN", { phone: String(254_711_000_000 + number) })),
    ],
    [
      "a reference of two customers, and the first of them pays again",
      [ERROR, NOTE],
      (pay) => [pay("A"), pay("A", OTHER_PHONE), pay("A")],
    ],
    [
      "two merchants with one reference",
      [],
      (pay) => [pay("A"), pay("A", { merchantId: 2, paymentAccountId: 2, ...OTHER_PHONE })],
    ],
    [
      "a new try after a final failure, with the same reference",
      [],
      (pay, client) => {
        client.poll(pay("A"), "failed");
        pay("A");
      },
    ],
    [
      "a new try after a failure that nobody has read yet",
      [],
      (pay, client) => {
        client.end(pay("A"), "cancelled");
        client.live(1);
        pay("A");
      },
    ],
    [
      "the first payment ended while the second push was on its way",
      [ERROR],
      (pay, client) => {
        const first = pay("A");
        client.live(5000);
        client.end(first, "completed");
        client.live(1000);
        pay("A", {}, { durationMs: 3000 });
      },
    ],
    [
      `a list that was read before the first payment was there, and ${MOST_LIST_READS} lists after it`,
      [ERROR],
      (pay, client) => {
        client.list();
        client.live(1000);
        pay("A", {}, { durationMs: 5000 });
        for (let read = 0; read < MOST_LIST_READS; read += 1) {
          client.live(100);
          client.list();
        }
        pay("A");
      },
    ],
    [
      "the same coffee again after completed",
      [],
      (pay, client) => {
        for (const reference of ["A", "B", null, null]) {
          const id = pay(reference);
          client.end(id, "completed");
          client.poll(id, "completed");
        }
      },
    ],
    [
      "the first payment ends after the second has started",
      [ERROR],
      (pay, client) => {
        const first = pay("A");
        client.live(3000);
        pay("A");
        client.end(first, "failed");
      },
    ],
    ["a lost answer and a retry at once", [ERROR], (pay) => [pay("A", {}, LOST), pay("A")]],
    ["the same without a reference", [ERROR], (pay) => [pay(null, {}, LOST), pay(null)]],
    ["the same with a new reference", [WARNING], (pay) => [pay("A", {}, LOST), pay("B")]],
    ...(["failed", "completed"] as const).map(
      (status) =>
        [
          `a lost answer of a payment that is ${status} by then, and a retry without a search`,
          [ERROR],
          (pay, client) => {
            client.end(pay("A", {}, LOST), status);
            client.live(10_000);
            pay("A");
          },
        ] as const satisfies readonly [string, Parameters<typeof testFindings>[1], Scenario],
    ),
    [
      "a lost answer and a retry after a search that found the end",
      [],
      (pay, client) => {
        const first = pay("A", {}, LOST);
        client.end(first, "failed");
        client.list("search=A", { [first]: "failed" });
        client.live(1);
        pay("A");
      },
    ],
    [
      "a lost answer and a retry, although the list showed that the payment is pending",
      [ERROR],
      (pay, client) => {
        const first = pay("A", {}, LOST);
        client.live(1000);
        client.list("search=A", { [first]: "pending" });
        client.live(1000);
        pay("A");
      },
    ],
    [
      "the first request arrives late, and the client did not search",
      [ERROR],
      (pay, client) => {
        client.live(10_000);
        const second = pay("A");
        client.poll(second, "completed");
        client.end(second, "completed");
        client.live(9000);
        pay("A", {}, { durationMs: 19_000, fault: "delay" });
      },
    ],
  ];
  for (const [name, expected, act] of scenarios) {
    testFindings(name, expected, (client) =>
      act((reference, order, more) => client.push(reference, more, { phone: "254711111111", ...order }), client),
    );
  }
});

describe("reading a refusal as a payment", () => {
  const DEEP = JSON.parse(`${"[".repeat(9000)}${"]".repeat(9000)}`);
  test.each([[undefined], [null], [""], ["undefined"], ["[object Object]"], [{ toString: 1, valueOf: 1 }], [DEEP]])(
    "a poll without an id names both requests (%#)",
    (id) => {
      const client = createAuditedClient();
      client.refuse(500);
      client.poll(id);
      expect(client.finding()).toMatchObject({
        kind: "failure_misread",
        request_ids: [1, 2],
        message: expect.stringContaining("HTTP 500"),
      });
    },
  );

  testFindings("no id, also without a refusal", ["failure_misread"], (client) => {
    client.push("A");
    client.poll(undefined);
  });
  testFindings("the client's own number of the order, after a refusal", ["failure_misread", "refused"], (client) => {
    client.refuse(400);
    client.poll("ORDER-7");
  });
});
