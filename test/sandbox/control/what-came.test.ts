import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openSteered, type Steered } from "../../support/steered.ts";

let sandbox: Steered;
let id: string;
beforeAll(async () => {
  sandbox = await openSteered();
  id = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
});
afterAll(() => sandbox.close());

const SECRET = `ms_${"0123456789".repeat(4)}`;

describe("a refusal of the control API names what came", () => {
  test.each([
    [
      "PUT",
      "/faults",
      { faults: [{ kind: "error", status: "500" }] },
      'faults[0].status: must be a number; it is a string, "500"',
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ kind: "error", status: 600 }] },
      "faults[0].status: must be at most 599; it is 600",
    ],
    ["POST", "/clock", { freeze: "yes" }, 'freeze: must be true; leave freeze out otherwise; it is "yes"'],
    ["POST", "/merchants", { name: "a\u001bb" }, 'name: it must be 1 to 100 characters on one line; it is "a\\u001bb"'],
    [
      "GET",
      "/accounts?merchant_id=x",
      undefined,
      'merchant_id must be a whole number, the id of a merchant; it is "x"',
    ],
  ])("%s %s %j", async (method, path, json, message) => {
    expect(await sandbox.refusal(method, path, json)).toBe(message);
  });

  test("but not a PIN that somebody typed", async () => {
    const answer = (pin: unknown) => sandbox.refusal("POST", `/prompts/${id}/answer`, { pin });
    expect(await answer("98765432")).toBe("pin: must be a string of 4 to 6 digits");
    expect(await answer(9876)).toBe("pin: must be a string of 4 to 6 digits; it is a number");
  });
});

describe("a refusal is bounded, however much is wrong", () => {
  test("of a thousand bad rules twenty are named", async () => {
    const message = await sandbox.refusal("PUT", "/rules", Array(1000).fill({ outcome: 1 }));
    expect(message).toContain("rules[19].outcome: ");
    expect(message).not.toContain("rules[20].outcome: ");
    expect(message).toEndWith("; and 980 more");
  });

  test("of unknown members the names are cut, and no secret is among them", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${"x".repeat(40)}${index}`, 1]));
    const message = await sandbox.refusal("PUT", "/default", { outcome: "completed", [SECRET]: 1, ...unknown });
    expect(message).not.toContain(SECRET);
    expect(message.length).toBeLessThan(2000);
  });
});
