import { describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario } from "../support/scenario.ts";

const ALLOWED = { "/stkpush.php": "POST", "/status.php": "POST", "/transactions.php": "GET" } as const;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const UNKNOWN_PATHS = ["", "/stkpush.php/", "/STKPUSH.php", "/%73tkpush.php", "//stkpush.php", "/constructor", "/☃"];

describeScenarios(
  "unknown path 404, with credentials and without",
  UNKNOWN_PATHS.flatMap((path): Scenario[] =>
    (["caller", "nobody"] as const).flatMap((as) =>
      ["GET", "POST", "DELETE"].map((method) => ({
        name: `${method} /v2${path} as ${as}`,
        request: { method, path, as },
        status: 404,
        contains: { message: ["path", "POST /v2/stkpush.php", "POST /v2/status.php", "GET /v2/transactions.php"] },
      })),
    ),
  ),
);

describe("wrong method 405 with Allow, before the credentials are looked at", () => {
  for (const [path, allowed] of Object.entries(ALLOWED)) {
    for (const method of METHODS.filter((name) => name !== allowed)) {
      test(`${method} ${path}`, async () => {
        const scene = await openScene();
        for (const as of ["caller", "nobody"] as const) {
          const { status, headers, body } = await scene.send({ method, path, as });
          expect(status).toBe(405);
          expect(headers.get("Allow")).toBe(allowed);
          expect(body).toEqual({ success: false, message: expect.stringContaining(allowed) });
        }
        await scene.close();
      });
    }
  }
});

describeScenarios("bad credentials 401, before Content-Type and body 400", [
  { name: "no body", request: { method: "POST", path: "/stkpush.php", as: "nobody" }, status: 401 },
  { name: "a body that is not JSON", request: { path: "/status.php", as: "nobody", body: "{" }, status: 401 },
  { name: "a body that is too large", request: { path: "/stkpush.php", as: "nobody", body: big() }, status: 401 },
  { name: "a bad page", request: { path: "/transactions.php?page=0", as: "nobody" }, status: 401 },
  { name: "a bad escape", request: { path: "/transactions.php?search=%", as: "nobody" }, status: 401 },
]);

describeScenarios("Content-Type and body 400, before the operation itself", [
  {
    name: "an unknown checkout_request_id in a body of another content type",
    request: {
      path: "/status.php",
      headers: { "Content-Type": "text/plain" },
      body: '{"checkout_request_id":"ws_CO_1_A"}',
    },
    status: 400,
    contains: { message: "Content-Type" },
  },
  {
    name: "the wrong content type is told before the body that is not JSON",
    request: { path: "/stkpush.php", headers: { "Content-Type": "text/plain" }, body: "{" },
    status: 400,
    contains: { message: "Content-Type" },
    lacks: ["JSON"],
  },
  {
    name: "a refused phone in an order that is not valid",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      json: { payment_account_id: caller.accountId, phone: "254700000500", amount: 0 },
    }),
    status: 400,
    contains: { message: "amount" },
  },
]);

function big(): string {
  return `{"x":"${"a".repeat(100_000)}"}`;
}
