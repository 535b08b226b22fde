import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { forAllTests } from "../support/cleanup.ts";
import { describeScenarios, openScene, payment, type RequestSpec, type Scene } from "../support/scenario.ts";

const notJson = (shown: string) => `the body is not JSON: send one JSON object; it is ${shown}`;
const NOT_UTF8 = "the body is not UTF-8: send one JSON object in UTF-8";
const TOO_LARGE = "the body is larger than 65536 bytes";
const utf16 = Buffer.from("{}", "utf16le");

/** A body, the whole message of the refusal, and more headers. */
const BAD_BODIES: [body: string | Uint8Array, message: string, headers?: Record<string, string>][] = [
  ["", "the body is empty, which is not JSON: send one JSON object"],
  ['{"amount":1,"pho', notJson('"{\\"amount\\":1,\\"pho"')],
  ["{}{}", notJson('"{}{}"')],
  ['{"a":1,}', notJson('"{\\"a\\":1,}"')],
  ["{'a':1}", notJson("\"{'a':1}\"")],
  ["amount=1&phone=07", notJson('"amount=1&phone=07"')],
  [`secret=ms_${"0".repeat(40)}`, notJson('"secret=[redacted]"')],
  ['{"amount":NaN}', notJson('"{\\"amount\\":NaN}"')],
  ['{"amount":01}', notJson('"{\\"amount\\":01}"')],
  ['{"a":"\n"}', notJson('"{\\"a\\":\\"\\n\\"}"')],
  ["{}\0", notJson('"{}\\u0000"')],
  [utf16, notJson('"{\\u0000}\\u0000"')],
  ["\ufeff{}", "the body begins with a byte order mark, which is not JSON: send the JSON object without it"],
  [Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), NOT_UTF8],
  [Buffer.from('{"a":"é').subarray(0, -1), NOT_UTF8],
  [Buffer.concat([Buffer.from('{"a":"'), Uint8Array.of(0xed, 0xa0, 0x80)]), NOT_UTF8],
  [gzipSync("{}"), "the body is compressed (gzip): send it plain"],
  [gzipSync("{}"), 'the body is compressed ("gzip"): send it plain', { "Content-Encoding": "gzip" }],
  [Uint8Array.of(0x0b, 0xff), 'the body is compressed ("br"): send it plain', { "Content-Encoding": "br" }],
  ["[]", "the body must be a JSON object; it is an array"],
  ["null", "the body must be a JSON object; it is null"],
  ["1", "the body must be a JSON object; it is a number"],
  ['"{}"', "the body must be a JSON object; it is a string"],
  ["[".repeat(10_000) + "]".repeat(10_000), "the body must be a JSON object; it is an array"],
  ["[".repeat(30_000), notJson(`"${"[".repeat(40)}…", 30000 characters`)],
];

const GOOD_TYPES = ["Application/JSON", "application/json;charset=UTF-8", 'application/json ; charset="utf-8"'];
const BAD_TYPES = [
  "",
  "text/json",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "application/json, text/plain",
  "application/json; charset=utf-16",
  "application/ld+json",
];

function orderWithType({ caller }: Scene, type: string | undefined): RequestSpec {
  const body = Buffer.from(JSON.stringify(payment(caller)));
  return { path: "/stkpush.php", headers: { "Content-Type": type }, body };
}

describeScenarios("a body that is not a JSON object is 400", [
  ...BAD_BODIES.map(([body, message, headers = {}]) => ({
    name: `${message.slice(0, 90)}`,
    request: { path: "/stkpush.php", body, headers },
    status: 400,
    contains: { message },
  })),
  { name: "of /status.php, too", request: { path: "/status.php", body: "[]" }, status: 400 },
]);

describeScenarios("POST requests also carry Content-Type: application/json", [
  ...GOOD_TYPES.map((type) => ({ name: type, request: (scene: Scene) => orderWithType(scene, type), status: 200 })),
  ...BAD_TYPES.map((type) => ({
    name: `not "${type}"`,
    request: (scene: Scene) => orderWithType(scene, type),
    status: 400,
    contains: { message: `Content-Type must be application/json; it is "${type}"` },
  })),
  {
    name: "no content type is refused",
    request: (scene) => orderWithType(scene, undefined),
    status: 400,
    contains: { message: "Content-Type must be application/json; there is none" },
  },
]);

describe("unknown members are ignored", () => {
  const scene = forAllTests(openScene);

  test("also members of other operations, of the list and of every object", async () => {
    const { transaction_id } = await scene.start({ kind: "web", status: "completed", Amount: 0, page: [{}] });
    const { body } = await scene.send({ path: `/transactions.php?id=${transaction_id}` });
    expect(body.transactions).toMatchObject([{ kind: "api", status: "pending", amount: 100 }]);
    const more = `{"__proto__":{"amount":1},"constructor":1,"toString":1,${JSON.stringify(payment(scene.caller)).slice(1)}`;
    await scene.start({}, { body: more });
  });

  test("a member inside __proto__ is not a member of the order", async () => {
    const body = `{"payment_account_id":${scene.caller.accountId},"phone":"0712345678","__proto__":{"amount":5}}`;
    const answer = await scene.send({ path: "/stkpush.php", body });
    expect(answer.body.message).toStartWith("amount is missing");
    expect(({} as { amount?: unknown }).amount).toBeUndefined();
  });
});

describe("a body of 64 KB is read, and one byte more is refused", () => {
  const scene = forAllTests(openScene);

  /** A valid order of this size. */
  function orderOf(size: number): string {
    const order = JSON.stringify({ ...payment(scene.caller), note: "" });
    return order.replace('"note":""', () => `"note":"${"x".repeat(size - order.length)}"`);
  }
  const WAYS: [way: string, body: (text: string) => Pick<RequestSpec, "body" | "headers">][] = [
    ["with Content-Length", (body) => ({ body, headers: { "Content-Length": `${body.length}` } })],
    ["in chunks", (body) => ({ body: new Blob([body]).stream() })],
  ];
  test.each(WAYS)("%s", async (_way, bodyOf) => {
    const send = (size: number) => scene.send({ path: "/stkpush.php", ...bodyOf(orderOf(size)) });
    expect((await send(65_536)).status).toBe(200);
    expect(await send(65_537)).toMatchObject({ status: 400, body: { message: TOO_LARGE } });
  });

  test("the declared size counts before any byte is read", async () => {
    const body = new ReadableStream({ pull: () => Promise.reject(new Error("the body was read")) });
    const headers = { "Content-Length": "65537" };
    const answer = await scene.send({ path: "/stkpush.php", body, headers });
    expect(answer).toMatchObject({ status: 400, body: { message: TOO_LARGE } });
  });
});
