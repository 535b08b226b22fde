import { afterAll, describe, expect, test } from "bun:test";
import { startSandbox } from "momo-sandbox/testing";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder(), { fallback: { outcome: "manual", afterMs: null } });
const momo = (...args: string[]) => runMomo([...args, ...sandbox.at]);

describe("momo answer", () => {
  test.concurrent("--pin 1234: completed when it returns", async () => {
    const id = await sandbox.pay();
    expect(await momo("answer", id, "--pin", "1234", "-q")).toEqual({ stdout: "completed\n", stderr: "", exitCode: 0 });
    expect(await sandbox.statusOf(id)).toBe("completed");
  });

  test.concurrent("--outcome NAME: the transaction as JSON, as stdout is no terminal", async () => {
    const id = await sandbox.pay();
    const { stdout, exitCode } = await momo("answer", id, "--outcome", "pin_locked");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ checkout_request_id: id, status: "failed", result_code: 8006 });
  });

  test.concurrent("--json: the server's answer unchanged, with the text message", async () => {
    const { stdout } = await momo("answer", await sandbox.pay({ reference: "REF" }), "--pin", "1234", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      transaction: { status: "completed" },
      sms: expect.stringMatching(/^[0-9A-Z]{10} Confirmed\. Ksh100\.00 sent to Demo Shop for account REF on /),
    });
  });

  test.concurrent("already final: exit 5; unknown: exit 3; each in one line", async () => {
    const id = await sandbox.pay();
    await sandbox.control("POST", `/prompts/${id}/answer`, { outcome: "cancelled" });
    expect(await momo("answer", id, "--pin", "1234")).toEqual({
      stdout: "",
      stderr: "momo: the prompt has been answered already: the payment is cancelled\n",
      exitCode: 5,
    });
    expect(await momo("answer", "ws_CO_1_NOBODY", "--pin", "1234")).toMatchObject({ stdout: "", exitCode: 3 });
  });

  test.concurrent.each([
    [["x"], /^momo: give either --pin or --outcome/],
    [["x", "--pin", "1234", "--outcome", "completed"], /^momo: give either --pin or --outcome/],
    [["../rules", "--pin", "1234"], /^momo: PAYMENT must be/],
    [["x", "--pin", "123"], /^momo: --pin must be 4 to 6 digits\n/], // the PIN is not shown
    [["x", "--pin", "1234567"], /^momo: --pin must be 4 to 6 digits\n/],
  ])("exit 2: momo answer %j", async (args, message) => {
    expect(await runMomo(["answer", ...args])).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(message),
      exitCode: 2,
    });
  });
});

describe("commands that change the whole sandbox", () => {
  test("momo faults add keeps the faults in force, and clear removes them", async () => {
    for (const fault of [["error", "--status", "503"], ["disconnect"]]) await momo("faults", "add", ...fault);
    expect((await sandbox.control("GET", "/faults")).faults).toMatchObject([{ status: 503 }, { kind: "disconnect" }]);
    await momo("faults", "clear");
    expect(await sandbox.control("GET", "/faults")).toMatchObject({ faults: [] });
  });

  test("momo clock show, freeze, advance, resume: one line; -q the time; --json the answer", async () => {
    const { stdout, stderr, exitCode } = await momo("clock", "freeze", "--format", "table");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^it is [0-9-]{10} [0-9:]{8} in Nairobi; the clock is frozen\n$/);
    expect(stdout).toContain((await momo("clock", "show", "-q")).stdout.trim());
    const { now_ms } = (await sandbox.control("GET", "/clock")) as { now_ms: number };
    const advanced = JSON.parse((await momo("clock", "advance", "90s", "--json")).stdout) as object;
    expect(advanced).toMatchObject({ success: true, now_ms: now_ms + 90_000, frozen: true });
    expect((await momo("clock", "resume", "--format", "table")).stdout).not.toContain("frozen");
    expect(await momo("clock", "advance", "soon")).toMatchObject({
      stdout: "",
      exitCode: 2,
      stderr: expect.stringContaining("is not a duration"),
    });
  });

  test("momo reset: nothing on stdout, a line on stderr, and the list is empty", async () => {
    await sandbox.pay();
    const reset = await momo("reset");
    expect(reset).toEqual({ stdout: "", stderr: "reset; merchants, accounts and keys are kept\n", exitCode: 0 });
    expect(JSON.parse((await momo("list", "--json")).stdout)).toMatchObject({ transactions: [] });
    expect(JSON.parse((await momo("reset", "--json")).stdout)).toMatchObject({ success: true });
  });

  test("momo snapshot save, list, restore, delete", async () => {
    await sandbox.pay();
    expect(await momo("snapshot", "save", "demo")).toEqual({ stdout: "", stderr: "saved as demo\n", exitCode: 0 });
    await sandbox.pay();
    expect((await momo("snapshot", "list", "--format", "table")).stdout).toMatch(
      /^name +transactions +at\ndemo +1 +[-0-9: ]{19}\n$/,
    );
    expect((await momo("snapshot", "restore", "demo")).stderr).toBe(
      "demo is restored; merchants, accounts and keys have not changed\n",
    );
    expect((await momo("list", "-q")).stdout.trim().split("\n")).toHaveLength(1);
    expect((await momo("snapshot", "delete", "demo")).exitCode).toBe(0);
    expect((await momo("snapshot", "list", "-q")).stdout).toBe("");
    expect(failureOf(await momo("snapshot", "restore", "demo", "--json"))).toMatchObject({ code: "not_found" });
    expect(await momo("snapshot", "save", "a b")).toMatchObject({ exitCode: 5 });
  });
});

test.concurrent("the test helper saves a state and restores it, again and again", async () => {
  const helper = await startSandbox({ frozen: true });
  later(() => helper.stop());
  await helper.rules.add({ outcome: "cancelled", times: 1 });
  await helper.snapshot("one-cancels");
  for (let round = 0; round < 2; round += 1) {
    const answer = await fetch(`${helper.baseUrl}/stkpush.php`, {
      method: "POST",
      headers: { ...helper.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ payment_account_id: helper.paymentAccountId, phone: "0712345678", amount: 5 }),
    });
    const { checkout_request_id: checkoutRequestId } = (await answer.json()) as { checkout_request_id: string };
    await helper.clock.advance("3s");
    expect((await helper.wait({ checkoutRequestId })).status).toBe("cancelled");
    await helper.restore("one-cancels");
  }
});
