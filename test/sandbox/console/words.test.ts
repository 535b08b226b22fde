import { describe, expect, test } from "bun:test";
import { fitsCall, NO_CALL_FILTERS, paymentOf } from "../../../sandbox/console/browser/logic/calls.ts";
import { controlCurl, momoLine, quote, replayCurl } from "../../../sandbox/console/browser/logic/commands.ts";
import { gistOf } from "../../../sandbox/console/browser/logic/gist.ts";
import { unusual } from "../../../sandbox/console/browser/logic/in-force.ts";
import { noteOf } from "../../../sandbox/console/browser/logic/phone-notes.ts";
import { problemsOf } from "../../../sandbox/console/browser/logic/problems.ts";
import { formatRoute, parseRoute } from "../../../sandbox/console/browser/logic/route.ts";
import { coveredBy } from "../../../sandbox/console/browser/logic/rule-order.ts";
import { faultInWords, ruleInWords, webhookInWords } from "../../../sandbox/console/browser/logic/steering-words.ts";
import { timelineOf } from "../../../sandbox/console/browser/logic/timeline.ts";
import type { LoggedRequest } from "../../../sandbox/console/browser/wire.ts";
import { RESULT_CODES } from "../../../src/domain/result-codes.ts";

const SERVER = { base_url: "http://127.0.0.1:2547/v2", control_url: "http://127.0.0.1:2547/_momo" };

/** The words that a shell makes of a line. */
async function wordsOf(line: string): Promise<string[]> {
  const shell = Bun.spawn(["sh", "-c", `for word in ${line}; do printf '%s\\0' "$word"; done`], { stdout: "pipe" });
  return (await new Response(shell.stdout).text()).split("\0").slice(0, -1);
}

describe("commands to paste", () => {
  const hostile = ["plain", "two words", "it's", '"$(touch x)"', "`id`", "a\nb", "-d", "", "ünï €", "\\"];

  test("a shell reads every word back as it was", async () => {
    expect(await wordsOf(hostile.map(quote).join(" "))).toEqual(hostile);
  });

  test("a control call as curl; the token comes from the shell", async () => {
    const body = { outcome: "it's" };
    expect(controlCurl(SERVER, false, "GET", "/rules")).toBe("curl -s http://127.0.0.1:2547/_momo/rules");
    expect(controlCurl(SERVER, true, "DELETE", "/rules")).toBe(
      'curl -s -X DELETE http://127.0.0.1:2547/_momo/rules -H "Authorization: Bearer $MOMO_CONTROL_TOKEN"',
    );
    const words = await wordsOf(controlCurl(SERVER, false, "PUT", "/default", body));
    expect(words.slice(0, 5)).toEqual(["curl", "-s", "-X", "PUT", `${SERVER.control_url}/default`]);
    expect(JSON.parse(words.at(-1) ?? "")).toEqual(body);
  });

  test("a momo command leaves out what is not given", () => {
    expect(
      momoLine(["pay", "0712345678", "100"], { "--reference": "my order", "--outcome": "", "--kind": undefined }),
    ).toBe("momo pay 0712345678 100 --reference 'my order'");
  });

  test("a logged call as curl: sent as it came, but for the secret", async () => {
    const request = {
      method: "POST",
      target: "/v2/stkpush.php?x='1'",
      headers: { host: "h", "x-api-key": "mk_1", "x-api-secret": "[redacted]", "content-type": "application/json" },
      body: `{"reference":"it's"}`,
    };
    const line = replayCurl(request as unknown as Parameters<typeof replayCurl>[0], SERVER);
    expect(line).toContain('-H "X-API-Secret: $MOMO_API_SECRET"');
    expect(line).not.toContain("[redacted]");
    expect(await wordsOf(line)).toEqual([
      ...["curl", "-sg", "-X", "POST", "http://127.0.0.1:2547/v2/stkpush.php?x='1'"],
      ...["-H", "x-api-key: mk_1", "-H", "X-API-Secret: ", "-H", "content-type: application/json"],
      ...["--data-raw", `{"reference":"it's"}`],
    ]);
  });

  test.each([
    ["GET", []],
    ["HEAD", ["-I"]],
    ["PUT", ["-X", "PUT"]],
  ] as const)("a call with %s as curl itself would make it", async (method, options) => {
    const call = { method, target: "/v2/status.php", headers: {}, body: null };
    const line = replayCurl(call as unknown as Parameters<typeof replayCurl>[0], SERVER);
    expect(await wordsOf(line)).toEqual(["curl", "-sg", ...options, "http://127.0.0.1:2547/v2/status.php"]);
  });
});

