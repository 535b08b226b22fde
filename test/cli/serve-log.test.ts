import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, type ReadyRecord, runToEnd, type Served, serveMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";
import { SLACK_MS } from "../support/time-outs.ts";

afterAll(cleanUp);

const PAYMENT = { payment_account_id: 1, phone: "0712345678", amount: 5 };

const linesOf = ({ child }: Served) =>
  child.stderr.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a call that the strict form refuses and the lenient one takes", () => {
  const order = { ...PAYMENT, amount: "5" };

  test.concurrent("its line names --accept lenient, in both formats; other refusals do not", async () => {
    for (const format of ["json", "pretty"]) {
      const server = await serveMomo(["--log-format", format]);
      await server.post("/stkpush.php", order);
      await server.post("/stkpush.php", { ...PAYMENT, amount: "five" });
      await server.stop();
      const [first, second] = server.child.stderr.text.trimEnd().split("\n");
      expect(first).toContain("--accept lenient would take this form");
      expect(second).not.toContain("lenient");
    }
  });

  test.concurrent("where it is taken, its line names the member", async () => {
    const server = await serveMomo(["--log-format", "json", "--accept", "lenient"]);
    await server.post("/stkpush.php", order);
    await server.stop();
    expect(linesOf(server)).toMatchObject([{ status: 200, leniencies: ["amount"] }]);
  });
});

describe("--log-format json: one structured line per merchant-API request, on stderr", () => {
  test.concurrent("in their order, with the outcome, and nothing of the control API", async () => {
    const server = await serveMomo(["--log-format", "json"]);
    const { checkout_request_id } = (await (await server.post("/stkpush.php", PAYMENT)).json()) as {
      checkout_request_id: string;
    };
    await fetch(`${server.ready.control_url}/health`);
    await server.post("/status.php", { checkout_request_id });
    await server.post("/stkpush.php", { ...PAYMENT, amount: 0 });
    await server.get("/transactions.php?search=0712345678");
    await fetch(`${server.ready.base_url}/nothing`);
    expect(await server.stop()).toBe(0);
    const common = { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/), duration_ms: expect.any(Number) };
    expect(linesOf(server)).toEqual([
      { ...common, level: "info", method: "POST", path: "/v2/stkpush.php", status: 200, checkout_request_id },
      {
        ...common,
        level: "info",
        method: "POST",
        path: "/v2/status.php",
        status: 200,
        checkout_request_id,
        transaction_status: "pending",
      },
      {
        ...common,
        level: "info",
        method: "POST",
        path: "/v2/stkpush.php",
        status: 400,
        message: expect.stringContaining("amount"),
      },
      { ...common, level: "info", method: "GET", path: "/v2/transactions.php", status: 200 },
      {
        ...common,
        level: "info",
        method: "GET",
        path: "/v2/nothing",
        status: 404,
        message: expect.stringContaining("nothing at this path"),
      },
    ]);
    expect(server.child.stderr.text).not.toContain("0712345678");
  });
});

describe("without --log-format", () => {
  test.concurrent("nothing per request when stderr is no terminal", async () => {
    const server = await serveMomo();
    await server.get("/transactions.php");
    await server.stop();
    expect(server.child.stderr.text).toBe("");
  });

  test.concurrent("pretty lines on a terminal, in colour", async () => {
    const { screen } = await serveAtTerminal(["--log", "requests"]);
    await screen.until(/\d\d:\d\d:\d\d {2}\S*404\S* {2}GET {3}\/v2\/nothing {2}/);
    expect(screen.text).toContain("\u001b[33m404");
  });

  test.concurrent("--quiet silences them", async () => {
    const { screen, ready, exited } = await serveAtTerminal(["--quiet"]);
    // What it had to tell is told by its end.
    process.kill(ready.pid, "SIGTERM");
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("/v2/nothing");
  });

  async function serveAtTerminal(flags: string[]) {
    const file = join(newFolder(), "ready.json");
    const session = openMomo(["serve", "--ephemeral", "--port", "0", "--ready-file", file, ...flags]);
    await session.screen.until(/Ready/);
    const ready = JSON.parse(readFileSync(file, "utf8")) as ReadyRecord;
    expect((await fetch(`${ready.base_url}/nothing`)).status).toBe(404);
    return { ...session, ready };
  }
});

test.concurrent("--quiet silences --log-format too", async () => {
  const server = await serveMomo(["--log-format", "json", "-q"]);
  await server.get("/transactions.php");
  await server.stop();
  expect(server.child.stderr.text).toBe("");
});

describe("the reader of the log", () => {
  /** Serves with its stderr on a pipe that somebody reads in his own way. */
  async function servingFor(reader: string) {
    const script = `"$@" serve --port 0 --ephemeral --json --log-format json 2>&1 >ready | ${reader}`;
    const cwd = newFolder();
    const ended = runToEnd(["sh", "-c", script, "sh", ...PROGRAM], { cwd });
    for (;;) {
      const text = await Bun.file(join(cwd, "ready"))
        .text()
        .catch(() => "");
      if (text.endsWith("\n")) return { ready: JSON.parse(text) as ReadyRecord, ended };
      await Bun.sleep(10);
    }
  }

  const callOften = async ({ base_url }: ReadyRecord, count: number) => {
    for (let call = 0; call < count; call++) expect((await fetch(`${base_url}/nothing`)).status).toBe(404);
  };

  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test.concurrent("may go away, and the server goes on", async () => {
    const { ready } = await servingFor("true");
    await Bun.sleep(100);
    await callOften(ready, 3);
    await Bun.sleep(50);
    await callOften(ready, 3);
    process.kill(ready.pid, "SIGTERM");
    while (isAlive(ready.pid)) await Bun.sleep(10);
  });

  test.concurrent("may stand still: the server answers on, and still ends within 3 s", async () => {
    const { ready, ended } = await servingFor("sleep 4");
    // More than the pipe takes.
    await callOften(ready, 600);
    const startedMs = performance.now();
    process.kill(ready.pid, "SIGTERM");
    while (isAlive(ready.pid)) await Bun.sleep(10);
    expect(performance.now() - startedMs).toBeLessThan(3000 + SLACK_MS);
    await ended;
  });
});
