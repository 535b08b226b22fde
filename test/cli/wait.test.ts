import { afterAll, describe, expect, test } from "bun:test";
import { merchantClient } from "../../cli/client/client.ts";
import { waitForOutcome } from "../../cli/client/wait.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, startMomo } from "../support/momo.ts";
import { rejectionOf } from "../support/rejection.ts";
import { startIn } from "../support/sandbox.ts";
import { SLACK_MS } from "../support/time-outs.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
const payAndWait = ["pay", "0712345678", "100", ...sandbox.at, "--wait", "--interval", "50ms"];

describe("the exit code of `pay --wait` tells the outcome of the payment", () => {
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
    const list = `${sandbox.baseUrl}/transactions.php?search=${signal}`;
    const isStarted = async () =>
      (await (await fetch(list, { headers: sandbox.headers })).text()).includes('"pending"');
    while (!(await isStarted())) await Bun.sleep(10);
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
    return serveFake(() => {
      const answer = answers[Math.min(polls, answers.length - 1)];
      polls += 1;
      return answer?.() ?? Response.error();
    }).baseUrl;
  }

  const pending = () => Response.json(PENDING);
  const refused = (message: string, status: number) => () => Response.json({ success: false, message }, { status });

  test.concurrent.each([
    [
      "an unknown status is not waited for",
      [() => Response.json({ ...PENDING, status: "SUCCESS" })],
      { code: "unexpected" },
    ],
    ["revoked credentials end the wait", [pending, refused("bad credentials", 401)], { code: "unauthorized" }],
  ])("%s", async (_what, answers, failure) => {
    expect(await rejectionOf(waitAt(answering(...answers)))).toMatchObject(failure);
  });

  test.concurrent("at the time-out, a refused last poll is not hidden behind the answer before it", async () => {
    const late = waitAt(answering(refused("out of order", 500)), { interval: 5, timeout: 20 });
    expect(await rejectionOf(late)).toMatchObject({ code: "refused", message: "out of order" });
  });

  test.concurrent("a refused or lost poll says nothing about the payment: the wait goes on", async () => {
    const done = () => Response.json({ ...PENDING, status: "cancelled" });
    const gateway = () => new Response("", { status: 504 });
    const answers = answering(refused("busy", 503), gateway, pending, done);
    expect(await waitAt(answers)).toMatchObject({ status: "cancelled" });
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
