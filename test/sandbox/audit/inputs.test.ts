import { describe, expect, test } from "bun:test";
import { MOST_FINDINGS, MOST_REQUEST_IDS } from "../../../sandbox/audit/finding.ts";
import { MOST_PAYMENTS } from "../../../sandbox/audit/payments.ts";
import { auditCalls, onlyFinding } from "../../support/audited-calls.ts";

describe("a list asked for a row that it cannot select", () => {
  test.each([
    "checkout_request_id",
    "checkoutRequestId",
    "reference",
    "transaction_id",
    "merchant_request_id",
    "receipt",
  ])("%s names one payment: an error", (name) => {
    const calls = auditCalls();
    calls.list(`limit=1&${name}=X`);
    expect(onlyFinding(calls)).toMatchObject({
      kind: "takes_wrong_row",
      severity: "error",
      section: "§4.3",
      message: expect.stringContaining(`“${name}”`),
    });
  });

  test("beside id= or search= it does no harm: a note, as is any other parameter that does not exist", () => {
    const calls = auditCalls();
    calls.list("search=A&reference=A");
    calls.list("sort=desc");
    calls.list("page=1&limit=5&type=api&status=completed&date_from=2026-11-01&date_to=2026-11-02&id=1");
    expect(calls.findings().map(({ kind, severity }) => [kind, severity])).toEqual([
      ["unknown_parameter", "note"],
      ["unknown_parameter", "note"],
    ]);
  });
});

describe("members", () => {
  test("that do not exist are a note, once for each name", () => {
    const calls = auditCalls();
    for (let time = 0; time < 2; time += 1) {
      calls.call({ target: "/v2/stkpush.php", body: '{"phone":"0712345678","callback_url":"x"}', status: 400 });
    }
    expect(onlyFinding(calls)).toMatchObject({
      kind: "unknown_member",
      severity: "note",
      count: 2,
      request_ids: [1, 2],
    });
    expect(onlyFinding(calls).message).toContain("“callback_url”");
  });

  test.each(["payment_account_id", "amount"])("%s as text is a warning where it is refused", (member) => {
    const calls = auditCalls();
    calls.refuse(400, { [member]: "100" });
    expect(onlyFinding(calls)).toMatchObject({ kind: "number_as_text", severity: "warning" });
    expect(onlyFinding(calls).message).toContain(`${member} is a number, but came as text: "100"`);
  });

  test("that the lenient mode took are warnings, with the member", () => {
    const calls = auditCalls();
    calls.call({
      target: "/v2/stkpush.php",
      body: "payment_account_id=1&phone=%2B254712345678",
      leniencies: [
        { member: "payment_account_id", came: '"1"' },
        { member: "phone", came: '"+254712345678"' },
        { member: "Content-Type", came: "none" },
      ],
      answer: '{"success":true,"checkout_request_id":"x"}',
    });
    expect(calls.findings().map(({ kind, message }) => [kind, message.split(" ")[0]])).toEqual([
      ["number_as_text", "payment_account_id"],
      ["lenient_input", "phone"],
      ["lenient_input", "Content-Type"],
    ]);
  });
});

describe("a path at which there is nothing", () => {
  test.each([
    ["/v2/checkstatus.php", "/v2/status.php"],
    ["/v2/status", "/v2/status.php"],
    ["/v2/stkpush", "/v2/stkpush.php"],
    ["/api/v2/stkpush.php", "/v2/stkpush.php"],
    ["/stkpush.php", "/v2/stkpush.php"],
    ["/v2/status.php/", "/v2/status.php"],
    ["/v2//transactions.php", "/v2/transactions.php"],
    ["/v2/transaction-history", "/v2/transactions.php"],
  ])("%s is an error that says %s was meant", (target, meant) => {
    const calls = auditCalls();
    calls.call({ target: `${target}?x=1`, status: 404 });
    expect(onlyFinding(calls)).toMatchObject({ kind: "unknown_path", severity: "error" });
    expect(onlyFinding(calls).message).toContain(`${meant} was probably meant`);
  });

  test("what means no operation is told without a guess", () => {
    const calls = auditCalls();
    calls.call({ target: "/v2/withdraw.php", status: 404 });
    expect(onlyFinding(calls).message).toBe("There is nothing at /v2/withdraw.php.");
  });

  test("what browsers and probes ask for is nobody's mistake", () => {
    const calls = auditCalls();
    for (const target of ["/", "/favicon.ico", "/robots.txt", "/v2", "/v2/"])
      calls.call({ method: "GET", target, status: 404 });
    expect(calls.kinds()).toEqual([]);
  });

  test("without a base path the operations stand at the root", () => {
    const calls = auditCalls({ basePath: "" });
    const id = calls.push();
    calls.poll(id, "completed");
    expect(calls.kinds()).toEqual([]);
  });
});

