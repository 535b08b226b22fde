import { describe, expect, test } from "bun:test";
import { openControl } from "../../support/control.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { forAllTests } from "../../support/use.ts";

const scene = forAllTests(openControl);

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
});
