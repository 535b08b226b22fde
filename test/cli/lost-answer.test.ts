import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, controlClient, merchantClient } from "../../cli/client/client.ts";
import { Failure } from "../../cli/terminal/failure.ts";
import { cleanUp, later } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";
import { rejectionOf } from "../support/rejection.ts";

afterAll(cleanUp);

/** Somebody who takes every request, and then closes the connection. */
function serveNobody(): { baseUrl: string } {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.terminate() },
  });
  later(() => server.stop(true));
  return { baseUrl: `http://127.0.0.1:${server.port}/v2` };
}

describe("a write whose answer is lost may have been carried out, and momo says how to look: exit 6", () => {
  test.concurrent("a payment that was started, and found in that way", async () => {
    const { at, ready } = await serveMomo();
    await fetch(`${ready.control_url}/faults`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{"faults":[{"path":"/stkpush.php","kind":"disconnect"}]}',
    });
    const run = await runMomo(["pay", "0712345678", "1", ...at, "--reference", "ORDER 7", "--json"]);
    const look = `momo list --search 'ORDER 7' --data ${ready.data}`;
    expect(failureOf(run)).toEqual({
      code: "answer_lost",
      message: `${new URL(ready.base_url).origin} closed the connection without an answer`,
      hint: `it may have been carried out all the same: look with ${look} before you ask again`,
    });
    expect(run).toMatchObject({ stdout: "", exitCode: 6 });
    const found = await runMomo(["list", "--search", "ORDER 7", ...at, "--json"]);
    expect(JSON.parse(found.stdout)).toMatchObject({ transactions: [{ amount: 1 }] });
  });

  const WRITES: [args: string[], look: string][] = [
    [["pay", "0712345678", "1", "--account", "1"], "momo list --limit 1"],
    [["pay", "0712345678", "1", "--account", "1", "--kind", "web"], "momo list --limit 1"],
    [["answer", "ws_CO_1", "--pin", "1234"], "momo status ws_CO_1"],
    [["clock", "advance", "3s"], "momo clock show"],
  ];
  for (const [args, look] of WRITES) {
    test.concurrent(`momo ${args.join(" ")}: ${look}`, async () => {
      const server = serveNobody();
      const flags = args[0] === "pay" ? flagsOf(server) : ["--base-url", server.baseUrl];
      const run = await runMomo([...args, ...flags, "--json"]);
      expect(failureOf(run)).toMatchObject({ code: "answer_lost", hint: expect.stringContaining(`look with ${look}`) });
      expect(run).toMatchObject({ stdout: "", exitCode: 6 });
      expect(run.stderr).not.toContain("ms_nobody");
    });
  }

  const target = (baseUrl: string) => ({ baseUrl, apiKey: "mk_1", apiSecret: "ms_1", paymentAccountId: 1 });
  const failureFrom = async (call: Promise<Answer>): Promise<Failure> => {
    const error = await rejectionOf(call);
    if (!(error instanceof Failure)) throw error;
    return error;
  };

  test.concurrent("an answer that comes later than the client waits", async () => {
    const { baseUrl } = serveFake(() => new Promise<Response>(() => {}));
    const failure = await failureFrom(merchantClient(target(baseUrl)).post("/stkpush.php", {}, { timeoutMs: 50 }));
    expect(failure).toMatchObject({ code: "answer_lost", exitCode: 6 });
    expect(failure.message).toEndWith(" did not answer within 50ms");
    expect(failure.hint).toContain("may have been carried out");
    expect(failure.hint).toEndWith("the server may be stopped or busy: momo doctor says which");
  });

  test.concurrent("a proxy that has no answer, and an answer that breaks off", async () => {
    const proxy = serveFake(() => new Response("<h1>504 Gateway Time-out</h1>", { status: 504 }));
    const cut = serveFake(
      () =>
        new Response(
          new ReadableStream({
            start(stream) {
              stream.enqueue(new TextEncoder().encode('{"success":tr'));
              setTimeout(() => stream.error(new Error("cut")), 20);
            },
          }),
        ),
    );
    for (const { baseUrl } of [proxy, cut]) {
      expect(await failureFrom(merchantClient(target(baseUrl)).post("/stkpush.php", {}))).toMatchObject({
        code: "answer_lost",
      });
    }
  });

  test.concurrent("a reset, which may be repeated", async () => {
    const run = await runMomo(["reset", "--base-url", serveNobody().baseUrl, "--json"]);
    const hint = "it may have been carried out all the same: ask again, which does no harm";
    expect(failureOf(run)).toMatchObject({ code: "answer_lost", hint });
    expect(run).toMatchObject({ stdout: "", exitCode: 6 });
  });

  test.concurrent("any other write of the client, too", async () => {
    const control = controlClient({ controlUrl: serveNobody().baseUrl, controlToken: null });
    for (const call of [control.put("/faults", {}), control.delete("/rules"), control.post("/rules", {})]) {
      expect((await failureFrom(call)).code).toBe("answer_lost");
    }
  });
});

describe("where nothing was sent, or nothing is changed, nobody is told to look", () => {
  for (const args of [["list"], ["status", "ws_CO_1"]]) {
    test.concurrent(`momo ${args.join(" ")} only reads`, async () => {
      const run = await runMomo([...args, ...flagsOf(serveNobody()), "--json"]);
      expect(failureOf(run)).toMatchObject({ code: "unreachable", hint: "nothing was changed: try again" });
      expect(run).toMatchObject({ stdout: "", exitCode: 6 });
    });
  }
});