test("what is no JSON, or has the wrong method, is nobody's mistake", () => {
  const calls = auditCalls();
  for (const body of ["{", "[1]", '"x"', "", "null"]) calls.call({ body, status: 400 });
  calls.call({ method: "GET", status: 405 });
  expect(calls.kinds()).toEqual([]);
});

test("a secret that a client puts anywhere is not in a finding, nor is a control character", () => {
  const secret = `ms_${"a".repeat(40)}`;
  const calls = auditCalls();
  calls.call({ target: `/v2/${secret}/status`, status: 404 });
  calls.list(`${secret}=1`);
  calls.call({ body: JSON.stringify({ checkout_request_id: "null", [`${secret}\n\u001b[2J`]: 1 }), status: 400 });
  const text = JSON.stringify(calls.findings());
  expect(calls.kinds()).toHaveLength(4);
  expect(text).not.toContain(secret);
  expect(text).not.toContain("\\u001b");
});

describe("bounds", () => {
  test(`a finding names ${MOST_REQUEST_IDS} calls, and counts on`, () => {
    const calls = auditCalls();
    for (let call = 0; call <= MOST_REQUEST_IDS; call += 1) calls.list("sort=x");
    const { request_ids, count } = onlyFinding(calls);
    expect(request_ids).toHaveLength(MOST_REQUEST_IDS);
    expect(count).toBe(MOST_REQUEST_IDS + 1);
  });

  test(`${MOST_FINDINGS} findings are kept, and the rest is counted`, () => {
    const calls = auditCalls();
    for (let path = 0; path <= MOST_FINDINGS; path += 1) calls.call({ target: `/v2/${path}`, status: 404 });
    expect(calls.findings()).toHaveLength(MOST_FINDINGS);
    expect(calls.audit.report(null).leftOut).toBe(1);
    calls.forget();
    expect(calls.audit.report(null)).toEqual({ findings: [], leftOut: 0 });
  });

  test(`${MOST_PAYMENTS} payments are watched; of the oldest what was found already stays`, () => {
    const calls = auditCalls();
    const first = calls.push("A");
    calls.live(60_000);
    for (let payment = 1; payment < MOST_PAYMENTS; payment += 1) calls.push();
    calls.poll(first, "pending");
    expect(calls.kinds()).toEqual([]);
    calls.push();
    calls.push("A");
    expect(calls.kinds()).toEqual([]);
    const silent = auditCalls();
    silent.push();
    silent.live(60_000);
    for (let payment = 0; payment < MOST_PAYMENTS; payment += 1) silent.push();
    expect(onlyFinding(silent)).toMatchObject({ kind: "never_polls", request_ids: [1] });
  });

  test("after it has forgotten, calls that came before are left out", () => {
    const calls = auditCalls();
    calls.forget();
    calls.list("sort=x", {}, { durationMs: 1 });
    expect(calls.kinds()).toEqual([]);
  });

  test("who listens hears of each new call, and then at each doubling", () => {
    const calls = auditCalls();
    let heard = 0;
    const stop = calls.audit.subscribe(() => {
      heard += 1;
    });
    for (let call = 0; call < 1000; call += 1) calls.list("sort=x");
    expect(heard).toBe(MOST_REQUEST_IDS + 4); // 64, 128, 256 and 512
    stop();
    calls.list("order=y");
    expect(heard).toBe(MOST_REQUEST_IDS + 4);
  });
});
