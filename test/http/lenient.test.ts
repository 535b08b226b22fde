import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openScene, payment, type RequestSpec, type Scene } from "../support/scenario.ts";

/** The same two scenes for all rows: what the lenient form takes, the strict one refuses. */
let lenient: Scene;
let strict: Scene;
beforeAll(async () => {
  lenient = await openScene({ accept: "lenient" });
  strict = await openScene();
});
afterAll(() => Promise.all([lenient.close(), strict.close()]));

const order = (member: string, value: unknown): RequestSpec => ({
  path: "/stkpush.php",
  json: { ...payment(lenient.caller), [member]: value },
});

async function stored(id: unknown): Promise<Record<string, unknown>> {
  const { body } = await lenient.send({ path: `/transactions.php?id=${id}` });
  return (body.transactions as Record<string, unknown>[])[0] ?? {};
}

const REFERENCE = "the reference, which only a search shows";

/** A member, what comes, and what is stored. */
const TAKEN: [member: string, value: unknown, stored: Record<string, unknown>][] = [
  ["payment_account_id", "1", {}],
  ["payment_account_id", " 1 ", {}],
  ["payment_account_id", "1.0", {}],
  ["amount", "100", { amount: 100 }],
  ["amount", " 100.50 ", { amount: 100.5 }],
  ["amount", "100.505", { amount: 100.51 }],
  ["amount", 100.504, { amount: 100.5 }],
  ["amount", 1.005, { amount: 1.01 }],
  ["amount", 299.96999999999997, { amount: 299.97 }],
  ["amount", 0.995, { amount: 1 }],
  ["phone", 254712345678, { phone: "254712345678" }],
  ["phone", 712345678, { phone: "254712345678" }],
  ["phone", "+254712345678", { phone: "254712345678" }],
  ["phone", "712345678", { phone: "254712345678" }],
  ["phone", "112345678", { phone: "254112345678" }],
  ["phone", "+254 (712) 345-678", { phone: "254712345678" }],
  ["phone", " 254712345678", { phone: "254712345678" }],
  ["phone", "0712.345.678", { phone: "254712345678" }],
  ["phone", "(0712) 345 678", { phone: "254712345678" }],
  ["phone", "0712–345\u00a0678", { phone: "254712345678" }],
  ["reference", null, {}],
  ["reference", 1234, { [REFERENCE]: "1234" }],
  ["description", null, {}],
  ["description", 7, {}],
];

describe("what the real services take is taken, and counts as if it had come right", () => {
  for (const [member, value, expected] of TAKEN) {
    test(`${member}: ${JSON.stringify(value)}`, async () => {
      expect((await strict.send(order(member, value))).status).toBe(400);
      const { status, body } = await lenient.send(order(member, value));
      expect(status, String(body.message)).toBe(200);
      const { [REFERENCE]: reference, ...members } = expected;
      expect(await stored(body.transaction_id)).toMatchObject(members);
      if (reference) {
        const found = await lenient.send({ path: `/transactions.php?search=${reference}` });
        expect(found.body.transactions).toMatchObject([{ id: body.transaction_id }]);
      }
    });
  }

  test("checkout_request_id with white space around it", async () => {
    const { checkout_request_id } = await lenient.start();
    const json = { checkout_request_id: ` ${checkout_request_id}\n` };
    expect((await lenient.send({ path: "/status.php", json })).body).toMatchObject({ status: "pending" });
  });
});

/** What nobody takes: the message is the strict form's. */
const REFUSED: [member: string, value: unknown][] = [
  ["payment_account_id", "1.5"],
  ["payment_account_id", "one"],
  ["payment_account_id", "1e0"],
  ["payment_account_id", "0x1"],
  ["payment_account_id", ""],
  ["payment_account_id", null],
  ["payment_account_id", true],
  ["payment_account_id", "9".repeat(400)],
  ["payment_account_id", "2"],
  ["payment_account_id", 999],
  ["amount", "0.5"],
  ["amount", 0.994],
  ["amount", "1,000"],
  ["amount", "KES 100"],
  ["amount", "-5"],
  ["amount", "999999999.995"],
  ["amount", null],
  ["phone", "0812345678901"],
  ["phone", "812345678"],
  ["phone", "+0712345678"],
  ["phone", "+254 0712 345 678"],
  ["phone", "0712345678 ext 1"],
  ["phone", "0712/345678"],
  ["phone", 71234567.8],
  ["phone", null],
  ["phone", ""],
  ["reference", true],
  ["reference", ["A"]],
  ["reference", "x".repeat(101)],
  ["description", {}],
];

