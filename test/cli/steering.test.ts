import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const server = await serveMomo(["--outcome", "manual"]);
const momo = (...args: string[]) => runMomo([...args, ...server.at]);
const pay = async (...flags: string[]) => (await momo("pay", "0712345678", "100", "-q", ...flags)).stdout.trim();

describe("momo answer", () => {
  test("--pin 1234: completed, in force when it returns", async () => {
    const id = await pay();
    expect(await momo("answer", id, "--pin", "1234", "-q")).toEqual({ stdout: "completed\n", stderr: "", exitCode: 0 });
    expect((await momo("status", id, "-q")).stdout).toBe("completed\n");
  });

  test("--outcome NAME: the transaction as JSON, where stdout is no terminal", async () => {
    const id = await pay();
    const { stdout, exitCode } = await momo("answer", id, "--outcome", "pin_locked");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ checkout_request_id: id, status: "failed", result_code: 8006 });
  });

  test("--json: the server's answer as it came, with the text message", async () => {
    const { stdout } = await momo("answer", await pay("--reference", "REF"), "--pin", "1234", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      transaction: { status: "completed" },
      sms: expect.stringMatching(/^[0-9A-Z]{10} Confirmed\. Ksh100\.00 sent to Demo Shop for account REF on /),
    });
  });

  test("already final: exit 5; unknown: exit 3; each in one line", async () => {
    const id = await pay();
    await momo("answer", id, "--outcome", "cancelled");
    const late = await momo("answer", id, "--pin", "1234");
    expect(late).toEqual({
      stdout: "",
      stderr: "momo: the prompt has been answered already: the payment is cancelled\n",
      exitCode: 5,
    });
    expect(await momo("answer", "ws_CO_1_NOBODY", "--pin", "1234")).toMatchObject({ stdout: "", exitCode: 3 });
    expect(failureOf(await momo("answer", "../rules", "--pin", "1234", "--json")).code).toBe("usage");
  });

  test("neither or both: exit 2", async () => {
    expect(await momo("answer", "x")).toMatchObject({ stdout: "", exitCode: 2 });
    expect(await momo("answer", "x", "--pin", "1234", "--outcome", "completed")).toMatchObject({ exitCode: 2 });
    expect((await momo("answer")).exitCode).toBe(2);
  });

  test("a PIN that is none: exit 2, and it is not shown again", async () => {
    const refused = await momo("answer", await pay(), "--pin", "12");
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^momo: --pin must be 4 to 6 digits\n/),
    });
  });
});

describe("momo clock and momo reset", () => {
  test("show, freeze, advance, resume: one line; -q the time; --json the answer", async () => {
    const { stdout, stderr, exitCode } = await momo("clock", "freeze", "--format", "table");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^it is [0-9-]{10} [0-9:]{8} in Nairobi, and stays so\n$/);
    const shown = (await momo("clock", "show", "-q")).stdout;
    expect(stdout).toContain(shown.trim());
    expect((await momo("clock", "show", "-q")).stdout).toBe(shown);
    const { now_ms } = JSON.parse((await momo("clock", "show", "--json")).stdout) as { now_ms: number };
    const advanced = JSON.parse((await momo("clock", "advance", "90s", "--json")).stdout) as object;
    expect(advanced).toMatchObject({ success: true, now_ms: now_ms + 90_000, frozen: true });
    expect((await momo("clock", "resume", "--format", "table")).stdout).not.toContain("stays so");
  });

  test("a duration that is none: exit 2; none at all, or an unknown word: exit 2", async () => {
    expect(await momo("clock", "advance", "soon")).toMatchObject({
      stdout: "",
      exitCode: 2,
      stderr: expect.stringContaining("is not a duration"),
    });
    expect((await momo("clock", "advance")).exitCode).toBe(2);
    expect((await momo("clock", "stop")).exitCode).toBe(2);
    expect((await momo("clock")).exitCode).toBe(2);
  });

  test("reset: nothing on stdout, a line on stderr, and the list is empty", async () => {
    await pay();
    const reset = await momo("reset");
    expect(reset).toEqual({ stdout: "", stderr: "as new, but for merchants, accounts and keys\n", exitCode: 0 });
    expect(JSON.parse((await momo("list", "--json")).stdout)).toMatchObject({ transactions: [] });
    expect(JSON.parse((await momo("reset", "--json")).stdout)).toMatchObject({ success: true });
  });
});

describe("without a sandbox: exit 6, and how to start one", () => {
  for (const args of [["answer", "x", "--pin", "1234"], ["clock", "show"], ["reset"]]) {
    test.concurrent(`momo ${args.join(" ")}`, async () => {
      const { stdout, stderr, exitCode } = await runMomo(args);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 6 });
      expect(stderr).toContain("momo serve");
    });
  }
});