describe("a refusal of the API, beside the fields that it is about", () => {
  const cases: readonly (readonly [
    message: string,
    names: string[],
    fields: Record<string, string>,
    rest: string | null,
  ])[] = [
    [
      "amount must be a number; phone must be a string",
      ["phone", "amount"],
      { amount: "amount must be a number", phone: "phone must be a string" },
      null,
    ],
    ["it is over; times: too small", ["phone", "times"], { times: "times: too small" }, "it is over"],
    [
      "match.phone: no; times: too small",
      ["match.phone", "times"],
      { "match.phone": "match.phone: no", times: "times: too small" },
      null,
    ],
    [
      "faults[0].status: only an error has one",
      ["status"],
      { status: "faults[0].status: only an error has one" },
      null,
    ],
    ["match.amount: too small", ["amount"], { amount: "match.amount: too small" }, null],
    ["the server is on fire", ["phone"], {}, "the server is on fire"],
    ["phonebook is no phone", ["phone"], {}, "phonebook is no phone"],
  ];
  for (const [message, names, fields, rest] of cases) {
    test(message, () => {
      expect(problemsOf(message, names)).toEqual({ fields, rest });
    });
  }
});

describe("what stands after the #", () => {
  test("leads back to where it came from: view, selection and filters", () => {
    for (const route of [
      { view: "requests", selected: null, query: {} },
      { view: "transactions", selected: "ws_CO_1_A/%é", query: { search: "a&b=c?#/%", status: "failed" } },
      { view: null, selected: null, query: { merchant: "2" } },
    ] as const) {
      expect(parseRoute(formatRoute(route))).toEqual(route);
    }
  });

  test("what means nothing is left out", () => {
    for (const hash of ["", "#", "#nowhere", "#__proto__", "#/%E0%A4%A", "#?status="]) {
      expect(parseRoute(hash)).toEqual({ view: null, selected: null, query: {} });
    }
  });
});

describe("what is in force and unusual", () => {
  const asItStarts = {
    rules: [],
    faults: [],
    fallback: { outcome: "completed", after: "3s" },
    clock: { frozen: false },
    server: { accept: "strict" },
    webhook: null,
  } as const;

  test("nothing, as momo starts", () => {
    expect(unusual(asItStarts)).toEqual([]);
  });

  test("each in a few words", () => {
    const rule = { match: {}, outcome: "cancelled" } as const;
    expect(
      unusual({
        rules: [rule, rule],
        faults: [{ kind: "error", probability: 1 }],
        fallback: { outcome: "cancelled", after: "3s" },
        clock: { frozen: true },
        server: { accept: "lenient" },
        webhook: "http://127.0.0.1/hook",
      }),
    ).toEqual(["2 rules", "1 fault", "clock frozen", "default cancelled after 3s", "lenient", "webhook"]);
    expect(unusual({ ...asItStarts, fallback: { outcome: "manual", after: null } })).toEqual(["default manual"]);
  });
});

test("a rule that another one before it takes everything from is never reached", () => {
  const every = { match: {}, outcome: "completed" } as const;
  const one = { match: { phone: "254712345678", amount: 5 }, outcome: "cancelled" } as const;
  const phone = { match: { phone: "254712345678" }, outcome: "expired" } as const;
  expect(coveredBy([one, phone, every, one])).toEqual([null, null, null, 1]);
  expect(coveredBy([{ ...every, times: 2 }, one])).toEqual([null, null]);
  expect(coveredBy([every, phone, every])).toEqual([null, 1, 1]);
});

describe("a payment on a line to scale", () => {
  const startMs = Date.UTC(2026, 10, 20, 7);
  const call = (target: string, at_ms: number, interval_ms: number | null) => ({
    target,
    at_ms,
    interval_ms,
    status: 200,
  });
  const story = (status: string, requests: object[], at_ms: number | null) =>
    timelineOf({
      transaction: { status, created_at: "2026-11-20 10:00:00" },
      prompt: { expires_at_ms: startMs + 60_000 },
      decided_by: { at_ms },
      requests,
      webhooks: [],
    } as unknown as Parameters<typeof timelineOf>[0]);

  test("each poll at its time, early, right or late after the call before; 3 to 5 s after each is recommended", () => {
    const { lengthMs, marks, bands, endsAt } = story(
      "completed",
      [
        call("/v2/stkpush.php", startMs, null),
        call("/v2/status.php", startMs + 1000, 1000),
        call("/v2/status.php", startMs + 5000, 4000),
        call("/v2/status.php", startMs + 20_000, 15_000),
      ],
      startMs + 10_000,
    );
    expect(marks.map(({ pace }) => pace)).toEqual(["early", "right", "late"]);
    expect(marks.map(({ at }) => Math.round(at * lengthMs))).toEqual([1000, 5000, 20_000]);
    expect(Math.round((endsAt ?? 0) * lengthMs)).toBe(10_000);
    expect([bands[0]?.from, bands[0]?.to].map((share) => Math.round((share ?? 0) * lengthMs))).toEqual([3000, 5000]);
  });

  test("a pending one reaches to the end of its prompt, and has no end where only a person can say", () => {
    expect(story("pending", [], null)).toMatchObject({ lengthMs: 60_000, expiresAt: 1, endsAt: null, marks: [] });
  });
});

