import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { type ListInput, listTransactionsSchema, startPaymentSchema } from "../../src/http/input.ts";
import { normalise, readLenientBody } from "../../src/http/lenient.ts";
import type { Leniency } from "../../src/http/request.ts";
import { forAllTests } from "../support/cleanup.ts";
import { openScene, payment, type RequestSpec } from "../support/scene.ts";

const lenient = forAllTests(() => openScene({ profile: { accept: "lenient" } }));
const strict = forAllTests(openScene);

const order = (member: string, value: unknown): RequestSpec => ({
  path: "/stkpush.php",
  json: { ...payment(lenient.caller), [member]: value },
});

async function stored(id: unknown) {
  const { rows } = await lenient.service.listTransactions(1, { id: Number(id) }, { number: 1, limit: 1 });
  return rows[0];
}

const ACCEPTED: [member: string, value: unknown, stored: object][] = [
  ["payment_account_id", " 1 ", { paymentAccountId: 1 }],
  ["amount", " 100.00", { amountCents: 10_000 }],
  ["amount", "100.505", { amountCents: 10_051 }],
  ["amount", 1.005, { amountCents: 101 }],
  ["amount", 0.995, { amountCents: 100 }],
  ["phone", 254712345678, { phone: "254712345678" }],
  ["phone", 712345678, { phone: "254712345678" }],
  ["phone", "+254712345678", { phone: "254712345678" }],
  ["phone", "112345678", { phone: "254112345678" }],
  ["phone", "+254 (712) 345-678", { phone: "254712345678" }],
  ["phone", "0712.345.678", { phone: "254712345678" }],
  ["phone", "0712–345\u00a0678", { phone: "254712345678" }],
  ["phone", "0 700 000 010", { phone: "254700000010" }],
  ["reference", null, { reference: null }],
  ["reference", 1234, { reference: "1234" }],
  ["description", null, { description: null }],
  ["description", 7, { description: "7" }],
];

const REFUSED: [member: string, value: unknown][] = [
  ["payment_account_id", "1.5"],
  ["payment_account_id", "1e0"],
  ["payment_account_id", null],
  ["payment_account_id", "9".repeat(400)],
  ["payment_account_id", 999],
  ["amount", "0.5"],
  ["amount", 0.994],
  ["amount", "1,000"],
  ["amount", "999999999.995"],
  ["phone", "812345678"],
  ["phone", "+0712345678"],
  ["phone", "+254 0712 345 678"],
  ["phone", "0712345678 ext 1"],
  ["phone", 71234567.8],
  ["reference", true],
  ["reference", { toString: 1 }],
  ["reference", "x".repeat(101)],
];

describe("a member that the strict form refuses", () => {
  test.each(ACCEPTED)("%s: %j is accepted and corrected", async (member, value, expected) => {
    expect((await strict.send(order(member, value))).status).toBe(400);
    const { status, body } = await lenient.send(order(member, value));
    expect(status, String(body.message)).toBe(200);
    expect(await stored(body.transaction_id)).toMatchObject(expected);
  });

  test.each(REFUSED)("%s: %j is refused in the same words", async (member, value) => {
    const { status, text } = await strict.send(order(member, value));
    expect(await lenient.send(order(member, value))).toMatchObject({ status: 400, text });
    expect(status).toBe(400);
  });

  test.each(["12345678901234567890", "1e999", "-0", "1.50", "1.0"])(
    "reference: %s is stored as these digits",
    async (digits) => {
      const order = JSON.stringify(payment(lenient.caller)).replace(
        /}$/,
        `,"reference":${digits},"x":{"reference":5}}`,
      );
      const answer = await lenient.send({ path: "/stkpush.php", body: Buffer.from(order) });
      expect(answer.status, answer.text).toBe(200);
      expect(await stored(answer.body.transaction_id)).toMatchObject({ reference: digits });
    },
  );

  test("a checkout_request_id with white space around it is accepted", async () => {
    const { checkout_request_id } = await lenient.start();
    const json = { checkout_request_id: ` ${checkout_request_id}\n` };
    expect((await lenient.send({ path: "/status.php", json })).status).toBe(200);
  });

  test("credentials, the payment and the outcome are checked as by the strict form", async () => {
    const json = { ...payment(lenient.caller), amount: "5" };
    expect((await lenient.send({ path: "/stkpush.php", json, as: "anonymous" })).status).toBe(401);
    const account = { ...json, payment_account_id: String(lenient.other.accountId) };
    expect((await lenient.send({ path: "/stkpush.php", json: account })).body.message).toContain("account of yours");
    const headers = { "X-Sandbox-Outcome": "paid" };
    expect((await lenient.send({ path: "/stkpush.php", json, headers })).status).toBe(400);
    const unknown = { checkout_request_id: " ws_CO_1_A " };
    expect((await lenient.send({ path: "/status.php", json: unknown })).status).toBe(404);
    expect((await lenient.send({ path: "/transactions.php?id=%20999%20" })).status).toBe(404);
  });
});

