import { describe, expect, test } from "bun:test";
import {
  describeScenarios,
  openScene,
  payment,
  type RequestSpec,
  type Scenario,
  type Scene,
} from "../support/scenario.ts";

const POSTS = ["/stkpush.php", "/status.php"];
const MEGABYTES_2 = 2 * 1024 * 1024;

const utf16 = Buffer.from(JSON.stringify({ checkout_request_id: "ws_CO_1_A" }), "utf16le");
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** Bodies that are no JSON object, each with what the message must say. */
const BAD_BODIES: [name: string, body: string | Uint8Array, says: string][] = [
  ["an empty body", "", "JSON"],
  ["half a body", '{"payment_account_id":1,"pho', "JSON"],
  ["two values", "{}{}", "JSON"],
  ["a trailing comma", '{"a":1,}', "JSON"],
  ["a comment", "{} // done", "JSON"],
  ["single quotes", "{'a':1}", "JSON"],
  ["a form", "payment_account_id=1&amount=5", "JSON"],
  ["NaN", '{"amount":NaN}', "JSON"],
  ["Infinity", '{"amount":Infinity}', "JSON"],
  ["a number with a leading zero", '{"amount":01}', "JSON"],
  ["a byte order mark", "\ufeff{}", "JSON"],
  ["a NUL after the object", "{}\0", "JSON"],
  ["a raw line break in a string", '{"a":"\n"}', "JSON"],
  ["UTF-16", utf16, "JSON"],
  ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), "UTF-8"],
  ["a character cut in half", Buffer.from('{"a":"é').subarray(0, -1), "UTF-8"],
  ["a surrogate in UTF-8", Buffer.concat([Buffer.from('{"a":"'), Uint8Array.of(0xed, 0xa0, 0x80)]), "UTF-8"],
  ["an array", "[]", "object"],
  ["an array of orders", '[{"amount":1}]', "object"],
  ["a number", "1", "object"],
  ["a string", '"{}"', "object"],
  ["true", "true", "object"],
  ["null", "null", "object"],
  ["more than 64 KB", `{"a":"${"a".repeat(70_000)}"}`, "larger"],
  ["2 MB", `{"a":"${"a".repeat(MEGABYTES_2)}"}`, "larger"],
  ["arrays nested 10,000 deep", "[".repeat(10_000) + "]".repeat(10_000), "object"],
  ["30,000 opening brackets", "[".repeat(30_000), "JSON"],
  ["an object nested 5,000 deep without our members", nested(5000), "missing"],
];

for (const path of POSTS) {
  describeScenarios(`${path}: Content-Type and body 400`, [
    ...BAD_BODIES.map(([name, body, says]): Scenario => {
      return { name, request: { path, body }, status: 400, contains: { message: says } };
    }),
    {
      name: "no body at all",
      request: { method: "POST", path, headers: { "Content-Type": "application/json" } },
      status: 400,
      contains: { message: "JSON" },
    },
    {
      name: "2 MB in chunks",
      request: () => ({ path, body: chunks(MEGABYTES_2) }),
      status: 400,
      contains: { message: "larger" },
    },
    {
      name: "2 MB declared",
      request: { path, body: chunks(10), headers: { "Content-Length": String(MEGABYTES_2) } },
      status: 400,
      contains: { message: "larger" },
    },
  ]);
}

const GOOD_TYPES = [
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  'application/json; charset="utf-8"',
  "application/json ; charset=utf-8",
];
const BAD_TYPES = [
  undefined,
  "",
  "text/plain",
  "text/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonp",
  "application/json, text/plain",
  "application/json; charset=iso-8859-1",
  "application/json; charset=utf-16",
  "application/ld+json",
  "json",
];

describeScenarios("POST requests also carry Content-Type: application/json", [
  ...GOOD_TYPES.map((type): Scenario => ({ name: type, request: (scene) => typed(scene, type), status: 200 })),
  ...BAD_TYPES.map(
    (type): Scenario => ({
      name: `not ${type ?? "without one"}`,
      request: (scene) => typed(scene, type),
      status: 400,
      contains: { message: "Content-Type must be application/json" },
    }),
  ),
]);

function typed({ caller }: Scene, type: string | undefined) {
  const body = Buffer.from(JSON.stringify(payment(caller)));
  return { path: "/stkpush.php", headers: { "Content-Type": type }, body };
}

describeScenarios("Unknown members are ignored", [
  {
    name: "of any type",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      json: { ...payment(caller), callback_url: "x", Amount: 0, kind: "web", status: "completed", x: [{}] },
    }),
    status: 200,
  },
  {
    name: "__proto__, constructor and toString",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      body: `{"__proto__":{"amount":1},"constructor":1,"toString":1,${JSON.stringify(payment(caller)).slice(1)}`,
    }),
    status: 200,
  },
  {
    name: "but a member inside __proto__ does not stand for the member",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      body: `{"payment_account_id":${caller.accountId},"phone":"0712345678","__proto__":{"amount":5}}`,
    }),
    status: 400,
    contains: { message: "amount is missing" },
  },
]);

describe("what goes wrong with one body does not touch the next", () => {
  test("after every bad body a payment starts, and has the kind api whatever its body said", async () => {
    const scene = await openScene();
    for (const [, body] of BAD_BODIES) await scene.send({ path: "/stkpush.php", body });
    const { transaction_id } = await scene.start({ kind: "web" });
    const { body } = await scene.send({ path: "/transactions.php" });
    expect(body.transactions).toMatchObject([{ id: transaction_id, kind: "api", status: "pending" }]);
    expect(({} as { amount?: unknown }).amount).toBeUndefined();
    await scene.close();
  });
});

describe("a body of 64 KB is read; one byte more is refused, although it is good JSON", () => {
  /** A good order of so many bytes. */
  function orderOf({ caller }: Scene, size: number): string {
    const order = JSON.stringify({ ...payment(caller), note: "" });
    return order.replace('"note":""', () => `"note":"${"x".repeat(size - order.length)}"`);
  }
  const WAYS: [way: string, body: (text: string) => Pick<RequestSpec, "body" | "headers">][] = [
    ["as it comes", (body) => ({ body })],
    ["declared", (body) => ({ body, headers: { "Content-Length": `${body.length}` } })],
    ["in chunks", (body) => ({ body: new Blob([body]).stream() })],
  ];
  test.each(WAYS)("%s", async (_way, bodyOf) => {
    const scene = await openScene();
    const send = (size: number) => scene.send({ path: "/stkpush.php", ...bodyOf(orderOf(scene, size)) });
    expect((await send(65_536)).status).toBe(200);
    const refused = await send(65_537);
    expect([refused.status, refused.body.message]).toEqual([400, "the body is larger than 65536 bytes"]);
    await scene.close();
  });
});

function chunks(size: number): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      const length = Math.min(left, 16_384);
      left -= length;
      if (length > 0) controller.enqueue(new Uint8Array(length).fill(0x61));
      else controller.close();
    },
  });
}
