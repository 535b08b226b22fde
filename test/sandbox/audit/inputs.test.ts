import { describe, expect, test } from "bun:test";
import { createAuditedClient, testFindings } from "../../support/audited-client.ts";

/** Stands here once more, so that another value is noticed. */
const MOST_FINDINGS = 1000;
const MOST_PAYMENTS = 2000;
const MOST_REQUEST_IDS = 50;

describe("the parameters of a list", () => {
  test.each([
    "checkout_request_id",
    "checkoutRequestId",
    "merchantRequestId",
    "reference",
    "transaction_id",
    "receipt",
  ])("%s would select one payment, but does not exist", (name) => {
    const client = createAuditedClient();
    client.list(`limit=1&${name}=X`);
    expect(client.finding()).toMatchObject({
      kind: "takes_wrong_row",
      message: expect.stringContaining(`“${name}”`),
    });
  });

  test("any other unknown name, and each unknown name beside id= or search=", () => {
    const client = createAuditedClient();
    client.list("search=A&reference=A");
    client.list("id=1&code=A");
    client.list("sort=desc");
    client.list("page=1&limit=5&type=api&status=completed&date_from=2026-11-01&date_to=2026-11-02&id=1");
    expect(client.kinds()).toEqual(["unknown_parameter", "unknown_parameter", "unknown_parameter"]);
  });
});

describe("the members of a body", () => {
  test("one finding for each unknown name", () => {
    const client = createAuditedClient();
    for (let time = 0; time < 2; time += 1) client.refuse(500, { phone: "0712345678", callback_url: "x" });
    expect(client.finding()).toMatchObject({
      kind: "unknown_member",
      count: 2,
      request_ids: [1, 2],
      message: expect.stringContaining("“callback_url”"),
    });
  });

  test.each(["payment_account_id", "amount"])("%s as text, if it is refused", (member) => {
    const client = createAuditedClient();
    client.refuse(400, { [member]: "100" }, {}, `${member} must be a number; it is a string, "100"`);
    expect(client.finding()).toMatchObject({
      kind: "number_as_text",
      message: `${member} must be a number, but was sent as text: "100".`,
    });
  });

  test("one finding for each member that only the lenient mode accepts", () => {
    const client = createAuditedClient();
    const leniencies = [
      { member: "payment_account_id", came: '"1"' },
      { member: "phone", came: '"+254712345678"' },
      { member: "Content-Type", came: "none" },
    ];
    client.push("A", { body: "payment_account_id=1&phone=%2B254712345678", leniencies });
    expect(client.findings()).toMatchObject([
      { kind: "number_as_text", message: expect.stringContaining("payment_account_id") },
      { kind: "lenient_input", message: expect.stringContaining("phone") },
      { kind: "lenient_input", message: expect.stringContaining("Content-Type") },
    ]);
  });
});

test("each of many pushes and polls is checked", () => {
  const client = createAuditedClient();
  for (let push = 0; push < 1100; push += 1) client.push(null, { body: '{"callback":1}' });
  const id = client.push();
  const body = JSON.stringify({ checkout_request_id: id, order: 7 });
  for (let poll = 0; poll < 50; poll += 1) client.poll(id, "pending", { body });
  const counts = client.findings().map(({ message, count }) => [message, count]);
  expect(counts).toEqual([
    ["/stkpush.php has no member “callback”.", 1100],
    ["/status.php has no member “order”.", 50],
  ]);
});