describe("calls", () => {
  const poll = {
    method: "POST",
    target: "/v2/status.php",
    body: '{"checkout_request_id":"ws_CO_1"}',
    answer: {},
    status: 200,
  };
  const push = {
    method: "POST",
    target: "/v2/stkpush.php?x=1",
    body: "{",
    answer: { checkout_request_id: "ws_CO_2" },
    status: null,
  };
  const filtered = (filters: object) =>
    [poll, push].filter((call) => fitsCall(call as LoggedRequest, { ...NO_CALL_FILTERS, ...filters }));

  test("say which payment they are about", () => {
    expect([poll, push].map(paymentOf)).toEqual(["ws_CO_1", "ws_CO_2"]);
    expect(paymentOf({ ...poll, body: null })).toBeNull();
  });

  test("are found by path, method, answer, payment and any text of theirs", () => {
    expect(filtered({})).toEqual([poll, push]);
    expect(filtered({ path: "stkpush.php" })).toEqual([push]);
    expect(filtered({ method: "GET" })).toEqual([]);
    expect(filtered({ answer: "lost" })).toEqual([push]);
    expect(filtered({ payment: "ws_CO_1" })).toEqual([poll]);
    expect(filtered({ search: "WS_co_2" })).toEqual([push]);
    expect(filtered({ mistake: "any" })).toEqual([]);
  });
});

test("rules, faults and the webhook as people say them", () => {
  const plain = { url: "http://127.0.0.1:3000/", form: "flat", times: 1, delay: "0ms", shuffle: "0ms" } as const;
  expect(webhookInWords({ ...plain, lost: 0, seed: 1, early: false })).toBe("http://127.0.0.1:3000/: flat");
  expect(webhookInWords({ ...plain, times: 2, delay: "5s", shuffle: "1m", lost: 0.2, seed: 1, early: true })).toBe(
    "http://127.0.0.1:3000/: flat, 2 times each, 5s late, out of order within 1m, 20 % lost, before the answer to the start",
  );
  expect(
    ruleInWords({ match: { phone: "254712345678", amount: 5 }, outcome: "wrong_pin", after: "3s", times: 1 }),
  ).toBe("KES 5.00 from 0712 345 678: wrong_pin after 3s, once");
  expect(ruleInWords({ match: {}, outcome: "completed" })).toBe("every payment: completed");
  expect(faultInWords({ path: "/status.php", kind: "error", status: 503, probability: 0.21, times: 4 })).toBe(
    "/status.php: HTTP 503, 21 % of requests, 4 times",
  );
  expect(faultInWords({ kind: "delay", delay: "5s", probability: 1 })).toBe("every operation: 5s late");
});

test("what a call was about", () => {
  const call = { body: null, answer: null, target: "" };
  const body = '{"phone":"0712345678","amount":100,"reference":"R"}';
  expect(gistOf({ ...call, target: "/v2/stkpush.php", body })).toBe("KES 100.00 for R from 0712 345 678");
  expect(gistOf({ ...call, target: "/v2/stkpush.php", body: "{" })).toBe("");
  expect(gistOf({ ...call, target: "/v2/status.php", answer: { success: true, status: "pending" } })).toBe("pending");
  expect(gistOf({ ...call, target: "/v2/x", answer: { success: false, message: "nothing here" } })).toBe(
    "nothing here",
  );
  const list = { ...call, target: "/v2/transactions.php" };
  expect(gistOf({ ...list, answer: { success: true, message: "1 transaction", data: [1] } })).toBe("1 transaction");
  const cut = '{"success":true,"message":"512 transactions","transactions":[{"id":1,';
  expect(gistOf({ ...list, answer: cut })).toBe("512 transactions");
});

describe("what the customer reads once a prompt has gone", () => {
  test("paid, cancelled, too late", () => {
    const titles = (["completed", "cancelled", "expired"] as const).map(
      (status) => noteOf({ status, amount: 5, result_code: null, result_desc: null }, "Shop").title,
    );
    expect(titles).toEqual(["Paid", "Cancelled", "Too late"]);
  });

  test("every failure of the network has words of its own", () => {
    const failures = Object.entries(RESULT_CODES).filter(([code]) => !["0", "1019", "1032"].includes(code));
    const texts = failures.map(
      ([code, result_desc]) =>
        noteOf({ status: "failed", amount: 5, result_code: Number(code), result_desc }, "Shop").text,
    );
    expect(new Set(texts).size).toBe(failures.length);
    expect(texts.join()).not.toContain("The payment failed.");
  });
});