describe("nothing else passes: it is refused in the same words as by the strict form", () => {
  for (const [member, value] of REFUSED) {
    test(`${member}: ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const [first, second] = [await strict.send(order(member, value)), await lenient.send(order(member, value))];
      expect(second.status).toBe(400);
      expect(second.body).toEqual(
        // An account in text is read, and then it is not there.
        value === "2" ? (await strict.send(order(member, 2))).body : first.body,
      );
    });
  }

  test("bad credentials, an unknown payment, an outcome that does not exist", async () => {
    const json = { ...payment(lenient.caller), amount: "5" };
    expect((await lenient.send({ path: "/stkpush.php", json, as: "nobody" })).status).toBe(401);
    const unknown = { checkout_request_id: " ws_CO_1_A " };
    expect((await lenient.send({ path: "/status.php", json: unknown })).status).toBe(404);
    const headers = { "X-Sandbox-Outcome": "paid" };
    expect((await lenient.send({ path: "/stkpush.php", json, headers })).status).toBe(400);
  });
});

describe("the body", () => {
  const json = () => JSON.stringify(payment(lenient.caller));
  const form = "payment_account_id=1&phone=0712345678&amount=100.50&reference=ORDER+7";
  const FORM = "application/x-www-form-urlencoded";
  const taken: [name: string, body: () => string, type: string | undefined][] = [
    ["a byte order mark", () => `\ufeff${json()}`, "application/json"],
    ["no content type", json, undefined],
    ["another content type", json, "text/plain;charset=UTF-8"],
    ["JSON that is sent as a form", json, FORM],
    ["a form", () => form, FORM],
    ["a form with a charset", () => form, `${FORM}; charset=UTF-8`],
  ];
  for (const [name, body, type] of taken) {
    test(`${name} is taken`, async () => {
      const spec = { path: "/stkpush.php", body: Buffer.from(body()), headers: { "Content-Type": type } };
      expect((await strict.send(spec)).status).toBe(400);
      const answer = await lenient.send(spec);
      expect(answer.status, answer.text).toBe(200);
    });
  }

  test("a form means the same as JSON with these members", async () => {
    const spec = { path: "/stkpush.php", body: form, headers: { "Content-Type": FORM } };
    const { body } = await lenient.send(spec);
    expect(await stored(body.transaction_id)).toMatchObject({ amount: 100.5, phone: "254712345678" });
    const found = await lenient.send({ path: "/transactions.php?search=ORDER%207" });
    expect(found.body.transactions).toContainEqual(expect.objectContaining({ id: body.transaction_id }));
  });

  const refused: [name: string, body: string | Uint8Array, type: string | undefined, message: string][] = [
    ["nothing", "", undefined, "the body is empty"],
    ["a form that does not say so", form, "application/json", "the body is not JSON"],
    ["an array", "[]", undefined, "the body must be a JSON object; it is an array"],
    ["a member twice", `${form}&amount=5`, FORM, "amount is given twice"],
    ["a broken escape", `${form}%E0%A4`, FORM, "the form in the body has an escape that is not UTF-8"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "text/plain", "not UTF-8"],
    ["more than 64 KiB", `amount=${"1".repeat(70_000)}`, FORM, "larger than 65536 bytes"],
  ];
  for (const [name, body, type, message] of refused) {
    test(`${name} is refused`, async () => {
      const spec = { path: "/stkpush.php", body: Buffer.from(body), headers: { "Content-Type": type } };
      const answer = await lenient.send(spec);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    });
  }
});

describe("the query", () => {
  const taken: [query: string, same: string][] = [
    ["page=0", "page=1"],
    ["page=-3", "page=1"],
    ["page=%202%20", "page=2"],
    ["page=01.0", "page=1"],
    ["limit=500", "limit=100"],
    ["limit=99999999999999999999", "limit=100"],
    ["limit=5.0", "limit=5"],
    ["status=&type=&search=&date_from=&date_to=&id=&page=&limit=", ""],
    ["status=paid", ""],
    ["type=shop&status=PENDING", "status=pending"],
    ["date_from=1.2.2026", ""],
    ["id=%201%20", "id=1"],
    ["id=abc", ""],
  ];
  for (const [query, same] of taken) {
    test(`?${query} is taken as ?${same}`, async () => {
      expect((await strict.send({ path: `/transactions.php?${query}` })).status).toBe(400);
      const answer = await lenient.send({ path: `/transactions.php?${query}` });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).toBe((await lenient.send({ path: `/transactions.php?${same}` })).text);
    });
  }

  for (const query of [
    "page=two",
    "page=1.5",
    "limit=0",
    "limit=-5",
    "limit=ten",
    `search=${"x".repeat(101)}`,
    "status=pending&status=failed",
    "search=%E0%A4",
    "date_from=2026-02-02&date_to=2026-02-01",
  ]) {
    test(`?${query.slice(0, 40)} is refused as by the strict form`, async () => {
      const [first, second] = await Promise.all(
        [strict, lenient].map((scene) => scene.send({ path: `/transactions.php?${query}` })),
      );
      expect(second).toMatchObject({ status: 400, text: first?.text });
    });
  }

  test("an id that nobody has is not found", async () => {
    expect((await lenient.send({ path: "/transactions.php?id=%20999999%20" })).status).toBe(404);
  });
});

describe("a page of another site can do no harm where any content type is taken", () => {
  test("a form that a page may send without asking has no key, and is refused", async () => {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
      const headers = { "Content-Type": type, Origin: "https://evil.example" };
      const body = Buffer.from("payment_account_id=1&phone=0712345678&amount=1");
      expect((await lenient.send({ path: "/stkpush.php", as: "nobody", headers, body })).status).toBe(401);
    }
  });

  test("a page that asks whether it may send the key's headers gets no leave", async () => {
    const headers = {
      Origin: "https://evil.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "x-api-key,x-api-secret",
    };
    const answer = await lenient.send({ method: "OPTIONS", path: "/stkpush.php", as: "nobody", headers });
    expect(answer.status).toBe(405);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});