describe("the body", () => {
  const json = '{"payment_account_id":1,"phone":"0712345678","amount":100.5,"reference":"ORDER 7"}';
  const form = "payment_account_id=1&phone=0712345678&amount=100.50&reference=ORDER+7";
  const FORM = "application/x-www-form-urlencoded";
  const deep = "[".repeat(10_000) + "]".repeat(10_000);

  test.each([
    ["JSON with a byte order mark", `\ufeff${json}`, "application/json"],
    ["JSON with white space of other kinds before it", `\n\u00a0\f ${json}`, "application/json"],
    ["JSON without a content type", json, undefined],
    ["JSON with thousands of arrays in one another", json.replace("}", `,"x":${deep}}`), undefined],
    ["JSON with another content type", json, "text/plain;charset=UTF-8"],
    ["JSON that is called a form", json, FORM],
    ["JSON on several lines that is called a form", JSON.stringify(JSON.parse(json), null, 2), FORM],
    ["a form", form, `${FORM}; charset=UTF-8`],
  ])("%s is accepted", async (_name, body, type) => {
    const spec = { path: "/stkpush.php", body: Buffer.from(body), headers: { "Content-Type": type } };
    expect((await strict.send(spec)).status).toBe(400);
    const answer = await lenient.send(spec);
    expect(answer.status, answer.text).toBe(200);
    const expected = { amountCents: 10_050, phone: "254712345678", reference: "ORDER 7" };
    expect(await stored(answer.body.transaction_id)).toMatchObject(expected);
  });

  test("plain JSON that is called gzip is accepted", async () => {
    const answer = await lenient.send({ path: "/stkpush.php", body: json, headers: { "Content-Encoding": "gzip" } });
    expect(answer.status, answer.text).toBe(200);
  });

  test.each([
    ["no body", "", undefined, "the body is empty"],
    ["a form that is called JSON", form, "application/json", "the body is not JSON"],
    ["an array", "[]", undefined, "the body must be a JSON object; it is an array"],
    ["a member twice", `${form}&amount=5`, FORM, "amount is given twice"],
    ["a name that begins with ?", `?${form}`, FORM, "payment_account_id is missing"],
    ["a broken escape", `${form}%E0%A4`, FORM, "the form in the body has an escape that is not UTF-8"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "text/plain", "not UTF-8"],
    ["more than 64 KiB", `amount=${"1".repeat(70_000)}`, FORM, "larger than 65536 bytes"],
  ])("%s is refused", async (_name, body, type, message) => {
    const spec = { path: "/stkpush.php", body: Buffer.from(body), headers: { "Content-Type": type } };
    const answer = await lenient.send(spec);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  });
});

