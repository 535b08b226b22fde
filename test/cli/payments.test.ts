import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { merchantClient } from "../../cli/client/client.ts";
import { waitForOutcome } from "../../cli/client/wait.ts";
import { readTypedPhone } from "../../cli/terminal/options.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { expectRefusal, failureOf, runMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf, SLACK_MS } from "../support/waiting.ts";

/** `momo pay`, `momo status` and `momo list`: what a merchant's program would do. */

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
const momo = (...args: string[]) => runMomo([...args, ...sandbox.at]);
const SECRET = sandbox.headers["X-API-Secret"] ?? "ms_";

describe("momo pay", () => {
  test.concurrent("prints the server's answer unchanged, on one line, and no secret", async () => {
    const { stdout, ...rest } = await momo("pay", "0712345678", "100");
    expect(JSON.parse(stdout)).toEqual({
      ...{ success: true, message: expect.any(String), transaction_id: expect.any(Number) },
      checkout_request_id: expect.stringMatching(/^ws_CO_/),
      merchant_request_id: expect.stringMatching(/^ws_MR_/),
    });
    expect(stdout.split("\n")).toHaveLength(2);
    expect(rest).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).not.toContain(SECRET);
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
    ["(0712) 345-678", "0712345678"],
  ])("a phone as a person types it: %s", (typed, sent) => {
    expect(readTypedPhone(typed.split(" "))).toBe(sent);
  });

  const REFUSED: [what: string, args: string[], exitCode: number, code: string, says: string][] = [
    ["an account of another merchant", ["0712345678", "1", "--account", "77"], 5, "refused", "payment_account_id"],
    ["a prompt that the network refuses", ["0700000500", "1"], 5, "refused", "STK push initiation fai"],
    ["an unknown outcome", ["0712345678", "1", "--outcome", "exploded"], 2, "usage", "insufficient_funds"],
  ];
  test.concurrent.each(REFUSED)("%s is refused, and no secret is shown", async (_what, args, exitCode, code, says) => {
    const run = await momo("pay", ...args, "--json");
    expect(failureOf(run)).toMatchObject({ code, message: expect.stringContaining(says) });
    expectRefusal(run, exitCode, says);
    expect(run.stderr).not.toContain(SECRET);
  });
});

test.concurrent("momo status prints the server's answer unchanged; -q the status", async () => {
  const checkout_request_id = await sandbox.pay({}, "manual");
  const run = await momo("status", checkout_request_id, "--json");
  const headers = { ...sandbox.headers, "Content-Type": "application/json" };
  const body = JSON.stringify({ checkout_request_id });
  const answer = await fetch(`${sandbox.baseUrl}/status.php`, { method: "POST", headers, body });
  expect(JSON.parse(run.stdout)).toEqual(await answer.json());
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
  expect((await momo("status", checkout_request_id, "-q")).stdout).toBe("pending\n");
});

const four = await startIn(newFolder());
for (let count = 1; count <= 4; count++) await four.pay({ amount: count }, "manual");

describe("momo list", () => {
  const list = (...flags: string[]) => runMomo(["list", ...four.at, ...flags]);

  test.concurrent("prints the server's answer unchanged; -q the transaction ids, newest first", async () => {
    const run = await list("--limit", "3", "--page", "2");
    const answer = await fetch(`${four.baseUrl}/transactions.php?limit=3&page=2`, { headers: four.headers });
    expect(JSON.parse(run.stdout)).toEqual(await answer.json());
    expect(JSON.parse(run.stdout).transactions).toMatchObject([{ id: 1 }]);
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
    expect((await list("-q", "--limit", "3")).stdout).toBe("4\n3\n2\n");
  });

  test.concurrent("every filter of the API has a flag", async () => {
    const server = serveFake(() => Response.json({ success: true, message: "", transactions: [{ id: 7 }] }));
    const asked = async (...flags: string[]) => {
      await runMomo(["list", ...flagsOf(server), ...flags]);
      return Object.fromEntries(new URL(server.requests.at(-1)?.url ?? "").searchParams);
    };
    const paging = ["--limit", "5", "--page", "3", "--type", "API", "--status", "failed"];
    const range = ["--search", "order-1", "--from", "2020-01-01", "--to", "2020-01-31"];
    expect(await asked(...paging, ...range)).toEqual({
      ...{ limit: "5", page: "3", type: "api", status: "failed" },
      ...{ search: "order-1", date_from: "2020-01-01", date_to: "2020-01-31" },
    });
    const day = "2020-01-01"; // one day is a range, too
    expect(await asked("--from", day, "--to", day)).toEqual({ date_from: day, date_to: day });
    for (const number of ["7", "#7"]) expect(await asked("--id", number)).toEqual({ id: "7" });
    expect(await asked("--id", "ws_CO_7")).toEqual({ search: "ws_CO_7" });
  });

  test.concurrent("on a missing directory it creates nothing: exit 6, and says how to start a server", async () => {
    const data = join(newFolder(), "mistyped");
    expectRefusal(await runMomo(["list", "--data", data]), 6, "momo serve");
    expect(existsSync(data)).toBe(false);
  });

  test.concurrent("it understands a server that answers in the short form", async () => {
    const short = await startIn(newFolder(), { profile: { response_form: "short" } });
    await short.pay();
    expect((await runMomo(["list", ...short.at, "-q"])).stdout).toBe("1\n");
    expect(JSON.parse((await runMomo(["list", ...short.at])).stdout)).toHaveProperty("data");
  });
});

