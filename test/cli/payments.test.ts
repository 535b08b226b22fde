import { afterAll, describe, expect, test } from "bun:test";
import { merchantClient } from "../../cli/client/client.ts";
import { waitForOutcome } from "../../cli/client/wait.ts";
import { readTypedPhone } from "../../cli/terminal/options.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { runMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf, SLACK_MS } from "../support/waiting.ts";

/** `momo pay`, `momo status` and `momo list`: what a merchant's program would do. */

afterAll(cleanUp);

const sandbox = await startIn(newFolder());

describe("momo pay", () => {
  test.each([
    ["+254 712 345 678", "254712345678"],
    ["0712-345-678", "0712345678"],
    ["712345678", "254712345678"],
    ["112 345 678", "254112345678"],
    ["(0712) 345-678", "0712345678"],
  ])("a phone as a person types it: %s", (typed, sent) => {
    expect(readTypedPhone(typed.split(" "))).toBe(sent);
  });
});

describe("momo list", () => {
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
