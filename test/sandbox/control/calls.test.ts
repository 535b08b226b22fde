import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ControlScene, openControl } from "../../support/control.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";

let scene: ControlScene;
beforeAll(async () => {
  scene = await openControl();
});
afterAll(() => scene.close());

describe("GET /_momo/health: 200 as soon as the API serves", () => {
  test("status ok and the version", async () => {
    const answer = await scene.call("GET", "/health");
    expectSoundAnswer(answer);
    expect(answer.body).toMatchObject({
      success: true,
      status: "ok",
      version: expect.stringMatching(/^[0-9]+[.][0-9]+[.][0-9]+/),
    });
    expect(answer.text).not.toContain(scene.caller.key.apiSecret);
  });

  test("HEAD as well, which is how many a tool waits for a server", async () => {
    expect((await scene.call("HEAD", "/health")).status).toBe(200);
  });
});

describe("GET /_momo/outcomes prints the table", () => {
  const TABLE: [name: string, phone: string, status: string | null, code: number | null, after: string | null][] = [
    ["completed", "254700000000", "completed", 0, "3s"],
    ["completed_late", "254700000030", "completed", 0, "30s"],
    ["insufficient_funds", "254700000001", "failed", 1, "3s"],
    ["over_limit", "254700000003", "failed", 3, "3s"],
    ["rule_limited", "254700000017", "failed", 17, "3s"],
    ["push_error", "254700000025", "failed", 1025, "3s"],
    ["unreachable", "254700000037", "failed", 1037, "15s"],
    ["wrong_pin", "254700000201", "failed", 2001, "3s"],
    ["pin_locked", "254700000806", "failed", 8006, "3s"],
    ["cancelled", "254700000032", "cancelled", 1032, "3s"],
    ["expired", "254700000019", "expired", 1019, "prompt timeout"],
    ["silent", "254700000099", "expired", 1019, "never"],
    ["refused", "254700000500", null, null, null],
    ["manual", "254700000100", null, null, null],
  ];

  test("every row, and no other", async () => {
    const { body } = await scene.call("GET", "/outcomes");
    expect(body.outcomes).toEqual(
      TABLE.map(([name, phone, status, code, after]) => ({
        name,
        phone,
        status,
        code,
        after,
        meaning: expect.any(String),
      })),
    );
  });
});

describe("like the merchant API it answers everything in JSON", () => {
  const PATHS = ["//", "/nothing", "/health/", "/HEALTH", "/%68ealth", "/constructor", "/__proto__", "/health/x"];
  for (const path of PATHS) {
    test(`404: GET /_momo${path}`, async () => {
      const answer = await scene.call("GET", path);
      expect(answer.status).toBe(404);
      expectSoundAnswer(answer);
      expect(answer.body.message).toContain("/_momo/health");
    });
  }

  const ALLOWED = { "/health": "GET, HEAD", "/outcomes": "GET", "/payments": "POST" };
  for (const [path, allowed] of Object.entries(ALLOWED)) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (allowed.split(", ").includes(method)) continue;
      test(`405 with Allow: ${method} /_momo${path}`, async () => {
        const answer = await scene.call(method, path);
        expect(answer.status).toBe(405);
        expect(answer.headers.get("Allow")).toBe(allowed);
        expectSoundAnswer(answer);
      });
    }
  }

  test("a query string changes nothing", async () => {
    expect((await scene.call("GET", "/health?x=%")).status).toBe(200);
  });
});
