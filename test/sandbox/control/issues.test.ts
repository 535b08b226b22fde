import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { useScene } from "../../support/scene.ts";

/** A refusal of the control API says in words and as data what is wrong where. The stories have the words of each refusal. */

const sandbox = useScene();
afterAll(cleanUp);

type Issue = readonly [path: string, rule: string | RegExp, received?: string];

const CASES: readonly [call: string, body: unknown, issues: readonly Issue[], status?: number][] = [
  ["PUT /faults", {}, [["faults", "is missing"]]],
  [
    "PUT /faults",
    { faults: [{ kind: "error" }, { kind: "crash", times: "1" }] },
    [
      ["faults[1].kind", /^must be one of error, /, '"crash"'],
      ["faults[1].times", "must be a number", 'a string, "1"'],
    ],
  ],
  ["PUT /faults", { faults: [], seeds: 1 }, [["", /^there is no member "seeds" \(did you mean seed\?\); /]]],
  [
    "POST /rules",
    { rules: [{ outcome: "cancelled", match: { phone: "07*12", amount: 1.005 } }] },
    [
      ["rules[0].match.phone", /^must be the start of a phone/, '"07*12"'],
      ["rules[0].match.amount", "must be a number from 1 to 999999999.99 with at most two decimals", "1.005"],
    ],
  ],
  ["POST /clock", {}, [["", /^give "freeze":true/]]],
  ["POST /clock", { advance: "401d" }, [["advance", /^is not a duration up to 400d/, '"401d"']]],
  ["POST /clock", { to: "2026-11-20 09:00" }, [["to", "must not have passed"]]],
  ["PUT /webhook", { url: "http://127.0.0.1:2547/hook" }, [["url", "must not be an address of this server"]]],
  ["PUT /webhook", { url: "http://a/", form: "template" }, [["template", /^is missing/]]],
  ["PUT /snapshots/a%20b", undefined, [["name", "must be 1 to 64 letters, digits, - and _", '"a b"']]],
  ["GET /requests?limit=0", undefined, [["limit", "must be a whole number from 1 to 1000", '"0"']]],
  ["GET /requests?after=1&before=2", undefined, [["", "give after or before, not both"]]],
  ["GET /nowhere", undefined, [], 404],
  ["PATCH /rules", {}, [], 405],
];

test.each(CASES)("%s %j", async (call, json, issues, status = 400) => {
  const [method = "", path = ""] = call.split(" ");
  const answer = await sandbox.call(method, path, json === undefined ? {} : { json });
  expect([answer.status, Object.keys(answer.body)]).toEqual([status, ["success", "message", "issues"]]);
  const expected = issues.map(([place, rule, received]) => ({
    path: place,
    rule: typeof rule === "string" ? rule : expect.stringMatching(rule),
    ...(received !== undefined && { received }),
  }));
  expect<unknown>(answer.body.issues).toEqual(expected);
  for (const [place, , received] of issues) {
    expect(answer.body.message).toContain(place);
    if (received !== undefined) expect(answer.body.message).toContain(`; it is ${received}`);
  }
});

test("a body that is no JSON object, and one that is too large", async () => {
  const headers = { "Content-Type": "application/json" };
  const send = async (body: string, more = {}) =>
    (await sandbox.call("POST", "/clock", { body, headers: { ...headers, ...more } })).body.issues;
  expect<unknown>(await send("{")).toEqual([{ path: "body", rule: "must be JSON" }]);
  expect<unknown>(await send("[]")).toEqual([{ path: "body", rule: "must be a JSON object" }]);
  expect<unknown>(await send("{}", { "Content-Type": "text/plain" })).toEqual([
    { path: "Content-Type", rule: expect.any(String) },
  ]);
});

test("a PIN is not shown, and a list of a thousand wrong rules is bounded", async () => {
  const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
  const { body } = await sandbox.call("POST", `/prompts/${id}/answer`, { json: { pin: "12" } });
  expect<unknown>(body.issues).toEqual([{ path: "pin", rule: "must be a string of 4 to 6 digits" }]);
  const rules = Array.from({ length: 1000 }, () => ({}));
  const { issues } = (await sandbox.call("PUT", "/rules", { json: { rules } })).body as { issues: unknown[] };
  expect(issues).toHaveLength(20);
});

test("the merchant API answers in the form of the specification", async () => {
  const { body } = await sandbox.send({ path: "/stkpush.php", json: {} });
  expect(Object.keys(body)).toEqual(["success", "message"]);
});