describe("the exit code of `pay --wait` tells the outcome of the payment", () => {
  const payAndWait = ["pay", "0712345678", "100", ...sandbox.at, "--wait", "--interval", "50ms"];

  test.concurrent.each([
    ["completed; after=0s", "completed", 0],
    ["insufficient_funds; after=0s", "failed", 10],
    ["cancelled; after=0s", "cancelled", 11],
    ["expired; after=0s", "expired", 12],
    ["manual", "pending", 13],
  ])("%s: %s, exit %d", async (outcome, status, exitCode) => {
    const { stdout, ...rest } = await runMomo([...payAndWait, "--timeout", "100ms", "--outcome", outcome, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, status });
    expect(rest).toEqual({ stderr: "", exitCode });
  });

  test.concurrent.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s while it waits: exit %d at once, and nothing on stdout", async (signal, exitCode) => {
    const child = startMomo([...payAndWait, "--outcome", "manual", "--reference", signal]);
    while ((await sandbox.list(`?search=${signal}&status=pending`)).length === 0) await Bun.sleep(10);
    child.signal(signal);
    expect(await child.exited).toBe(exitCode);
    expect(child.stdout.text).toBe("");
  });
});

describe("a server whose answers change while momo waits", () => {
  const PENDING = { success: true, message: "", status: "pending" };

  /** Waits for a payment that was pending when it started. */
  function waitAt(baseUrl: string, flags = { interval: 5, timeout: 60_000 }) {
    const client = merchantClient({ baseUrl, apiKey: "mk_1", apiSecret: "ms_1", paymentAccountId: 1 });
    return waitForOutcome(client, "ws_CO_1", flags, PENDING);
  }

  /** A service that gives these answers to the polls, and then repeats the last one. */
  function answering(...answers: (() => Response)[]): string {
    let polls = 0;
    return serveFake(() => answers[Math.min(polls++, answers.length - 1)]?.() ?? Response.error()).baseUrl;
  }

  const answered = (status: string) => () => Response.json({ ...PENDING, status });
  const pending = answered("pending");
  const refused = (message: string, status: number) => () => Response.json({ success: false, message }, { status });
  const gateway = () => new Response("", { status: 504 });

  test.concurrent.each([
    ["an unknown status is not waited for", [answered("SUCCESS")], 60_000, { code: "unexpected" }],
    ["revoked credentials end the wait", [pending, refused("bad", 401)], 60_000, { code: "unauthorized" }],
    ["at the time-out a refused last poll is not hidden", [refused("out of order", 500)], 20, { code: "refused" }],
  ])("%s", async (_what, answers, timeout, failure) => {
    expect(await rejectionOf(waitAt(answering(...answers), { interval: 5, timeout }))).toMatchObject(failure);
  });

  test.concurrent("a refused or lost poll says nothing about the payment: the wait goes on", async () => {
    const answers = answering(refused("busy", 503), gateway, pending, answered("cancelled"));
    expect(await waitAt(answers)).toMatchObject({ status: "cancelled" });
    const pendingAtLast = waitAt(answering(refused("busy", 503), pending), { interval: 5, timeout: 1000 });
    expect(await pendingAtLast).toMatchObject({ status: "pending" });
  });

  test.concurrent("the wait ends when the server ends", async () => {
    const ended = await startIn(newFolder());
    await ended.stop();
    expect(await rejectionOf(waitAt(ended.baseUrl))).toMatchObject({ code: "unreachable", exitCode: 6 });
  });

  test.concurrent("the time-out is kept if the interval is longer", async () => {
    const answer = waitAt(answering(pending), { interval: 3_600_000, timeout: 20 });
    const still = Bun.sleep(SLACK_MS).then(() => "it still waits");
    expect(await Promise.race([answer, still])).toMatchObject({ status: "pending" });
  });
});