describe("an unknown path", () => {
  test.each([
    ["/v2/checkstatus.php", "; /v2/status.php was probably meant."],
    ["/api/v2/checkstatus.php", "; /api/v2/status.php was probably meant."],
    ["/api/v2/payments/status/17", "; /api/v2/status.php was probably meant."],
    ["/api/v2stkpush.php", "; /api/v2/stkpush.php was probably meant."],
    ["/v2/status", "; /v2/status.php was probably meant."],
    ["/v1/stkpush.php", "; /v2/stkpush.php was probably meant."],
    ["/stkpush.php", "; /v2/stkpush.php was probably meant."],
    ["/v2/status.php/", "; /v2/status.php was probably meant."],
    ["/v2//transactions.php", "; /v2/transactions.php was probably meant."],
    ["/v2/transaction-history", "; /v2/transactions.php was probably meant."],
    ["/v2/withdraw.php", "."],
  ])("There is nothing at %s%s", (path, guess) => {
    const client = createAuditedClient();
    client.send({ target: `${path}?x=1`, status: 404 });
    expect(client.finding()).toMatchObject({ kind: "unknown_path", message: `There is nothing at ${path}${guess}` });
  });

  testFindings("what browsers and probes ask for by themselves", [], (client) => {
    for (const target of ["/", "/favicon.ico", "/robots.txt", "/v2", "/v2/"])
      client.send({ method: "GET", target, status: 404 });
  });

  test("without a base path the operations are at the root", () => {
    const client = createAuditedClient({ basePaths: [""] });
    client.poll(client.push(), "completed");
    client.live(60_000);
    expect(client.kinds()).toEqual([]);
  });
});

testFindings("a body that is no object", ["refused"], (client) => {
  for (const body of ["{", "[1]", '"x"', "", "null"]) client.send({ body, status: 400 });
});

test("a finding never has a secret or a control character of the client", () => {
  const secret = `ms_${"a".repeat(40)}`;
  const client = createAuditedClient();
  client.send({ target: `/v2/${secret}/status`, status: 404 });
  client.list(`${secret}=1`);
  client.send({ body: JSON.stringify({ checkout_request_id: "null", [`${secret}\n\u001b[2J`]: 1 }), status: 400 });
  const text = JSON.stringify(client.findings());
  expect(client.kinds()).toHaveLength(4);
  expect(text).not.toContain(secret);
  expect(text).not.toContain("\\u001b");
});

describe("bounds", () => {
  test(`a finding names ${MOST_REQUEST_IDS} requests and counts more; listeners get each of these, then each doubling of the count`, () => {
    const client = createAuditedClient();
    let events = 0;
    const stop = client.audit.subscribe(() => {
      events += 1;
    });
    for (let request = 0; request < 1000; request += 1) client.list("sort=x");
    expect(client.finding().request_ids).toHaveLength(MOST_REQUEST_IDS);
    expect(client.finding().count).toBe(1000);
    expect(events).toBe(MOST_REQUEST_IDS + 4); // 64, 128, 256 and 512
    stop();
    client.list("order=y");
    expect(events).toBe(MOST_REQUEST_IDS + 4);
  });

  test(`${MOST_FINDINGS} findings are kept, and the rest is counted`, () => {
    const client = createAuditedClient();
    for (let path = 0; path <= MOST_FINDINGS; path += 1) client.send({ target: `/v2/${path}`, status: 404 });
    expect(client.findings()).toHaveLength(MOST_FINDINGS);
    expect(client.audit.report(null).leftOut).toBe(1);
    client.forget();
    expect(client.audit.report(null)).toMatchObject({ findings: [], leftOut: 0 });
  });

  test(`${MOST_PAYMENTS} payments are watched. What was found about the oldest stays`, () => {
    const client = createAuditedClient();
    const first = client.push("A");
    client.push();
    client.live(60_000);
    for (let payment = 2; payment < MOST_PAYMENTS; payment += 1) client.push();
    client.poll(first, "pending");
    expect(client.finding()).toMatchObject({ kind: "never_polls", request_ids: [2] });
    // These two replace the first two.
    client.push();
    client.push("A");
    expect(client.finding()).toMatchObject({ kind: "never_polls", request_ids: [2] });
  });

  testFindings("a request that arrived before the audit was cleared", [], (client) => {
    client.forget();
    client.list("sort=x", {}, { durationMs: 1 });
  });
});
