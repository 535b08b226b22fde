import { describe, expect, test } from "bun:test";
import { transactionCode } from "../../../src/domain/identifiers.ts";
import { type AuditedClient, createAuditedClient, LOST, testFindings } from "../../support/audited-client.ts";

/** Stands here once more, so that another value is noticed. */
const MOST_PAYMENTS = 2000;
const MOST_REFUSALS = 100;

const NO_PAYMENT = "checkout_request_id is not that of a payment of yours";

describe("the tally", () => {
  test("counts requests, refusals by status and message, and payments", () => {
    const client = createAuditedClient();
    const [paid, failed, pending] = [client.push(), client.push("A", LOST), client.push()];
    client.refuse(401, {}, {}, "the key is wrong");
    for (let time = 0; time < 2; time += 1) client.refuse(400, {}, {}, "amount is missing");
    client.end(paid, "completed");
    client.end(failed, "failed");
    client.poll(paid, "completed");
    client.poll(pending, "pending");
    const refused = [
      { status: 400, message: "amount is missing", count: 2 },
      { status: 401, message: "the key is wrong", count: 1 },
    ];
    const payments = { started: 3, paid: 1, not_followed: 1 };
    expect(client.tally()).toEqual({ requests: 8, accepted: 5, refused, refused_left_out: 0, payments });
    client.forget();
    const nothing = { started: 0, paid: 0, not_followed: 0 };
    expect(client.tally()).toEqual({
      ...{ requests: 0, accepted: 0, refused: [], refused_left_out: 0 },
      payments: nothing,
    });
  });

  testFindings("leaves out what browsers and probes ask for by themselves", [], (client) => {
    for (const target of ["/favicon.ico", "/openapi.json", "/v2"]) client.send({ method: "GET", target, status: 404 });
    expect(client.tally().requests).toBe(0);
  });

  test("counts what was paid also for payments that it has forgotten", () => {
    const client = createAuditedClient();
    const ids = Array.from({ length: MOST_PAYMENTS + 3 }, () => client.push());
    for (const id of ids.slice(0, 3)) client.end(id, "completed");
    expect(client.tally().payments).toMatchObject({ started: MOST_PAYMENTS + 3, paid: 3 });
  });

  test(`keeps ${MOST_REFUSALS} different refusals, and counts the rest`, () => {
    const client = createAuditedClient();
    for (let phone = 0; phone < MOST_REFUSALS + 5; phone += 1) client.refuse(400, {}, {}, `phone is ${phone}`);
    expect(client.tally()).toMatchObject({ requests: MOST_REFUSALS + 5, accepted: 0, refused_left_out: 5 });
    expect(client.findings()).toHaveLength(MOST_REFUSALS);
  });
});

describe("a run without an accepted request", () => {
  const over = (act: (client: AuditedClient) => void, hosts: readonly string[] = []) => {
    const client = createAuditedClient();
    act(client);
    const at = { nowMs: client.clock.nowMs(), realMs: client.realClock.nowMs(), livedMs: client.clock.livedMs() };
    return client.audit.report(at, { hosts }).findings.find(({ kind }) => kind === "nothing_accepted");
  };
  const outage = (client: AuditedClient) => client.poll("ws_1", undefined, { status: 503, fault: "error" });

  test.each([
    ["no request", "error", "No request came.", []],
    [
      "no request to a host",
      "error",
      "No request came; nothing reached a.example or b.example.",
      ["a.example", "b.example"],
    ],
  ] as const)("%s: %s", (_name, severity, message, hosts) => {
    expect(over(() => {}, hosts)).toMatchObject({ severity, message });
  });

  test("each was refused: the message says why; but an outage that the test itself made is only a note", () => {
    expect(over((client) => client.refuse(400, {}, {}, "amount is missing"))).toMatchObject({
      severity: "error",
      message: "The only request was refused: 1 × 400 “amount is missing”.",
    });
    expect(over(outage)?.severity).toBe("note");
    expect(over((client) => [outage(client), client.refuse(401)])?.severity).toBe("error");
    expect(over((client) => [outage(client), client.live(1), client.forget(), outage(client)])?.severity).toBe("note");
  });

  test("is none if a request was accepted, also before a reset, or with a lost answer", () => {
    expect(over((client) => client.list())).toBeUndefined();
    expect(over((client) => [client.list(), client.live(1), client.forget()])).toBeUndefined();
    expect(over((client) => client.push("A", LOST))).toBeUndefined();
  });

  testFindings("while the run goes on, it is no finding", [], (client) => client.live(60_000));
});

describe("refusals", () => {
  test("each has a finding with momo's own message, one for each message, with a count", () => {
    const client = createAuditedClient();
    for (let time = 0; time < 2; time += 1) client.refuse(400, {}, {}, "payment account 17 does not exist");
    client.refuse(401, {}, {}, "X-API-Key is missing");
    client.list("limit=200", {}, { status: 400, answer: '{"success":false,"message":"limit must be at most 100"}' });
    const found = client.findings().map(({ kind, severity, message, count }) => [kind, severity, message, count]);
    expect(found).toEqual([
      ["refused", "warning", "Refused with HTTP 400: “payment account 17 does not exist”.", 2],
      ["refused", "warning", "Refused with HTTP 401: “X-API-Key is missing”.", 1],
      ["refused", "warning", "Refused with HTTP 400: “limit must be at most 100”.", 1],
    ]);
  });

  testFindings(
    "by a fault, by the simulated network, or explained by another finding",
    ["number_as_text", "unknown_path"],
    (client) => {
      client.refuse(404, {}, { fault: "error" });
      client.refuse(500, {}, {}, "STK push initiation failed");
      client.refuse(400, { amount: "100" }, {}, 'amount must be a number; it is a string, "100"');
      client.send({ target: "/v2/pay", status: 404 });
    },
  );

  testFindings(
    "a number as text does not explain the refusal of another member",
    ["number_as_text", "refused"],
    (client) => {
      client.refuse(
        400,
        { amount: "100", phone: 7 },
        {},
        'amount must be a number; it is a string, "100"; phone must be a string',
      );
    },
  );
});

