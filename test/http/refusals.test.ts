import { expect, test } from "bun:test";
import { Refusal, type RefusalKind } from "../../src/domain/error.ts";
import { failWith } from "../../src/http/reply.ts";
import { describeScenarios, payment, withRawMember } from "../support/scenario.ts";

/** The whole message of each refusal: the member, what would be right, and the value in the request. */

const ACCOUNT = "payment_account_id must be a whole number, the id of a payment account of yours";
const AMOUNT = "amount must be a number from 1 to 999999999.99 with at most two decimals";
const PHONE = "phone must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678";
const REFERENCE = "reference must be a string of at most 100 characters";
const DESCRIPTION = "description must be a string of at most 182 characters";
const CHECKOUT_ID = "checkout_request_id must be a string of 1 to 100 characters";
const HALF_EMOJI = "must be a string of whole characters: half of a surrogate pair is none";
const TYPE = "type must be one of api, web, wallet_deposit, credit_topup";
const STATUS = "status must be one of pending, completed, failed, cancelled, expired";
const DAY = "must be a day of the calendar, written YYYY-MM-DD";
const BAD_ESCAPE = "the query string has an escape that is not UTF-8, such as a % that should be %25";

const SECRET = `ms_${"0123456789".repeat(4)}`;
const repeated = (character: string, count: number) => JSON.stringify(character.repeat(count));

/** A member of an order as JSON text. */
const ORDERS: [member: string, json: string, message: string][] = [
  ["payment_account_id", '"100"', `${ACCOUNT}; it is a string, "100"`],
  ["payment_account_id", "1.5", `${ACCOUNT}; it is 1.5`],
  ["payment_account_id", "1e999", `${ACCOUNT}; it is too large`],
  ["payment_account_id", "9007199254740993", `${ACCOUNT}; it is 9007199254740992, which is too large`],
  ["payment_account_id", "null", `${ACCOUNT}; it is null`],
  ["payment_account_id", "true", `${ACCOUNT}; it is true`],
  ["payment_account_id", "[1]", `${ACCOUNT}; it is an array`],
  ["amount", '"100"', `${AMOUNT}; it is a string, "100"`],
  ["amount", "299.96999999999997", `${AMOUNT}: round it to cents, 299.97; it is 299.96999999999997`],
  ["amount", "0.999", `${AMOUNT}: round it to cents, 1; it is 0.999`],
  ["amount", "0.99", `${AMOUNT}; it is 0.99`],
  ["amount", "1e9", `${AMOUNT}; it is 1000000000`],
  ["amount", '{"value":1}', `${AMOUNT}; it is an object`],
  ["amount", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, `${AMOUNT}; it is an object`],
  ["amount", "9".repeat(60_000), `${AMOUNT}; it is too large`],
  ["phone", "254712345678", `${PHONE}; it is a number, 254712345678`],
  ["phone", '"+254 712 345 678"', `${PHONE}; it is "+254 712 345 678"`],
  ["phone", '""', `${PHONE}; it is ""`],
  ["reference", "7", `${REFERENCE}; it is a number, 7`],
  ["reference", "null", `${REFERENCE}; it is null`],
  ["reference", repeated("x", 101), `${REFERENCE}; it is "${"x".repeat(40)}…", 101 characters`],
  ["reference", repeated("x", 60_000), `${REFERENCE}; it is "${"x".repeat(40)}…", 60000 characters`],
  ["reference", repeated("😀", 101), `${REFERENCE}; it is "${"😀".repeat(40)}…", 101 characters`],
  ["reference", '"\\ud83d"', `reference ${HALF_EMOJI}; it is "\\ud83d"`],
  ["reference", '"a\\ude00b"', `reference ${HALF_EMOJI}; it is "a\\ude00b"`],
  ["description", "true", `${DESCRIPTION}; it is true`],
  ["description", repeated("x", 183), `${DESCRIPTION}; it is "${"x".repeat(40)}…", 183 characters`],
];

describeScenarios("POST /stkpush.php refuses an order and names the member", [
  ...ORDERS.map(([member, json, message]) => ({
    name: `${member}: ${json.slice(0, 40)}`,
    request: (scene: Parameters<typeof withRawMember>[0]) => withRawMember(scene, member, json),
    status: 400,
    contains: { message },
  })),
  {
    name: "no member at all",
    request: { path: "/stkpush.php", json: {} },
    status: 400,
    contains: {
      message: [ACCOUNT, PHONE, AMOUNT].map((rule) => rule.replace(" must", " is missing: it must")).join("; "),
    },
  },
  {
    name: "all five members wrong",
    request: {
      path: "/stkpush.php",
      json: { payment_account_id: null, phone: null, amount: null, reference: null, description: null },
    },
    status: 400,
    contains: {
      message: [ACCOUNT, PHONE, AMOUNT, REFERENCE, DESCRIPTION].map((rule) => `${rule}; it is null`).join("; "),
    },
  },
  {
    name: "names in another letter case",
    request: ({ caller }) => {
      const { amount, ...others } = payment(caller);
      return { path: "/stkpush.php", json: { ...others, Amount: amount } };
    },
    status: 400,
    contains: { message: AMOUNT.replace(" must", " is missing: it must") },
  },
]);

