import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SandboxOptions, startSandbox, type TestSandbox } from "stkpush-sandbox/testing";
import { builtBinary } from "../support/binary.ts";
import { cleanUp, keepEnvironment, later, newFolder, newProgramFolder } from "../support/cleanup.ts";
import { createClient } from "../support/client.ts";
import { readDocument } from "../support/documents.ts";
import { startReceiver } from "../support/fake-server.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

async function start(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox(options);
  later(() => sandbox.stop());
  return sandbox;
}

const pay = (sandbox: TestSandbox, order: object = {}) => createClient(sandbox).pay({ ...order });

describe("a sandbox for a test", () => {
  keepEnvironment();
  /** Of all tests that do not need options; new and frozen for each. */
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await start();
  });
  beforeEach(async () => {
    await sandbox.reset();
    await sandbox.clock.freeze();
  });

  test("docs/testing.md names every member", () => {
    const { text } = readDocument("docs/testing.md");
    const members = Object.entries(sandbox).flatMap(([name, value]) => {
      if (name === "headers" || typeof value !== "object") return typeof value === "function" ? [`${name}(`] : [name];
      return Object.keys(value).map((method) => `${name}.${method}(`);
    });
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter((member) => !text.includes(`\`${member}`))).toEqual([]);
  });

  test("several at once are independent, past a proxy, and the caller's own exceptions stay", async () => {
    process.env.NO_PROXY = "shop.example";
    const [second] = await Promise.all([start(), start()]);
    expect(process.env.NO_PROXY).toBe("shop.example,127.0.0.1");
    expect(process.env.no_proxy?.split(",").filter((name) => name === "127.0.0.1")).toHaveLength(1);
    process.env.NO_PROXY = "*";
    await (await start()).stop();
    expect(process.env.NO_PROXY).toBe("*");

    await pay(sandbox);
    expect(await second.requests()).toEqual([]);
    expect((await fetch(`${second.baseUrl}/transactions.php`, { headers: sandbox.headers })).status).toBe(401);
  });

  test("audit reports the mistakes of the client under test", async () => {
    const sandbox = await start({ frozen: true });
    for (const reference of ["A", "A"]) await pay(sandbox, { reference });
    const twice = { kind: "charges_twice", severity: "error", reference: "A", request_ids: [1, 2] };
    const pending = { kind: "end_not_learned", severity: "note", count: 2, request_ids: [1, 2] };
    const report = { requests: 2, payments: { started: 2, not_learned: 0 }, findings: [twice, pending] };
    expect(await sandbox.audit()).toMatchObject(report);
    await sandbox.forgetFindings();
    expect(await sandbox.audit()).toMatchObject({ requests: 0, findings: [{ kind: "nothing_accepted" }, pending] });
  });

  test.each([
    ["a frozen that is text", { frozen: "false" }, 'frozen must be true or false; it is "false"'],
    [
      "an array of rules",
      { rules: [{ outcome: "expired" }] },
      'rules must be a string or a number; it is [{"outcome":"expired"}]',
    ],
    ["a profile that is null", { profile: null }, "profile must be a string or a number; it is null"],
    ["null in the place of options", null, "the options must be an object; they are null"],
  ])("%s is refused", async (_what, options, message) => {
    const error = await start(options as unknown as SandboxOptions).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty("message", message);
  });

  test("outcome, promptTimeout, basePath, responseForm and frozen are applied", async () => {
    const sandbox = await start({
      outcome: "cancelled;after=7s",
      promptTimeout: "10s",
      basePath: "/api",
      responseForm: "short",
      frozen: true,
    });
    expect(new URL(sandbox.baseUrl).pathname).toBe("/api");
    expect(await createClient(sandbox).control("GET", "/server")).toMatchObject({ response_form: "short" });
    const checkoutRequestId = await pay(sandbox);
    await sandbox.clock.advance("6s");
    expect(await sandbox.wait({ checkoutRequestId }, "pending", "0s")).toMatchObject({ status: "pending" });
    await sandbox.clock.advance("1s");
    expect(await sandbox.wait({ checkoutRequestId }, "final", "0s")).toMatchObject({ status: "cancelled" });
    await sandbox.rules.add({ outcome: "silent" });
    const silent = await pay(sandbox);
    await sandbox.clock.advance("10s");
    expect(await sandbox.wait({ checkoutRequestId: silent })).toMatchObject({ status: "expired" });
  });

  test("profile: the sandbox is at the path of the file, and answers as it says", async () => {
    const file = join(newFolder(), "shop.json");
    const unknown_id = { status: 404, message: "Transaction not found" };
    writeFileSync(file, JSON.stringify({ base_path: "/api/v2", accept: "lenient", unknown_id }));
    const sandbox = await start({ profile: file });
    expect(new URL(sandbox.baseUrl).pathname).toBe("/api/v2");
    const response = await fetch(`${sandbox.baseUrl}/status.php`, {
      method: "POST",
      headers: { "X-API-Key": sandbox.apiKey, "X-API-Secret": sandbox.apiSecret },
      body: '{"checkout_request_id":"x"}',
    });
    expect(await response.json()).toEqual({ success: false, message: "Transaction not found" });
  });

  test("add resolves to the ids, also of several at once; remove takes one out, and refuses one that is not there", async () => {
    const added = await Promise.all([1, 2, 3].map((times) => sandbox.faults.add({ kind: "error", times })));
    const { control } = createClient(sandbox);
    const ids = (added.flat() as number[]).toSorted((a, b) => a - b);
    expect((await control("GET", "/faults")).faults).toMatchObject(ids.map((id) => ({ id, kind: "error" })));
    expect(ids).toHaveLength(3);
    await sandbox.faults.remove(ids[1] ?? 0);
    expect((await control("GET", "/faults")).faults).toMatchObject([{ id: ids[0] }, { id: ids[2] }]);
    expect(await rejectionOf(sandbox.faults.remove(99))).toMatchObject({ status: 404 });
    const [first = 0, second] = await sandbox.rules.add({ outcome: "cancelled" }, { outcome: "wrong_pin" });
    await sandbox.rules.remove(first);
    expect((await control("GET", "/rules")).rules).toMatchObject([{ id: second, outcome: "wrong_pin" }]);
  });

  test("faults.set resolves to the seed; clear ends them; resume lets the clock go on", async () => {
    expect(await sandbox.faults.set([{ kind: "error" }], 7)).toBe(7);
    const seed = await sandbox.faults.set([{ kind: "error", probability: 0.5 }]);
    expect(Number.isInteger(seed)).toBe(true);
    await sandbox.faults.clear();
    await sandbox.rules.add({ outcome: "wrong_pin", after: "1ms" }, { outcome: "cancelled" });
    const checkoutRequestId = await pay(sandbox);
    await sandbox.rules.clear();
    await sandbox.clock.resume();
    expect(await sandbox.wait({ checkoutRequestId }, "failed", "5s")).toMatchObject({ result_code: 2001 });
  });

  test("requests has every request that the log keeps, however many pages there are", async () => {
    const sandbox = await start();
    const ask = (page: number) => fetch(`${sandbox.baseUrl}/transactions.php?page=${page}`, { headers });
    const headers = { ...sandbox.headers, "X-Pad": '"'.repeat(8000) };
    for (let page = 1; page <= 200; page++) await ask(page);
    const calls = await sandbox.requests();
    expect(JSON.stringify(calls).length).toBeGreaterThan(2 * 1024 * 1024);
    expect(calls.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  test("wait rejects at the time-out, and answer for a final payment, with the server's words", async () => {
    const checkoutRequestId = await pay(sandbox);
    const late = rejectionOf(sandbox.wait({ checkoutRequestId }, "final", "10ms"));
    expect(await late).toMatchObject({ message: "the payment has not become final within the time-out" });
    await sandbox.answer(checkoutRequestId, { outcome: "cancelled" });
    const again = rejectionOf(sandbox.answer(checkoutRequestId, { pin: "1234" }));
    expect(await again).toMatchObject({ message: expect.stringContaining("the payment is cancelled") });
  });

  test("wait names the members that it takes", async () => {
    const given = { checkout_request_id: "ws_CO_1" } as unknown as { reference: string };
    expect(await rejectionOf(sandbox.wait(given))).toMatchObject({
      message: 'wait takes { checkoutRequestId } or { reference }; it is {"checkout_request_id":"ws_CO_1"}',
    });
  });

  test("a name or an id with dots and slashes is no path to something else", async () => {
    const save = rejectionOf(sandbox.snapshot("../rules"));
    expect(String(await save)).toContain('the name must be 1 to 64 letters, digits, - and _; it is "../rules"');
    const issue = { path: "name", rule: "must be 1 to 64 letters, digits, - and _", received: '"../rules"' };
    expect(await save).toMatchObject({ status: 400, issues: [issue] });
    const answer = rejectionOf(sandbox.answer("../rules?", { outcome: "cancelled" }));
    expect(String(await answer)).toContain("there is no prompt with this checkout request id");
  });

  test("a webhook is set, what was delivered is shown, and is sent again; a reset brings that of the start back", async () => {
    const receiver = startReceiver(() => new Response(""));
    const sandbox = await start({ frozen: true, webhook: receiver.url });
    const payAndEnd = async () => {
      await pay(sandbox);
      await sandbox.clock.advance("3s");
    };
    await sandbox.webhook.set({ url: receiver.url, form: "flat", times: 2 });
    await payAndEnd();
    await receiver.until(2);
    expect(receiver.received[0]?.body).toMatchObject({ success: true, status: "completed" });
    expect(await sandbox.webhook.deliveries()).toHaveLength(2);
    expect((await sandbox.webhook.resend(1)).resend_of).toBe(1);
    await receiver.until(3);
    await sandbox.webhook.clear();
    await payAndEnd();
    expect(await sandbox.webhook.deliveries()).toHaveLength(3);
    await sandbox.reset();
    await payAndEnd();
    await receiver.until(4);
  });

  test("what momo says of a failed start is waited for, also if its process has ended before", async () => {
    const file = join(newProgramFolder(), "momo");
    writeFileSync(file, "#!/bin/sh\n{ sleep 0.2; echo 'momo: late words' >&2; } &\nexit 2\n", { mode: 0o755 });
    process.env.MOMO_EXECUTABLE = file;
    expect(await rejectionOf(startSandbox())).toMatchObject({ message: "momo: late words" });
  });

  test("a server with another id refuses each call, and does nothing", async () => {
    const file = join(newProgramFolder(), "momo");
    writeFileSync(file, `#!/bin/sh\n${await builtBinary()} "$@" | sed -u 's/"id":"[^"]*"/"id":"ANOTHER"/'\n`, {
      mode: 0o755,
    });
    process.env.MOMO_EXECUTABLE = file;
    const other = await start();
    await pay(other);
    for (const call of [other.reset, () => other.wait({ reference: "A" }), other.requests]) {
      const { message } = (await rejectionOf(call())) as Error;
      expect(message).toStartWith(`the sandbox at ${other.controlUrl} is another one now: `);
      expect(message).toContain("but the request is for another server (header X-Momo-Server)");
    }
    const listed = await fetch(`${other.baseUrl}/transactions.php`, { headers: other.headers });
    expect(await listed.json()).toMatchObject({ transactions: [{ id: 1 }] });
  });

  test("options that make no sense are refused, and leave nothing behind", async () => {
    const folder = newFolder();
    process.env.TMPDIR = folder;
    const bad = [
      ["--outcome", { outcome: "paid" }],
      ["--outcome", { outcome: "completed; soon" }],
      ["--outcome", { outcome: "completed; after=soon" }],
      ["--prompt-timeout", { promptTimeout: "soon" }],
      ["--accept", { accept: "all" }],
      ["--base-path", { basePath: "v2" }],
      ["--webhook", { webhook: "http://a:b@c/" }],
    ] as const;
    for (const [flag, options] of bad) {
      const refusal = await rejectionOf(startSandbox(options as SandboxOptions));
      expect((refusal as Error).message).toMatch(new RegExp(`^(?:after in )?${flag} `));
    }
    expect(readdirSync(folder)).toEqual([]);
    const sandbox = await startSandbox();
    expect(readdirSync(folder)).toHaveLength(1);
    await sandbox.stop();
    expect(readdirSync(folder)).toEqual([]);
    await sandbox.stop();
    expect(await rejectionOf(fetch(sandbox.baseUrl))).not.toBeNull();
    const message = `the sandbox at ${sandbox.controlUrl} was stopped`;
    expect(await rejectionOf(sandbox.reset())).toMatchObject({ message });
  });
});
