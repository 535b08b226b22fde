import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, assistant } from "../support/assistant.ts";
import { cleanUp } from "../support/cleanup.ts";

/** What the tools of `momo mcp` say of themselves, and what they refuse. */

afterAll(cleanUp);

const PHONE = "0712345678";

describe("a refusal is the sandbox's own message", () => {
  const REFUSED: [tool: string, given: Answer, message: RegExp][] = [
    ["rules", { action: "replace", rules: [{ outcome: "paid" }] }, /outcome.*the names are completed, .*"paid"/],
    ["rules", { action: "burn" }, /action must be one of list, add, replace, clear; it is "burn"/],
    ["rules", { action: "constructor" }, /action must be one of list, add, replace, clear; it is "constructor"/],
    ["explain_payment", { checkout_request_id: ".." }, /^checkout_request_id must be a string, .*; it is ".."$/],
    ["clock", { freeze: true }, /^action is missing: it must be one of show, set$/],
    [
      "clock",
      { action: "show", freeze: true },
      /no argument freeze: clock with action show takes no .*for action set$/,
    ],
    [
      "clock",
      { action: "show", ["u".repeat(200_000)]: 1 },
      /^there is no argument "u{40}…", 200000 characters: .{0,99}$/,
    ],
    ["clock", { action: "set", by: "1s" }, /there is no argument by: clock with action set takes freeze, .*advance/],
    ["clock", { action: "set", to: "2000-01-01 00:00" }, /to has passed: .* The tool state with action reset/],
    ["audit", { action: "report", format: "junit" }, /no argument format: audit with action report takes over$/],
    ["explain_payment", {}, /^checkout_request_id is missing/],
    ["wait_for_payment", {}, /^give either checkout_request_id or reference$/],
    [
      "wait_for_payment",
      { reference: "A-1", timeout: "1ms" },
      /No payment has this reference.*audit with action requests/,
    ],
    [
      "explain_payment",
      { checkout_request_id: "ws_CO_1" },
      /no payment with this .*list_payments.*audit with action req/,
    ],
    ["connect", { lang: "PHP" }, /lang/],
    ["start_payment", { phone: "1", amount: 0 }, /phone must be .*; amount must be/],
    ["customer", { action: "answer", pin: "1234" }, /checkout_request_id is missing/],
    ["state", { action: "remove", name: "../faults" }, /^there is no snapshot of this name/],
    ["nothing", {}, /nothing/],
  ];
  test.each(REFUSED)("%s %j", async (tool, given, message) => {
    const { call } = await assistant();
    const said = await call(tool, given).then(({ text }) => text, String);
    expect(said).toMatch(message);
  });
});

test("a frozen clock and an answered prompt name the tool that helps, and the requests show a refused payment", async () => {
  const { call } = await assistant();
  const { answer: connected } = await call("connect");
  const { MOMO_BASE_URL = "" } = connected.variables as Record<string, string>;
  await call("clock", { action: "set", freeze: true });
  const { checkout_request_id } = (await call("start_payment", { phone: PHONE, amount: 5 })).answer;
  const late = await call("wait_for_payment", { checkout_request_id, timeout: "1ms" });
  expect(late.text).toContain("The clock is frozen: call clock with action set and advance");
  await call("customer", { action: "answer", checkout_request_id, outcome: "cancelled" });
  const again = await call("customer", { action: "answer", checkout_request_id, pin: "1234" });
  expect(again.text).toMatch(/answered already: the payment is cancelled\. .*explain_payment/);
  await fetch(`${MOMO_BASE_URL}/stkpush.php`, { method: "POST", body: "{}" });
  expect((await call("audit", { action: "requests" })).answer.requests).toMatchObject([{ status: 401 }]);
});

test("the list of the tools is short, and describes each argument, also the members of rules and faults", async () => {
  const { client } = await assistant();
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools).length).toBeLessThan(22_000);
  const missing: string[] = [];
  const visit = (place: string, schema: { properties?: object; items?: object; description?: string }) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!property.description) missing.push(`${place}.${name}`);
      visit(`${place}.${name}`, property);
    }
    if (schema.items) visit(place, schema.items);
  };
  for (const { name, inputSchema } of tools) visit(name, inputSchema as object);
  expect(missing).toEqual([]);
  expect(JSON.stringify(tools.find(({ name }) => name === "start_payment"))).toContain("or manual: it stays pending");
});
