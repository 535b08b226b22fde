import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { expectSoundAnswer, openScene, payment, type RequestSpec } from "../support/scenario.ts";
import { forAllTests } from "../support/use.ts";

const AMOUNT = "amount must be a number from 1 to 999999999.99 with at most two decimals";
const ACCOUNT = "payment_account_id must be a whole number, the id of a payment account of yours";
const PHONE = "phone must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678";
const REFERENCE = "reference must be a string of at most 100 characters";
const SECRET = `ms_${"0123456789".repeat(4)}`;

/** A member of an order, and the whole message. */
const MEMBERS: [member: string, value: unknown, message: string][] = [
  ["payment_account_id", "100", `${ACCOUNT}; it is a string, "100"`],
  ["payment_account_id", 1.5, `${ACCOUNT}; it is 1.5`],
  ["payment_account_id", null, `${ACCOUNT}; it is null`],
  ["payment_account_id", [1], `${ACCOUNT}; it is an array`],
  ["amount", "100", `${AMOUNT}; it is a string, "100"`],
  ["amount", 299.96999999999997, `${AMOUNT}: round it to cents, 299.97; it is 299.96999999999997`],
  ["amount", 0.999, `${AMOUNT}: round it to cents, 1; it is 0.999`],
  ["amount", 0.5, `${AMOUNT}; it is 0.5`],
  ["amount", 1e9, `${AMOUNT}; it is 1000000000`],
  ["amount", { value: 1 }, `${AMOUNT}; it is an object`],
  ["phone", 254712345678, `${PHONE}; it is a number, 254712345678`],
  ["phone", "+254 712 345 678", `${PHONE}; it is "+254 712 345 678"`],
  ["phone", "", `${PHONE}; it is ""`],
  ["reference", 7, `${REFERENCE}; it is a number, 7`],
  ["reference", null, `${REFERENCE}; it is null`],
  ["reference", "x".repeat(101), `${REFERENCE}; it is "${"x".repeat(40)}…", 101 characters`],
  ["description", true, "description must be a string of at most 182 characters; it is true"],
];

const QUERIES: [query: string, message: string][] = [
  ["page=0", 'page must be a whole number from 1 to 9007199254740991; it is "0"'],
  ["limit=500", "limit must be a whole number from 1 to 100; it is 500"],
  ["limit=%1B[2J", 'limit must be a whole number from 1 to 100; it is "\\u001b[2J"'],
  ["type=Shop", 'type must be one of api, web, wallet_deposit, credit_topup; it is "Shop"'],
  ["status=PAID", 'status must be one of pending, completed, failed, cancelled, expired; it is "PAID"'],
  ["date_from=1.2.2026", 'date_from must be a day of the calendar, written YYYY-MM-DD; it is "1.2.2026"'],
  ["date_to=2026-02-30", 'date_to must be a day of the calendar, written YYYY-MM-DD; it is "2026-02-30"'],
  [
    "date_from=2026-02-02&date_to=2026-02-01",
    "date_from must not be after date_to; they are 2026-02-02 and 2026-02-01",
  ],
  ["search=", 'search must be a string of 1 to 100 characters; it is ""'],
  ["id=abc", 'id must be a whole number; it is "abc"'],
  [`id=${SECRET}`, 'id must be a whole number; it is "[redacted]"'],
];

const JSON_OBJECT = '{"checkout_request_id":"x"}';

/** A body, more headers, and the whole message. */
const BODIES: [body: string | Uint8Array, headers: Record<string, string>, message: string][] = [
  [gzipSync(JSON_OBJECT), { "Content-Encoding": "gzip" }, 'the body is compressed ("gzip"): send it plain'],
  [gzipSync(JSON_OBJECT), {}, "the body is compressed (gzip): send it plain"],
  [Uint8Array.of(0x0b, 0x80, 0xff), { "Content-Encoding": "br" }, 'the body is compressed ("br"): send it plain'],
  [
    `\ufeff${JSON_OBJECT}`,
    {},
    "the body begins with a byte order mark, which is not JSON: send the JSON object without it",
  ],
  ["", {}, "the body is empty, which is not JSON: send one JSON object"],
  ["amount=1&phone=07", {}, 'the body is not JSON: send one JSON object; it is "amount=1&phone=07"'],
  [`secret=${SECRET}`, {}, 'the body is not JSON: send one JSON object; it is "secret=[redacted]"'],
  ["[]", {}, "the body must be a JSON object; it is an array"],
  ["null", {}, "the body must be a JSON object; it is null"],
  ['"x"', {}, "the body must be a JSON object; it is a string"],
  [JSON_OBJECT, { "Content-Type": "text/plain" }, 'Content-Type must be application/json; it is "text/plain"'],
];

const scene = forAllTests(openScene);

async function expectRefused(spec: RequestSpec, message: string): Promise<void> {
  const answer = await scene.send(spec);
  expectSoundAnswer(answer);
  expect({ status: answer.status, message: answer.body.message }).toEqual({ status: 400, message });
}

describe("a refusal names what came: a member", () => {
  for (const [member, value, message] of MEMBERS) {
    test(message, () =>
      expectRefused({ path: "/stkpush.php", json: { ...payment(scene.caller), [member]: value } }, message),
    );
  }
  test("of a status", () =>
    expectRefused(
      { path: "/status.php", json: { checkout_request_id: 5 } },
      "checkout_request_id must be a string of 1 to 100 characters; it is a number, 5",
    ));
});

describe("a refusal names what came: a query parameter", () => {
  for (const [query, message] of QUERIES) {
    test(message, () => expectRefused({ path: `/transactions.php?${query}` }, message));
  }
});

describe("a refusal names what came: in the place of a JSON object", () => {
  for (const [body, headers, message] of BODIES) {
    test(message, () => expectRefused({ path: "/status.php", body, headers }, message));
  }
  test("no content type", () =>
    expectRefused(
      { path: "/status.php", body: Buffer.from(JSON_OBJECT), headers: { "Content-Type": undefined } },
      "Content-Type must be application/json; there is none",
    ));
});

test("a refusal names what came: in X-Sandbox-Outcome", async () => {
  const headers = { "X-Sandbox-Outcome": "canceled" };
  const { status, body } = await scene.send({ path: "/stkpush.php", json: payment(scene.caller), headers });
  expect(status).toBe(400);
  expect(body.message).toMatch(/^X-Sandbox-Outcome is not the name of an outcome; .*; it is "canceled"$/);
});
