import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/cleanup.ts";
import { describeScenarios, expectSoundAnswer, openScene, type Scene } from "../support/scenario.ts";

const NO_SUCH_PATH =
  "there is nothing at this path; the operations are POST /v2/stkpush.php, POST /v2/status.php, GET /v2/transactions.php, and the same below /api/v2";
const UNAUTHORIZED =
  "invalid API credentials: send the headers X-API-Key and X-API-Secret of a key that is not revoked";

const UNKNOWN_PATHS = ["", "/stkpush.php/", "/STKPUSH.php", "/%73tkpush.php", "//stkpush.php", "/constructor", "/☃"];

describeScenarios("an unknown path is 404, whatever the method and the credentials", [
  ...UNKNOWN_PATHS.map((path) => ({
    name: `GET /v2${path}`,
    request: { path },
    status: 404,
    contains: { message: NO_SUCH_PATH },
  })),
  { name: "DELETE without credentials", request: { method: "DELETE", path: "/nothing", as: "anonymous" }, status: 404 },
]);

describe("a wrong method is 405 with Allow, before the credentials are checked", () => {
  const scene = forAllTests(openScene);

  test.each([
    ...["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => [method, "/transactions.php", "GET"]),
    ["GET", "/stkpush.php", "POST"],
    ["GET", "/status.php", "POST"],
  ] as [string, string, string][])("%s %s", async (method, path, allowed) => {
    const answer = await scene.send({ method, path, as: "anonymous" });
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, allowed]);
    expect(answer.body).toEqual({ success: false, message: `this operation takes ${allowed} only` });
    expectSoundAnswer(answer);
  });
});

describe("bad credentials are 401, always with the same answer", () => {
  const scene = forAllTests(openScene);

  const BAD_HEADERS: Record<string, (scene: Scene) => Record<string, string>> = {
    "no headers": () => ({}),
    "an unknown key": ({ caller }) => ({ ...caller.headers, "X-API-Key": "mk_000000000000000000000000" }),
    "a wrong secret": ({ caller }) => ({ ...caller.headers, "X-API-Secret": "ms_wrong" }),
    "a revoked key": ({ other }) => other.headers,
    "letters beyond ASCII": ({ caller }) => ({ ...caller.headers, "X-API-Secret": "\xff\xe9" }),
  };
  test.each(Object.keys(BAD_HEADERS))("%s", async (name) => {
    if (name === "a revoked key") await scene.harness.service.registry.revokeKey(scene.other.key.apiKey);
    const headers = BAD_HEADERS[name]?.(scene) ?? {};
    for (const [method, path] of [
      ["POST", "/stkpush.php"],
      ["POST", "/status.php"],
      ["GET", "/transactions.php"],
    ] as const) {
      const answer = await scene.send({ method, path, as: "anonymous", headers });
      expect(answer).toMatchObject({ status: 401, body: { success: false, message: UNAUTHORIZED } });
      expectSoundAnswer(answer);
    }
  });

  test("the header names may be in any letter case", async () => {
    const { apiKey, apiSecret } = scene.caller.key;
    const headers = { "x-api-key": apiKey, "X-API-SECRET": apiSecret };
    expect((await scene.send({ path: "/transactions.php", as: "anonymous", headers })).status).toBe(200);
  });
});

describeScenarios("credentials are checked before the input, and the input before the operation", [
  {
    name: "a body that is too large, without credentials",
    request: { path: "/stkpush.php", as: "anonymous", body: `{"x":"${"a".repeat(100_000)}"}` },
    status: 401,
  },
  {
    name: "a bad page, without credentials",
    request: { path: "/transactions.php?page=0", as: "anonymous" },
    status: 401,
  },
  {
    name: "a body that is not JSON, with another content type",
    request: { path: "/stkpush.php", headers: { "Content-Type": "text/plain" }, body: "{" },
    status: 400,
    contains: { message: 'Content-Type must be application/json; it is "text/plain"' },
  },
  {
    name: "an unknown checkout_request_id, with another content type",
    request: {
      path: "/status.php",
      headers: { "Content-Type": "text/plain" },
      json: { checkout_request_id: "ws_CO_1" },
    },
    status: 400,
  },
  {
    name: "a phone that the network refuses, in an order with a bad amount",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      json: { payment_account_id: caller.accountId, phone: "254700000500", amount: 0 },
    }),
    status: 400,
  },
]);
