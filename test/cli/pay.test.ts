import { afterAll, describe, expect, test } from "bun:test";
import { readTypedPhone } from "../../cli/terminal/options.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
const momo = (...args: string[]) => runMomo([...args, ...sandbox.at]);
const pay = (...flags: string[]) => momo("pay", "0712345678", "100", ...flags);

describe("momo pay", () => {
  test.concurrent("prints the server's answer unchanged, on one line, and no secret", async () => {
    const { stdout, stderr, exitCode } = await pay();
    expect(JSON.parse(stdout)).toEqual({
      success: true,
      message: expect.any(String),
      transaction_id: expect.any(Number),
      checkout_request_id: expect.stringMatching(/^ws_CO_/),
      merchant_request_id: expect.stringMatching(/^ws_MR_/),
    });
    expect(stdout.split("\n")).toHaveLength(2);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).not.toContain(sandbox.headers["X-API-Secret"] ?? "ms_");
  });

  test.concurrent("sends phone, amount with cents, reference, description and kind", async () => {
    const words = ["pay", "+254", "712", "345", "678", "99.50", "--kind", "credit_topup"];
    const run = await momo(...words, "--reference", "R-1", "--description", "Tea", "-q");
    expect(run.stdout).toMatch(/^ws_CO_\w+\n$/);
    expect(await sandbox.control("GET", `/transactions/${run.stdout.trim()}`)).toMatchObject({
      transaction: { amount: 99.5, phone: "254712345678", kind: "credit_topup" },
      prompt: { reference: "R-1", description: "Tea" },
    });
  });

  test.each([
    ["+254 712 345 678", "254712345678"],
    ["0712-345-678", "0712345678"],
    ["712345678", "254712345678"],
    ["112 345 678", "254112345678"],
  ])("a phone as a person types it: %s", (typed, sent) => {
    expect(readTypedPhone(typed.split(" "))).toBe(sent);
  });

  const REFUSED: [what: string, args: string[], exitCode: number, code: string, says: string][] = [
    ["an account of another merchant", ["0712345678", "1", "--account", "77"], 5, "refused", "payment_account_id"],
    ["a prompt that the network refuses", ["0700000500", "1"], 5, "refused", "STK push initiation fai"],
    ["an unknown outcome", ["0712345678", "1", "--outcome", "exploded"], 2, "usage", "insufficient_funds"],
  ];
  test.concurrent.each(REFUSED)("%s", async (_what, args, exitCode, code, says) => {
    const run = await momo("pay", ...args, "--json");
    expect(failureOf(run)).toMatchObject({ code, message: expect.stringContaining(says) });
    expect(run).toMatchObject({ stdout: "", exitCode });
    expect(run.stderr).not.toContain(sandbox.headers["X-API-Secret"] ?? "ms_");
  });
});

describe("momo status", () => {
  test.concurrent("prints the server's answer unchanged; -q the status", async () => {
    const checkout_request_id = await sandbox.pay({}, "manual");
    const run = await momo("status", checkout_request_id, "--json");
    const answer = await fetch(`${sandbox.baseUrl}/status.php`, {
      method: "POST",
      headers: { ...sandbox.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ checkout_request_id }),
    });
    expect(JSON.parse(run.stdout)).toEqual(await answer.json());
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
    expect((await momo("status", checkout_request_id, "-q")).stdout).toBe("pending\n");
  });

  test.concurrent("of an unknown payment: exit 3", async () => {
    const run = await momo("status", "ws_CO_20112026100000_nothing", "--json");
    expect(failureOf(run).code).toBe("not_found");
    expect(run).toMatchObject({ stdout: "", exitCode: 3 });
  });
});
