import { beforeAll, describe, expect, test } from "bun:test";
import { testRefusals } from "../../support/refused.ts";
import { openSteered } from "../../support/steered.ts";
import { forAllTests } from "../../support/use.ts";

const BEFORE = [{ match: { reference: "before" }, outcome: "cancelled", times: 2 }];

const sandbox = forAllTests(openSteered);
beforeAll(() => sandbox.control("PUT", "/rules", BEFORE));

const good = { outcome: "completed" };
const third = (rule: object) => [good, good, { ...good, ...rule }];

describe("every error names its place, and leaves the rules as before", () => {
  const BAD: [body: unknown, says: string][] = [
    [third({ match: { phone: "+254712345678" } }), "rules[2].match.phone: it must be a string of 254"],
    [third({ match: { phone: 712345678 } }), "rules[2].match.phone: "],
    [third({ match: { amount: 0.5 } }), "rules[2].match.amount: it must be a number"],
    [third({ match: { amount: 1.005 } }), "rules[2].match.amount: it must be"],
    [third({ match: { amount: "100" } }), "rules[2].match.amount: "],
    [third({ match: { payment_account_id: 0 } }), "rules[2].match.payment_account_id: "],
    [third({ match: { payment_account_id: 1.5 } }), "rules[2].match.payment_account_id: "],
    [third({ match: { reference: "a".repeat(101) } }), "rules[2].match.reference: must have at most 100"],
    [third({ match: { Phone: "0712345678" } }), "rules[2].match: "],
    [third({ time: 1 }), "rules[2]: "],
    [third({ match: "0712345678" }), "rules[2].match: "],
    [third({ outcome: "paid" }), "rules[2].outcome: it is not the name of an outcome"],
    [[good, {}], "rules[1].outcome: "],
    [third({ after: "3 s" }), "rules[2].after: it is not a duration up to 24h"],
    [third({ after: 3 }), "rules[2].after: "],
    [third({ after: "25h" }), "rules[2].after: it is not a duration up to 24h"],
    [third({ outcome: "silent", after: "3s" }), "rules[2].after: it has no meaning"],
    [third({ times: 0 }), "rules[2].times: "],
    [third({ times: 0.5 }), "rules[2].times: "],
    [third({ times: 1e9 }), "rules[2].times: "],
    [[good, 5], "rules[1]: must be a JSON object"],
    [{ outcome: "paid" }, "outcome: it is not the name of an outcome"],
    [{ ...good, name: "x" }, 'there is no member "name"; the members are '],
    [{ rules: third({ outcome: "" }) }, "rules[2].outcome: "],
    [{ rules: [], seed: 1 }, 'there is no member "seed"; the members are '],
    [{ rules: good }, "rules: "],
    ["completed", ""],
    [null, ""],
  ];
  testRefusals(sandbox, "POST", "/rules", BAD);
  testRefusals(sandbox, "PUT", "/rules", BAD);

  test.each(["", "{", "[1,", "completed"])("a body that is not JSON: %p", async (body) => {
    const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain("body");
  });
});
