import { describe, expect, test } from "bun:test";
import { createAuditedClient, testFindings } from "../../support/audited-client.ts";

/** Stands here once more, so that another value is noticed. */
const MOST_LIST_READS = 16;

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

const ERROR = "error charges_twice";
const WARNING = "warning charges_twice";
const NOTE = "note reference_reused";
const LOSE = "fault=disconnect";
const OTHER = "phone=254722222222";
const CAMPAIGN = Array.from({ length: 50 }, (_, number) => `pay CAMPAIGN phone=${254_711_000_000 + number}`).join("; ");
const LISTS = Array.from({ length: MOST_LIST_READS }, () => "live 100; list").join("; ");
const COFFEES = ["A", "B", "-", "-"].map((name, n) => `pay ${name}; end ${n + 1} completed; poll ${n + 1} completed`);

describe("a customer who can pay twice", () => {
  const SCENARIOS: readonly (readonly [name: string, expected: Parameters<typeof testFindings>[1], story: string])[] = [
    ["two clicks without a reference", [ERROR], "pay -; pay -"],
    ["two clicks with an empty reference", [ERROR], "pay ; pay "],
    ["two clicks with one reference", [ERROR], "pay A; pay A"],
    ["one reference and phone, and another amount", [ERROR], "pay A; pay A amountCents=999"],
    [
      "two clicks whose references hold the time",
      [WARNING],
      "pay ORDER-1763600000000; live 700; pay ORDER-1763600000700",
    ],
    ["a reference, and then none", [WARNING], "pay A; pay -"],
    ["many orders of a suite that pays from one phone", [WARNING], "pay A; pay B; pay C; pay D"],
    ["two other orders of one customer", [], "pay A; pay B amountCents=999"],
    ["two customers with the same amount", [], `pay A; pay B ${OTHER}; pay - phone=254733333333`],
    ["two payment accounts", [], "pay A; pay B paymentAccountId=2"],
    ["two customers with one reference", [NOTE], `pay A; pay A ${OTHER}`],
    ["a bulk run with a campaign's name", [NOTE], CAMPAIGN],
    ["a reference of two customers, and the first of them pays again", [ERROR, NOTE], `pay A; pay A ${OTHER}; pay A`],
    ["two merchants with one reference", [], `pay A; pay A merchantId=2 paymentAccountId=2 ${OTHER}`],
    ["a new try after a final failure, with the same reference", [], "pay A; poll 1 failed; pay A"],
    ["a new try after a failure that nobody has read yet", [], "pay A; end 1 cancelled; live 1; pay A"],
    [
      "the first payment ended while the second push was on its way",
      [ERROR],
      "pay A; live 5000; end 1 completed; live 1000; pay A took=3000",
    ],
    [
      `a list that was read before the first payment was there, and ${MOST_LIST_READS} lists after it`,
      [ERROR],
      `list; live 1000; pay A took=5000; ${LISTS}; pay A`,
    ],
    ["the same coffee again after completed", [], COFFEES.join("; ")],
    ["the first payment ends after the second has started", [ERROR], "pay A; live 3000; pay A; end 1 failed"],
    ["a lost answer and a retry at once", [ERROR], `pay A ${LOSE}; pay A`],
    ["the same without a reference", [ERROR], `pay - ${LOSE}; pay -`],
    ["the same with a new reference", [WARNING], `pay A ${LOSE}; pay B`],
    ["a lost answer of a failed payment, no search", [ERROR], `pay A ${LOSE}; end 1 failed; live 10000; pay A`],
    ["a lost answer of a completed payment, no search", [ERROR], `pay A ${LOSE}; end 1 completed; live 10000; pay A`],
    [
      "a lost answer and a retry after a search that found the end",
      [],
      `pay A ${LOSE}; end 1 failed; list search=A 1=failed; live 1; pay A`,
    ],
    [
      "a lost answer and a retry, although the list showed that the payment is pending",
      [ERROR],
      `pay A ${LOSE}; live 1000; list search=A 1=pending; live 1000; pay A`,
    ],
    [
      "the first request arrives late, and the client did not search",
      [ERROR],
      "live 10000; pay A; poll 1 completed; end 1 completed; live 9000; pay A took=19000 fault=delay",
    ],
  ];
  for (const [name, expected, story] of SCENARIOS) testFindings(name, expected, story, { phone: "254711111111" });
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
  testFindings(
    "the client's own number of the order, after a refusal",
    ["failure_misread", "refused"],
    "refuse 400; poll ORDER-7",
  );
});
