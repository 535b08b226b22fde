import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OUTCOMES } from "../../../sandbox/network/outcomes.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

const BEFORE = [{ match: { reference: "before" }, outcome: "cancelled", times: 2 }];

let sandbox: Steered;
beforeAll(async () => {
  sandbox = await openSteered();
  await sandbox.control("PUT", "/rules", BEFORE);
});
afterAll(() => sandbox.close());

const good = { outcome: "completed" };
const third = (rule: object) => [good, good, { ...good, ...rule }];

describe("every error names its place, and leaves the rules as before", () => {
  const BAD: [name: string, body: unknown, says: string][] = [
    ["a phone", third({ match: { phone: "+254712345678" } }), "rules[2].match.phone: it must be a string of 254"],
    ["a phone that is a number", third({ match: { phone: 712345678 } }), "rules[2].match.phone: "],
    ["an amount", third({ match: { amount: 0.5 } }), "rules[2].match.amount: it must be a number"],
    ["an amount with three decimals", third({ match: { amount: 1.005 } }), "rules[2].match.amount: it must be"],
    ["an amount that is text", third({ match: { amount: "100" } }), "rules[2].match.amount: "],
    ["an account", third({ match: { payment_account_id: 0 } }), "rules[2].match.payment_account_id: "],
    ["a fraction of an account", third({ match: { payment_account_id: 1.5 } }), "rules[2].match.payment_account_id: "],
    [
      "a long reference",
      third({ match: { reference: "a".repeat(101) } }),
      "rules[2].match.reference: must have at most 100",
    ],
    ["an unknown member of match", third({ match: { Phone: "0712345678" } }), "rules[2].match: "],
    ["an unknown member", third({ time: 1 }), "rules[2]: "],
    ["a match that is no object", third({ match: "0712345678" }), "rules[2].match: "],
    ["an outcome", third({ outcome: "paid" }), "rules[2].outcome: it is not the name of an outcome"],
    ["no outcome", [good, {}], "rules[1].outcome: "],
    ["a duration", third({ after: "3 s" }), "rules[2].after: it is not a duration up to 24h"],
    ["a duration that is a number", third({ after: 3 }), "rules[2].after: "],
    ["a duration of more than a day", third({ after: "25h" }), "rules[2].after: it is not a duration up to 24h"],
    ["after where nobody answers", third({ outcome: "silent", after: "3s" }), "rules[2].after: it has no meaning"],
    ["times 0", third({ times: 0 }), "rules[2].times: "],
    ["times by halves", third({ times: 0.5 }), "rules[2].times: "],
    ["times without end", third({ times: 1e9 }), "rules[2].times: "],
    ["a rule that is no object", [good, 5], "rules[1]: must be a JSON object"],
    ["a single rule", { outcome: "paid" }, "outcome: it is not the name of an outcome"],
    ["an unknown member of a single rule", { ...good, name: "x" }, 'there is no member "name"; the members are '],
    ["an object of rules with a bad one", { rules: third({ outcome: "" }) }, "rules[2].outcome: "],
    ["rules beside something else", { rules: [], seed: 1 }, 'there is no member "seed"; the members are '],
    ["rules that are no array", { rules: good }, "rules: "],
    ["a string", "completed", ""],
    ["null", null, ""],
  ];
  for (const [name, body, says] of BAD) {
    for (const method of ["POST", "PUT"]) {
      test(`${method}: ${name}`, async () => {
        const answer = await sandbox.call(method, "/rules", { json: body });
        expect(answer.status).toBe(400);
        expectSoundAnswer(answer);
        expect(answer.body.message).toStartWith(says);
        expect((await sandbox.control("GET", "/rules")).rules).toEqual(BEFORE);
      });
    }
  }

  test("several errors are named at once", async () => {
    const message = await sandbox.refusal("POST", "/rules", [{ outcome: "paid" }, { ...good, times: -1 }]);
    expect(message).toContain("rules[0].outcome: ");
    expect(message).toContain("rules[1].times: ");
  });

  test("an unknown outcome lists the names", async () => {
    const message = await sandbox.refusal("POST", "/rules", { outcome: "Completed" });
    for (const { name } of OUTCOMES) expect(message).toContain(name);
  });

  test.each(["", "{", "[1,", "completed"])("a body that is not JSON: %p", async (body) => {
    const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain("body");
  });

  test("a good rule beside a bad one is not taken either", async () => {
    await sandbox.refusal("POST", "/rules", [good, { outcome: "paid" }]);
    expect((await sandbox.control("GET", "/rules")).rules).toEqual(BEFORE);
  });
});