test.each<[body: string, type: string | undefined, corrected: Leniency[]]>([
  ['{"amount":1.5,"phone":"0712345678"}', "application/json", []],
  [
    '{"amount":"5","phone":712345678,"reference":1e2,"description":null}',
    undefined,
    [
      { member: "Content-Type", came: "none" },
      { member: "phone", came: "712345678" },
      { member: "amount", came: '"5"' },
      { member: "reference", came: "1e2" },
      { member: "description", came: "null" },
    ],
  ],
  [
    "\ufeff{}",
    "text/plain",
    [
      { member: "Content-Type", came: '"text/plain"' },
      { member: "body", came: "a byte order mark" },
    ],
  ],
  [" \f{}", "application/json", [{ member: "body", came: "white space that JSON does not have" }]],
])("each correction is recorded with what came: %j", (body, type, corrected) => {
  const leniencies: Leniency[] = [];
  readLenientBody(
    body,
    new Headers(type === undefined ? {} : { "Content-Type": type }),
    startPaymentSchema,
    leniencies,
  );
  expect(leniencies).toEqual(corrected);
});

describe("the query", () => {
  test.each([
    ["page=0", "page=1"],
    ["page=%202%20", "page=2"],
    ["page=01.0", "page=1"],
    ["limit=500", "limit=100"],
    ["limit=99999999999999999999", "limit=100"],
    ["status=&type=&search=&date_from=&date_to=&id=&page=&limit=", ""],
    ["type=shop&status=PENDING", "status=pending"],
    ["date_from=1.2.2026", ""],
    ["id=%201%20", "id=1"],
    ["id=abc", ""],
  ])("?%s is read as ?%s", async (query, same) => {
    await lenient.start();
    expect((await strict.send({ path: `/transactions.php?${query}` })).status).toBe(400);
    const answer = await lenient.send({ path: `/transactions.php?${query}` });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toBe((await lenient.send({ path: `/transactions.php?${same}` })).text);
  });

  test.each([
    "page=two",
    "limit=0",
    `search=${"x".repeat(101)}`,
    "status=pending&status=failed",
    "search=%E0%A4",
    "date_from=2026-02-02&date_to=2026-02-01",
  ])("?%s is refused in the same words", async (query) => {
    const { status, text } = await strict.send({ path: `/transactions.php?${query}` });
    expect(await lenient.send({ path: `/transactions.php?${query}` })).toMatchObject({ status: 400, text });
    expect(status).toBe(400);
  });
});

describe("what the strict form accepts is not changed", () => {
  test("a member without a correction of its own stays as it came", () => {
    expect(normalise({ colour: "red" }, z.object({ colour: z.string().optional() }), [])).toEqual({ colour: "red" });
  });

  const near = (...values: unknown[]) => fc.oneof(fc.constantFrom(...values), fc.jsonValue(), fc.string());
  const order = {
    payment_account_id: near(1),
    phone: fc.oneof(fc.stringMatching(/^(?:254|0)[0-9]{9}$/), fc.jsonValue()),
    amount: fc.oneof(
      fc.integer({ min: 100, max: 25_000_000 }).map((cents) => cents / 100),
      fc.jsonValue(),
    ),
    reference: near("", " 07 "),
    description: near("", "+254"),
  };
  const query = {
    page: near("1", "2", "999"),
    limit: near("1", "100"),
    type: near("api", "WEB"),
    status: near("pending", "Completed"),
    date_from: near("2026-01-01"),
    date_to: near("2026-12-31"),
    search: near("07", "+254", " 254"),
    id: near("1", "-1", "-0", "007"),
  } satisfies Record<keyof ListInput, unknown>;
  test.each<[string, z.ZodObject, object, Record<string, fc.Arbitrary<unknown>>]>([
    ["an order", startPaymentSchema, { payment_account_id: 1, phone: "0712345678", amount: 1 }, order],
    ["a query", listTransactionsSchema, {}, query],
  ])("%s", (_what, schema, least, members) => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.record(members, { requiredKeys: [] }), (drawn) => {
        const fits = Object.entries(drawn).filter(([member, value]) => schema.shape[member]?.safeParse(value).success);
        const input = { ...least, ...Object.fromEntries(fits) };
        // As JSON, in which -0 is 0.
        const [corrected, sent] = [normalise(input, schema, []), input].map((one) => JSON.stringify(schema.parse(one)));
        expect(corrected).toBe(sent);
        accepted += fits.length;
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});
