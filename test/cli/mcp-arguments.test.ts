import { afterAll, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { type Answer, assistant } from "./assistant.ts";

/** What the tools of `momo mcp` take as assistants write it, and what they find. */

afterAll(cleanUp);

const PHONE = "0712345678";

test('text for numbers, "true", JSON text, and null for what is absent are taken', async () => {
  const { call } = await assistant();
  const taken = async (tool: string, given: Answer) => {
    const { answer, text, isError } = await call(tool, given);
    expect({ tool, given, text: isError ? text : "" }).toEqual({ tool, given, text: "" });
    return answer;
  };
  await taken("clock", { action: "set", freeze: "true", resume: null, advance: null });
  await taken("clock", { action: "set", freeze: "false", advance: "1s" });
  const order = { phone: 254712345678, amount: "100", payment_account_id: "1", reference: 42, outcome: null };
  const { checkout_request_id } = await taken("start_payment", order);
  expect(await taken("explain_payment", { checkout_request_id, reference: null })).toMatchObject({
    transaction: { amount: 100, phone: "254712345678", reference: "42" },
  });
  const rules = JSON.stringify([{ match: { amount: "5", phone: null }, outcome: "cancelled", times: "1" }]);
  expect(await taken("rules", { action: "add", rules })).toMatchObject({
    rules: [{ match: { amount: 5 }, outcome: "cancelled", times: 1 }],
  });
  const faults = '[{"kind":"error","status":"503","carried_out":"false","path":null}]';
  expect(await taken("faults", { action: "add", faults, seed: "7" })).toMatchObject({
    faults: [{ kind: "error", status: 503 }],
  });
  await taken("webhook", { action: "set", url: "http://127.0.0.1:9/none", times: "2", early: "True", delay: null });
  const template = '{"order":"{{reference}}","link":null}';
  const templated = { action: "set", url: "http://127.0.0.1:9/none", form: "template", template };
  expect((await taken("webhook", templated)).webhook).toMatchObject({ template: JSON.parse(template) });
  expect((await taken("list_payments", { limit: "5", page: 1, status: null, search: null })).transactions).toHaveLength(
    1,
  );
  await taken("connect", { language: null });
  expect((await taken("connect", { language: "js" })).example).toContain("await fetch");
  const first = { action: "add", rules: [{ outcome: "expired" }], first: "true" };
  expect((await taken("rules", first)).rules).toMatchObject([{ outcome: "expired" }, { outcome: "cancelled" }]);
  const slow = { action: "add", faults: [{ kind: "delay", delay: "1ms" }], first: true };
  expect((await taken("faults", slow)).faults).toMatchObject([{ kind: "delay" }, { kind: "error" }]);
  const one = '{"kind":"delay","delay":"2ms"}';
  expect((await taken("faults", { action: "add", faults: one })).faults).toHaveLength(3);
  await taken("rules", { action: "add", rules: { outcome: "cancelled" } });
  await taken("start_payment", { phone: "+254 712 345 678", amount: 1, outcome: "completed" });
  await taken("state", { action: null });
});

test("names in other letters, an empty text, and one rule or fault as arguments are taken; what removes is always named", async () => {
  const { call } = await assistant();
  const rule = { outcome: "Insufficient Funds", times: "3" };
  expect((await call("rules", rule)).answer.rules).toMatchObject([{ outcome: "insufficient_funds", times: 3 }]);
  expect((await call("rules", { rules: [{ outcome: "CANCELLED" }], first: "True" })).answer.rules).toHaveLength(2);
  const flat = (await call("rules", { outcome: "cancelled", phone: PHONE, amount: "5", times: "2" })).answer;
  expect(flat.rules).toMatchObject([{}, {}, { match: { phone: "254712345678", amount: 5 }, times: 2 }]);
  const both = (await call("rules", { action: "add", outcome: "cancelled", amount: 5, match: { phone: PHONE } })).text;
  expect(both).toContain("there is no argument outcome: rules with action add takes first, before, rules");
  const mistyped = { action: "add", match: { phone: PHONE }, outcom: "cancelled" };
  expect((await call("rules", mistyped)).text).toContain("there is no argument outcom (did you mean outcome?): rules");
  const { action: _, ...unnamed } = mistyped;
  expect((await call("rules", unnamed)).text).toContain("there is no argument outcom (did you mean outcome?): rules");
  await call("rules", { action: "remove", id: flat.id });
  expect((await call("faults", { action: "ADD", kind: "delay", delay: "1ms" })).answer.faults).toHaveLength(1);
  expect((await call("webhook", { url: "http://127.0.0.1:9/none" })).isError).toBe(false);
  expect((await call("start_payment", { phone: PHONE, amount: 5, kind: "API", reference: "" })).isError).toBe(false);
  expect((await call("rules", { action: "", id: "" })).answer.rules).toHaveLength(2);
  expect((await call("rules", { id: 1 })).isError).toBe(true);
  expect((await call("state", { name: "before" })).isError).toBe(true);
  expect((await call("rules")).answer.rules).toHaveLength(2);
});

test("a list is searched by reference and by phone", async () => {
  const { call } = await assistant();
  for (const reference of ["ORDER-1", "ORDER-2"]) await call("start_payment", { phone: PHONE, amount: 5, reference });
  const found = async (given: Answer) => (await call("list_payments", given)).answer.transactions;
  expect(await found({ reference: "ORDER-1" })).toHaveLength(1);
  expect(await found({ phone: PHONE })).toHaveLength(2);
  expect((await call("list_payments", { phone: PHONE, search: "ORDER-1" })).text).toContain(
    "there is no argument phone",
  );
});

test("an action that is left out is the tool's first, and the clock is advanced, frozen and resumed by name", async () => {
  const { call } = await assistant();
  expect((await call("rules")).answer.rules).toEqual([]);
  expect((await call("clock")).answer).toMatchObject({ frozen: false });
  expect((await call("clock", { action: "freeze" })).answer).toMatchObject({ frozen: true });
  expect(await call("clock", { action: "freeze", freeze: "false" })).toMatchObject({
    isError: true,
    text: "action freeze means freeze true: leave out freeze",
  });
  const now = async (given: Answer) => Number((await call("clock", given)).answer.now_ms);
  const before = await now({});
  expect((await now({ action: "advance", advance: "90s" })) - before).toBe(90_000);
  expect((await call("clock", { action: "resume" })).answer).toMatchObject({ frozen: false });
  expect((await now({ advance: "90s" })) - before).toBeGreaterThanOrEqual(180_000);
});

test("a payment is explained by its id, its reference or its number, whose ever it is", async () => {
  const { at, ready } = await serveMomo();
  await runMomo(["merchants", "create", "--name", "Other", ...at]);
  await runMomo(["accounts", "create", "--merchant", "2", "--name", "Till", ...at]);
  const { call } = await assistant({ MOMO_DATA: ready.data });
  await call("start_payment", { phone: PHONE, amount: 5 });
  const order = { phone: PHONE, amount: 6, payment_account_id: 2, reference: "ORDER/1 #é" };
  const { checkout_request_id, transaction_id } = (await call("start_payment", order)).answer;
  for (const given of [
    { checkout_request_id },
    { reference: "ORDER/1 #é" },
    { number: transaction_id },
    { number: `${transaction_id}` },
  ]) {
    const { answer } = await call("explain_payment", given);
    expect(answer?.transaction, JSON.stringify(given)).toMatchObject({ checkout_request_id, amount: 6 });
  }
  const again = { phone: PHONE, amount: 5, reference: "TWICE" };
  const older = (await call("start_payment", { ...again, outcome: "wrong_pin; after=0s" })).answer.checkout_request_id;
  await call("wait_for_payment", { reference: "TWICE" });
  await call("start_payment", { ...again, outcome: "completed; after=0s" });
  await call("wait_for_payment", { reference: "TWICE", until: "completed" });
  expect((await call("explain_payment", { reference: "TWICE" })).answer.message).toBe(
    `the payment is completed; older with this reference: ${older} is failed`,
  );
  expect((await call("wait_for_payment", { reference: "TWICE", until: "expired", timeout: "1ms" })).text).toContain(
    "All payments with this reference have ended",
  );
  await call("start_payment", { phone: PHONE, amount: 5, reference: "ORDER-2~1a2b3c4d" });
  expect((await call("explain_payment", { reference: "ORDER-2" })).text).toMatch(
    /^there is no payment with this reference; there is one with "ORDER-2~1a2b3c4d"/,
  );
  expect((await call("audit", { action: "requests", reference: "ORDER-2" })).answer.requests).toEqual([]);
});

test("the requests of a run are all there, in short, and can be picked by path, status and reference", async () => {
  const { call } = await assistant();
  const { MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET } = (await call("connect")).answer.variables as Record<
    string,
    string
  >;
  const headers = {
    "X-API-Key": MOMO_API_KEY ?? "",
    "X-API-Secret": MOMO_API_SECRET ?? "",
    "Content-Type": "application/json",
    "User-Agent": "shop ".repeat(40),
  };
  const send = async (path: string, body: object): Promise<Answer> => {
    const response = await fetch(MOMO_BASE_URL + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Answer;
  };
  const push = (reference: string) =>
    send("/stkpush.php", { payment_account_id: 1, phone: PHONE, amount: 5, reference });
  for (let turn = 0; turn < 30; turn += 1) {
    const { checkout_request_id } = await push(`ORDER-${turn}`);
    await send("/status.php", { checkout_request_id });
  }
  await send("/stkpush.php", { payment_account_id: 1, phone: "1", amount: 5, reference: "ORDER-1" });
  const requests = async (given: Answer = {}) =>
    (await call("audit", { action: "requests", ...given })).answer.requests as Answer[];
  const all = await requests();
  expect(all).toHaveLength(61);
  expect(JSON.stringify(all)).not.toContain("shop shop");
  expect(all[0]).toMatchObject({ request: "POST /v2/stkpush.php", status: 200, number: 1 });
  expect(all[60]).toMatchObject({ status: 400, message: expect.stringContaining("phone must be") });
  const story = (await call("explain_payment", { number: 1 })).answer;
  expect(story.requests).toMatchObject([{ request: all[0]?.request, interval_ms: null }, { payment: "pending" }]);
  expect(JSON.stringify(story)).not.toMatch(/shop shop|requests_left_out/);
  expect(await requests({ path: "status.php" })).toHaveLength(30);
  expect(await requests({ status: 400 })).toHaveLength(1);
  expect(await requests({ status: "4xx" })).toHaveLength(1);
  // The push, its poll, and the refused one; not those of ORDER-10.
  expect((await requests({ reference: "ORDER-1" })).map(({ id }) => id)).toEqual([3, 4, 61]);
  expect(await requests({ reference: "ORDER-1", status: "200", path: "stkpush" })).toHaveLength(1);
  expect(await requests({ reference: "ORDER-1*", path: "stkpush" })).toHaveLength(12);
  const { more } = (await call("audit", { action: "requests", limit: 2 })).answer as { more: Answer };
  expect((await requests({ limit: 2, ...more })).map(({ id }) => id)).toEqual([58, 59]);
});

test("a server that was started again, on another port, is found again", async () => {
  const data = newFolder();
  const first = await serveMomo(["--data", data]);
  const { call } = await assistant({ MOMO_DATA: data });
  await call("start_payment", { phone: PHONE, amount: 5, reference: "ORDER-1" });
  await first.stop("SIGTERM");
  const second = await serveMomo(["--data", data]);
  expect(second.ready.base_url).not.toBe(first.ready.base_url);
  const { answer } = await call("explain_payment", { reference: "ORDER-1" });
  expect(answer).toMatchObject({ payment_account_id: 1, news: expect.stringContaining("started again") });
  expect((await call("rules")).answer.news).toBeUndefined();
  await second.stop("SIGTERM");
  expect(await call("connect")).toMatchObject({
    isError: true,
    text: expect.stringContaining("no sandbox is running"),
  });
  const third = await serveMomo(["--data", data]);
  const { variables } = (await call("connect")).answer;
  expect(variables).toMatchObject({ MOMO_BASE_URL: third.ready.base_url });
  expect((await call("start_payment", { phone: PHONE, amount: 5 })).isError).toBe(false);
});