describe("a status that is asked for wrongly", () => {
  const refusal = (message: string) => JSON.stringify({ success: false, message });
  const get = (client: AuditedClient, target: string, status = 405) =>
    client.send({ method: "GET", target, status, answer: refusal("this operation takes POST only") });

  /** The finding about a payment that was asked for in this way, also a minute later. */
  function findingFor(act: (client: AuditedClient, id: string) => void) {
    const client = createAuditedClient();
    act(client, client.push("ORDER-1"));
    client.live(60_000);
    const [finding, ...more] = client.findings().filter(({ kind }) => kind !== "unknown_member");
    expect(more).toEqual([]);
    return finding;
  }

  const ENCODED = "the id in another encoding";
  test.each<[string, (id: string) => object, string]>([
    ["its transaction_id", () => ({ checkout_request_id: "1" }), "the transaction_id of the payment"],
    ["transaction_id", () => ({ transaction_id: 1 }), "the transaction_id of the payment"],
    ["its code", () => ({ checkout_request_id: transactionCode(1) }), "the transaction_code of the payment"],
    ["its merchant_request_id", (id) => ({ id: id.replace("CO", "MR") }), "the merchant_request_id of the payment"],
    ["its reference", () => ({ checkout_request_id: "ORDER-1" }), "the reference of the payment"],
    ["another name", (id) => ({ checkoutId: id }), "the id as “checkoutId” instead of “checkout_request_id”"],
    ["a cut id", (id) => ({ checkout_request_id: id.slice(0, 32) }), "32 of the 41 characters of the id"],
    ["the end of the id", (id) => ({ checkout_request_id: id.slice(6) }), "35 of the 41 characters of the id"],
    ["a percent-encoded id", (id) => ({ checkout_request_id: id.replaceAll("_", "%5F") }), ENCODED],
    ["an id in lower case", (id) => ({ checkout_request_id: id.toLowerCase() }), ENCODED],
    ["an id in quotes", (id) => ({ checkout_request_id: JSON.stringify(id) }), ENCODED],
    ["an id in Base64", (id) => ({ checkout_request_id: btoa(id) }), ENCODED],
    ["an id with spaces", (id) => ({ checkout_request_id: ` ${id.replaceAll("_", " ")}` }), ENCODED],
    ["more than the id", (id) => ({ checkout_request_id: `id=${id}` }), "the id with more around it"],
  ])(
    "by %s: the finding names exactly that and the right line of code, and the payment counts as asked for",
    (_name, bodyOf, what) => {
      const finding = findingFor((client, id) =>
        client.send({ body: JSON.stringify(bodyOf(id)), status: 404, answer: refusal(NO_PAYMENT) }),
      );
      expect(finding).toMatchObject({ kind: "unknown_id", severity: "warning" });
      expect(finding?.message).toContain(what);
      expect(finding?.message).toContain(NO_PAYMENT);
      expect(finding?.advice).toContain('await fetch(origin + "/v2/status.php", { method: "POST", headers, body:');
    },
  );

  test("by GET, with the base that the client used", () => {
    const finding = findingFor((client, id) => get(client, `/api/v2/status.php?checkout_request_id=${id}`));
    expect(finding).toMatchObject({
      kind: "wrong_method",
      severity: "error",
      message: "The status was asked for with GET: “this operation takes POST only”.",
      advice: expect.stringContaining('await fetch(origin + "/api/v2/status.php", { method: "POST"'),
    });
    expect(findingFor((client, id) => get(client, `/api/v2/status/${id}`, 404))?.kind).toBe("unknown_path");
  });

  testFindings("an id that was never issued here", ["unknown_id"], (client) =>
    client.poll("ws_CO_20112026100000_ELSEWHERE00000000000"),
  );
  testFindings("an id of before a reset", [], (client) => {
    const ids = [client.push(), client.push()];
    client.live(1);
    client.forget();
    client.forget();
    for (const id of ids) client.poll(id);
  });
  testFindings("the right id with a wrong key: it was asked for", ["refused"], (client) => {
    client.poll(client.push(), undefined, { status: 401 });
    client.live(60_000);
  });
  testFindings("the transaction_id of a payment, with a 0 in it", ["unknown_id"], (client) => {
    for (let count = 0; count < 10; count += 1) client.push();
    client.poll("10");
    expect(client.findings()[0]?.message).toContain("the transaction_id of the payment");
  });
  testFindings("in a list, by a parameter that does not exist", ["takes_wrong_row"], (client) => {
    client.push("A");
    client.list("reference=A");
    client.live(60_000);
  });
  testFindings("another payment", ["never_polls", "wrong_method"], (client) => {
    client.push("A");
    get(client, `/v2/status.php?checkout_request_id=${client.push("B")}`);
    client.live(60_000);
  });
});
