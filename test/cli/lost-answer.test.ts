import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, controlClient, merchantClient } from "../../cli/client/client.ts";
import type { Failure } from "../../cli/terminal/failure.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo } from "../support/momo.ts";
import { rejectionOf } from "../support/rejection.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** The address of a server that answers each request with these bytes, and closes the connection. */
function serveThenClose(bytes: string): string {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(bytes);
        socket.end();
      },
    },
  });
  later(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/v2`;
}

const baseUrl = serveThenClose("");

describe("a write whose answer is lost may have been carried out, and momo says how to check: exit 6", () => {
  test.concurrent("a payment that was started, and found in that way", async () => {
    const sandbox = await startIn(newFolder());
    await sandbox.control("PUT", "/faults", { faults: [{ path: "/stkpush.php", kind: "disconnect" }] });
    const run = await runMomo(["pay", "0712345678", "1", ...sandbox.at, "--reference", "ORDER 7", "--json"]);
    const look = `momo list --search 'ORDER 7' --data ${sandbox.at[1]}`;
    expect(failureOf(run)).toEqual({
      code: "answer_lost",
      message: `${sandbox.origin} closed the connection without an answer`,
      hint: `it may have been carried out: check with ${look} before you repeat it`,
    });
    expect(run).toMatchObject({ stdout: "", exitCode: 6 });
    const found = await runMomo(["list", "--search", "ORDER 7", ...sandbox.at, "--json"]);
    expect(JSON.parse(found.stdout)).toMatchObject({ transactions: [{ amount: 1 }] });
  });

  test.concurrent.each([
    [["pay", "0712345678", "1", "--account", "1", ...flagsOf({ baseUrl })], "check with momo list --limit 1"],
    [["answer", "ws_CO_1", "--pin", "1234", "--base-url", baseUrl], "check with momo status ws_CO_1"],
    [["clock", "advance", "3s", "--base-url", baseUrl], "check with momo clock show"],
    [["reset", "--base-url", baseUrl], "repeat it, which does no harm"],
  ])("momo %j", async (args, hint) => {
    const run = await runMomo([...args, "--json"]);
    expect(failureOf(run)).toMatchObject({ code: "answer_lost", hint: expect.stringContaining(hint) });
    expect(run).toMatchObject({ stdout: "", exitCode: 6 });
    expect(run.stderr).not.toContain("ms_nobody");
  });

  const failureFrom = async (call: Promise<Answer>) => (await rejectionOf(call)) as Failure;
  const postTo = (address: string, timeoutMs = 10_000) => {
    const client = merchantClient({ baseUrl: address, apiKey: "mk_1", apiSecret: "ms_1", paymentAccountId: 1 });
    return failureFrom(client.post("/stkpush.php", {}, { timeoutMs }));
  };

  test.concurrent("an answer that comes later than the client waits", async () => {
    const failure = await postTo(serveFake(() => new Promise(() => {})).baseUrl, 50);
    expect(failure).toMatchObject({ code: "answer_lost", exitCode: 6 });
    expect(failure.message).toEndWith(" did not answer within 50ms");
    expect(failure.hint).toContain("may have been carried out");
    expect(failure.hint).toEndWith("the server may be stopped or busy: momo doctor says which");
  });

  test.concurrent("a proxy that has no answer, and an answer that breaks off", async () => {
    const proxy = serveFake(() => new Response("<h1>504</h1>", { status: 504 }));
    expect((await postTo(proxy.baseUrl)).code).toBe("answer_lost");
    const brokenOff = serveThenClose('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"success":tr');
    expect((await postTo(brokenOff)).code).toBe("answer_lost");
  });

  test.concurrent("any other write of the client, too", async () => {
    const control = controlClient({ controlUrl: baseUrl, controlToken: null });
    for (const call of [control.put("/faults", {}), control.delete("/rules"), control.post("/rules", {})]) {
      expect((await failureFrom(call)).code).toBe("answer_lost");
    }
  });
});

test.concurrent.each([[["list"]], [["status", "ws_CO_1"]]])(
  "momo %j only reads: there is nothing to look for",
  async (args) => {
    const run = await runMomo([...args, ...flagsOf({ baseUrl }), "--json"]);
    expect(failureOf(run)).toMatchObject({ code: "unreachable", hint: "nothing was changed: try again" });
    expect(run).toMatchObject({ stdout: "", exitCode: 6 });
  },
);