const STATUS_BODIES: [json: unknown, message: string][] = [
  [{ checkout_request_id: 5 }, `${CHECKOUT_ID}; it is a number, 5`],
  [{ checkout_request_id: "" }, `${CHECKOUT_ID}; it is ""`],
  [{ checkout_request_id: ["x"] }, `${CHECKOUT_ID}; it is an array`],
  [{ checkout_request_id: "x".repeat(101) }, `${CHECKOUT_ID}; it is "${"x".repeat(40)}…", 101 characters`],
  [{ checkout_request_id: "\ud83d" }, `checkout_request_id ${HALF_EMOJI}; it is "\\ud83d"`],
  [{ transaction_id: 1, id: 1 }, CHECKOUT_ID.replace(" must", " is missing: it must")],
];

describeScenarios(
  "POST /status.php refuses a checkout_request_id",
  STATUS_BODIES.map(([json, message]) => ({
    name: JSON.stringify(json).slice(0, 40),
    request: { path: "/status.php", json },
    status: 400,
    contains: { message },
  })),
);

const PAGE = "page must be a whole number from 1 to 9007199254740991";
const LIMIT = "limit must be a whole number from 1 to 100";

const QUERIES: [query: string, message: string][] = [
  ["page=0", `${PAGE}; it is "0"`],
  ["page=-1", `${PAGE}; it is "-1"`],
  ["page=", `${PAGE}; it is ""`],
  ["page=1.0", `${PAGE}; it is "1.0"`],
  ["page=%205", `${PAGE}; it is " 5"`],
  ["limit=0", `${LIMIT}; it is "0"`],
  ["limit=101", `${LIMIT}; it is 101`],
  ["limit=10%0A", `${LIMIT}; it is "10\\n"`],
  ["limit=%1B[2J", `${LIMIT}; it is "\\u001b[2J"`],
  ["type=Shop", `${TYPE}; it is "Shop"`],
  ["type=constructor", `${TYPE}; it is "constructor"`],
  ["type=ap%C4%B1", `${TYPE}; it is "apı"`],
  ["status=", `${STATUS}; it is ""`],
  ["date_from=1.2.2026", `date_from ${DAY}; it is "1.2.2026"`],
  ["date_to=2026-02-30", `date_to ${DAY}; it is "2026-02-30"`],
  [
    "date_from=2026-02-02&date_to=2026-02-01",
    "date_from must not be after date_to; they are 2026-02-02 and 2026-02-01",
  ],
  ["search=", 'search must be a string of 1 to 100 characters; it is ""'],
  [
    `search=${encodeURIComponent("😀".repeat(101))}`,
    `search must be a string of 1 to 100 characters; it is "${"😀".repeat(40)}…", 101 characters`,
  ],
  ["id=abc", 'id must be a whole number; it is "abc"'],
  ["id=1.5", 'id must be a whole number; it is "1.5"'],
  ["id=0x1", 'id must be a whole number; it is "0x1"'],
  [`id=${SECRET}`, 'id must be a whole number; it is "[redacted]"'],
  ["page=0&limit=0&status=x", `${PAGE}; it is "0"; ${LIMIT}; it is "0"; ${STATUS}; it is "x"`],
  ["type=api&type=api", "type is given twice: give it once"],
  ["search=%", BAD_ESCAPE],
  ["search=%FF", BAD_ESCAPE],
  ["search=%C3", BAD_ESCAPE],
  ["search=%ED%A0%80", BAD_ESCAPE],
  ["search=%C0%80", BAD_ESCAPE],
];

describeScenarios(
  "GET /transactions.php refuses a query",
  QUERIES.map(([query, message]) => ({
    name: query.slice(0, 50),
    request: { path: `/transactions.php?${query}` },
    status: 400,
    contains: { message },
  })),
);

const STATUSES: Record<RefusalKind, number> = {
  ...{
    invalid: 400,
    account: 400,
    unauthorized: 401,
    not_found: 404,
    conflict: 409,
    provider: 500,
    stopping: 503,
    unavailable: 503,
  },
};

test.each(Object.entries(STATUSES))(
  "a refusal of the kind %s is HTTP %d with its message, and is no fault",
  (kind, status) => {
    const faults: unknown[] = [];
    const answer = failWith(new Refusal(kind as RefusalKind, "why"), (error) => faults.push(error));
    expect({ ...answer, text: JSON.parse(answer.text), faults }).toMatchObject({
      ...{ status, text: { success: false, message: "why" }, faults: [] },
    });
    expect(answer.headers.get("Retry-After")).toBe(status === 503 ? "1" : null);
  },
);
