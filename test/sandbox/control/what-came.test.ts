import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OUTCOMES } from "../../../sandbox/network/outcomes.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

let sandbox: Steered;
let id: string;
beforeAll(async () => {
  sandbox = await openSteered();
  id = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
});
afterAll(() => sandbox.close());

const SECRET = `ms_${"0123456789".repeat(4)}`;
const DURATION = "it is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h";
const OUTCOME_NAME = `the name of an outcome; the names are ${OUTCOMES.map(({ name }) => name).join(", ")}`;
const NAME = "it must be 1 to 100 characters on one line";

describe("a refusal of the control API names what came", () => {
  const CASES: [method: string, path: string, json: unknown, message: string][] = [
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
    [
      "PUT",
      "/faults",
      { faults: [{ kind: "crash" }] },
      'faults[0].kind: must be one of error, delay, disconnect; it is "crash"',
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ kind: "delay", delay: 5 }] },
      "faults[0].delay: must be a string; it is a number, 5",
    ],
    ["PUT", "/faults", { faults: 5 }, "faults: must be an array; it is a number, 5"],
    ["PUT", "/faults", {}, "faults: is missing"],
    ["PUT", "/default", { outcome: 5 }, `outcome: must be ${OUTCOME_NAME}; it is 5`],
    ["PUT", "/default", { outcome: "completed", after: "soon" }, `after ${DURATION.slice(3)}; it is "soon"`],
    ["POST", "/clock", { advance: "90" }, `advance: ${DURATION}; it is "90"`],
    ["POST", "/clock", { freeze: "yes" }, 'freeze: must be true; leave freeze out otherwise; it is "yes"'],
    [
      "POST",
      "/wait",
      { reference: "R", until: "paid" },
      'until: must be one of final, pending, completed, failed, cancelled, expired; it is "paid"',
    ],
    ["POST", "/merchants", { name: "" }, `name: ${NAME}; it is ""`],
    ["POST", "/merchants", { name: 5 }, "name: must be a string; it is a number, 5"],
    ["POST", "/accounts", { name: "a\u001bb" }, `name: ${NAME}; it is "a\\u001bb"`],
    ["POST", "/keys", { label: SECRET, merchant_id: "1" }, 'merchant_id: must be a number; it is a string, "1"'],
    [
      "POST",
      "/rules",
      [{ match: { amount: 1.005 }, outcome: "completed" }],
      "rules[0].match.amount: it must be a number from 1 to 999999999.99 with at most two decimals: round it to cents, 1.01; it is 1.005",
    ],
    ["POST", "/rules", [{ outcome: "completed", after: 3 }], "rules[0].after: must be a string; it is a number, 3"],
    ["POST", "/rules", [{ outcome: "completed", after: "3 s" }], `rules[0].after: ${DURATION}; it is "3 s"`],
    ["POST", "/rules", [5], "rules[0]: must be a JSON object; it is a number, 5"],
    [
      "GET",
      "/prompts?phone=733",
      undefined,
      'phone must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678; it is "733"',
    ],
    [
      "GET",
      "/accounts?merchant_id=x",
      undefined,
      'merchant_id must be a whole number, the id of a merchant; it is "x"',
    ],
    ["GET", "/requests?format=xml", undefined, 'format must be json or curl; it is "xml"'],
  ];
  for (const [method, path, json, message] of CASES) {
    test(`${method} ${path}: ${message}`, async () => {
      expect(await sandbox.refusal(method, path, json)).toBe(message);
    });
  }

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
