import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { respond, succeed } from "../../../src/http/reply.ts";
import { startServer } from "../../../src/http/server.ts";
import { sleep } from "../../../src/system.ts";
import { HOST } from "../../support/control.ts";
import { nextTurn } from "../../support/next-turn.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

/** The server closes a connection that is silent for 30 s. Calls that may take longer are exempt before they begin to wait. */

let sandbox: Steered;
let checkoutRequestId: string;
beforeEach(async () => {
  sandbox = await openSteered();
  checkoutRequestId = await sandbox.pay();
});
afterEach(() => sandbox.close());

/** Sends a request, and waits until it is exempt. @returns what the payment's status was at that moment */
async function untilExempt(method: string, path: string, json?: unknown) {
  const { promise: exempt, resolve } = Promise.withResolvers<string | undefined>();
  const request = new Request(`http://${HOST}${path}`, {
    method,
    headers: { Host: HOST, "Content-Type": "application/json", ...sandbox.caller.headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const answered = sandbox.handle(request, (kept) => {
    expect(kept).toBe(request);
    void sandbox.harness.store.transactions
      .findByCheckoutRequestId(checkoutRequestId)
      .then((found) => resolve(found?.status));
  });
  const statusThen = await Promise.race([exempt, answered.then(() => "answered, and not exempt")]);
  return { statusThen, answered };
}

/** These last until the server stops. */
test.each([
  ["a wait", "POST", "/_momo/wait", { reference: "never", timeout: "1h" }, 503],
  ["a delay", "GET", "/v2/transactions.php", undefined, 503],
  ["a stream of events", "GET", "/_momo/events", undefined, 200],
] as const)("%s is exempt from the idle time-out", async (_what, method, path, json, status) => {
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h" }] });
  const { statusThen, answered } = await untilExempt(method, path, json);
  expect(statusThen).toBe("pending");
  await nextTurn();
  sandbox.endStreams();
  expect((await answered).status).toBe(status);
});

test("a move of the clock is exempt before the payments that fall due are resolved", async () => {
  const { statusThen, answered } = await untilExempt("POST", "/_momo/clock", { advance: "3s" });
  expect(statusThen).toBe("pending");
  expect((await answered).status).toBe(200);
});

test.each(["/v2/transactions.php", "/_momo/prompts"])("%s is exempt while payments are due", async (path) => {
  sandbox.harness.clock.advance(3000);
  const { statusThen, answered } = await untilExempt("GET", path);
  expect(statusThen).toBe("pending");
  expect((await answered).status).toBe(200);
});

test("the connection of an exempt call has no time-out", async () => {
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
