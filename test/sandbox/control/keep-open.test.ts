import { expect, spyOn, test } from "bun:test";
import { respond, succeed } from "../../../src/http/reply.ts";
import { startServer } from "../../../src/http/server.ts";
import { sleep } from "../../../src/system.ts";
import { HOST } from "../../support/control.ts";
import { openSteered } from "../../support/steered.ts";
import { nextTurn } from "../../support/turns.ts";
import { forEachTest } from "../../support/use.ts";

/** The server closes a connection that is silent for 30 s. Requests that may take longer are exempt before they begin to wait. */

const sandbox = forEachTest(openSteered);

/** Starts a payment, sends a request after this time, waits until it is exempt, and expects that the payment is still pending. */
async function untilExempt(
  afterMs: number,
  method: string,
  path: string,
  json?: unknown,
): Promise<{ answered: Promise<Response> }> {
  const id = await sandbox.pay();
  sandbox.harness.clock.advance(afterMs);
  const { promise: exempt, resolve } = Promise.withResolvers<unknown>();
  const headers = { Host: HOST, "Content-Type": "application/json", ...sandbox.caller.headers };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const request = new Request(`http://${HOST}${path}`, { method, headers, ...body });
  const answered = sandbox.handle(request, (kept) => {
    expect(kept).toBe(request);
    resolve(sandbox.harness.store.transactions.findByCheckoutRequestId(id));
  });
  expect(await Promise.race([exempt, answered])).toMatchObject({ status: "pending" });
  return { answered };
}

test.each([
  ["a wait", "POST", "/_momo/wait", { reference: "never", timeout: "1h" }, 503, "the server stops"],
  ["a delay", "GET", "/v2/transactions.php", undefined, 503, "the operation was not carried out"],
  ["a stream of events", "GET", "/_momo/events", undefined, 200, ""],
])("%s is exempt, and ends with the server", async (_what, method, path, json, status, says) => {
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "delay", path: "/transactions.php", delay: "1h" }] });
  const { answered } = await untilExempt(0, method, path, json);
  await nextTurn();
  sandbox.endStreams();
  const response = await answered;
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(says);
});

test.each([
  ["POST", "/_momo/clock", 0, { advance: "3s" }],
  ["GET", "/v2/transactions.php", 3000, undefined],
  ["GET", "/_momo/prompts", 3000, undefined],
])("%s %s is exempt while payments are due", async (method, path, afterMs, json) => {
  const { answered } = await untilExempt(afterMs, method, path, json);
  expect((await answered).status).toBe(200);
});

test("the connection of an exempt request has no time-out", async () => {
  const serve = spyOn(Bun, "serve");
  const server = startServer({
    ...{ hostname: "127.0.0.1", port: 0, busyPaths: [], reportFault: () => {}, sleep },
    handle: async (request, keepOpen) => {
      keepOpen?.(request);
      return respond(succeed("served", {}));
    },
  });
  const timeout = spyOn(serve.mock.results[0]?.value as Bun.Server<undefined>, "timeout");
  serve.mockRestore();
  await fetch(`http://127.0.0.1:${server.port}/`);
  expect(timeout.mock.calls).toEqual([[expect.any(Request), 0]]);
  await server.stop(0);
});
