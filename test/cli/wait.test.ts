import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo, type Served, serveMomo, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at } = await serveMomo(["--prompt-timeout", "1s"]);

const payAndWait = (outcome: string, ...flags: string[]) =>
  runMomo(["pay", "0712345678", "100", ...at, "--wait", "--interval", "50ms", "--outcome", outcome, ...flags]);

describe("the exit code of `pay --wait` says what has become of the payment", () => {
  const ENDINGS: [outcome: string, status: string, exitCode: number][] = [
    ["completed; after=100ms", "completed", 0],
    ["insufficient_funds; after=100ms", "failed", 10],
    ["cancelled; after=100ms", "cancelled", 11],
    ["expired; after=100ms", "expired", 12],
    ["silent", "expired", 12],
  ];
  for (const [outcome, status, exitCode] of ENDINGS) {
    test.concurrent(`${outcome}: ${status}, exit ${exitCode}`, async () => {
      const { stdout, ...rest } = await payAndWait(outcome, "--json");
      expect(JSON.parse(stdout)).toMatchObject({ success: true, status, amount: 100, phone: "254712345678" });
      expect(rest).toEqual({ stderr: "", exitCode });
    });
  }

  test.concurrent("still pending at the time-out: exit 13, with the last answer", async () => {
    const run = await payAndWait("manual", "--timeout", "150ms");
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "pending", checkout_request_id: expect.any(String) });
    expect(run).toMatchObject({ stderr: "", exitCode: 13 });
  });

  test.concurrent("the time-out holds also where the interval is longer", async () => {
    // A command that waited for the interval would be ended before.
    const run = await payAndWait("manual", "--interval", "1h", "--timeout", "100ms", "-q");
    expect(run).toMatchObject({ stdout: "pending\n", exitCode: 13 });
  });
});

describe("a server that changes its mind while momo waits", () => {
  const setFaults = ({ ready }: Served, body: object) =>
    fetch(`${ready.control_url}/faults`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  const waitAt = (baseUrl: string, ...flags: string[]) =>
    runMomo(["status", "x", "--wait", "--interval", "50ms", "--base-url", baseUrl, "--json", ...flags], {
      env: { MOMO_API_KEY: "mk_nobody", MOMO_API_SECRET: "ms_nobody" },
    });

  test.concurrent("a status that the service does not have is not waited for: exit 1", async () => {
    const { baseUrl } = serveFake(() => Response.json({ success: true, message: "", status: "SUCCESS" }));
    const run = await waitAt(baseUrl);
    expect(failureOf(run).code).toBe("unexpected");
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
  });

  test.concurrent("a poll whose answer is lost says nothing of the payment: it waits on", async () => {
    const server = await serveMomo();
    await setFaults(server, { faults: [{ path: "/status.php", kind: "disconnect", times: 2 }] });
    const run = await runMomo([
      ...["pay", "0712345678", "1", ...server.at, "--outcome", "cancelled; after=150ms"],
      ...["--wait", "--interval", "50ms", "-q"],
    ]);
    expect(run).toEqual({ stdout: "cancelled\n", stderr: "", exitCode: 11 });
  });

  test.concurrent("a last poll that is refused is told at the time-out, and not hidden behind the answer before it", async () => {
    let polls = 0;
    const { baseUrl } = serveFake(() => {
      polls += 1;
      return polls === 1
        ? Response.json({ success: true, message: "", status: "pending" })
        : Response.json({ success: false, message: "out of order" }, { status: 500 });
    });
    const run = await waitAt(baseUrl, "--timeout", "1500ms");
    expect(failureOf(run)).toMatchObject({ code: "refused", message: "out of order" });
    expect(run).toMatchObject({ stdout: "", exitCode: 5 });
  });

  test.concurrent("credentials that are revoked meanwhile: exit 4", async () => {
    let polls = 0;
    const { baseUrl } = serveFake(() => {
      polls += 1;
      return polls < 3
        ? Response.json({ success: true, message: "", status: "pending" })
        : Response.json({ success: false, message: "bad credentials" }, { status: 401 });
    });
    expect(await waitAt(baseUrl)).toMatchObject({ stdout: "", exitCode: 4 });
  });
});

describe("interrupted", () => {
  const waiting = async (server: Served) => {
    const child = startMomo(["pay", "0712345678", "1", ...server.at, "--wait", "--outcome", "manual"]);
    const pendingCount = async () => {
      const answer = (await (await server.get("/transactions.php")).json()) as { summary: { pending_count: number } };
      return answer.summary.pending_count;
    };
    while ((await pendingCount()) === 0) await Bun.sleep(20);
    return child;
  };

  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    test.concurrent(`${signal} while waiting: exit ${exitCode} at once, and nothing on stdout`, async () => {
      const child = await waiting(await serveMomo());
      child.signal(signal);
      expect(await child.exited).toBe(exitCode);
      expect(child.stdout.text).toBe("");
    });
  }

  test.concurrent("a server that goes away while momo waits: exit 6", async () => {
    const server = await serveMomo();
    const started = await runMomo(["pay", "0712345678", "1", ...server.at, "--outcome", "manual", "-q"]);
    const child = startMomo(["status", started.stdout.trim(), ...server.at, "--wait", "--interval", "50ms", "--json"]);
    const polls = async () => await (await fetch(`${server.ready.control_url}/requests`)).text();
    while (!(await polls()).includes("/status.php"));
    await server.kill();
    expect(await child.exited).toBe(6);
    expect(child.stdout.text).toBe("");
  });
});
