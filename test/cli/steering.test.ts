import { afterAll, describe, expect, test } from "bun:test";
import { startSandbox } from "momo-sandbox/testing";
import { openEvents } from "../../cli/client/client.ts";
import { followEvents, type SandboxEvent } from "../../cli/client/follow.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { hang, serveFake, startReceiver } from "../support/fake-server.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { SLACK_MS, until } from "../support/waiting.ts";

afterAll(cleanUp);

test.concurrent("the test helper saves a state and restores it, again and again", async () => {
  const helper = await startSandbox({ frozen: true });
  later(() => helper.stop());
  await helper.rules.add({ outcome: "cancelled", times: 1 });
  await helper.snapshot("one-cancels");
  for (let round = 0; round < 2; round += 1) {
    const answer = await fetch(`${helper.baseUrl}/stkpush.php`, {
      method: "POST",
      headers: { ...helper.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ payment_account_id: helper.paymentAccountId, phone: "0712345678", amount: 5 }),
    });
    const { checkout_request_id: checkoutRequestId } = (await answer.json()) as { checkout_request_id: string };
    await helper.clock.advance("3s");
    expect((await helper.wait({ checkoutRequestId })).status).toBe("cancelled");
    await helper.restore("one-cancels");
  }
});

const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 5 };
const AT_ONCE = { outcome: "completed", afterMs: 0 } as const;

/** The first message is refused, the others are accepted. */
const refuseFirst = (nth: number) => new Response("", { status: nth === 1 ? 500 : 200 });

describe("momo serve --webhook URL", () => {
  test.concurrent("each final payment is POSTed there, without a proxy; each attempt is a line of the log, without the address", async () => {
    const receiver = startReceiver(refuseFirst);
    const proxy = serveFake(() => new Response("proxy", { status: 502 }));
    const server = await serveMomo(
      ["--webhook", `${receiver.url}?token=abc`, "--after", "1ms", "--log-format", "json"],
      {
        env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
      },
    );
    const started = (await (await server.post("/stkpush.php", ORDER)).json()) as { checkout_request_id: string };
    const attempts = async () => {
      const lines = server.child.stderr.text.split("\n");
      return lines.filter((line) => line.includes('"webhook"')).map((line) => JSON.parse(line) as object);
    };
    await until(attempts, ({ length }) => length === 1);
    // The next attempt is made after a second of the sandbox's clock.
    const headers = { "Content-Type": "application/json" };
    await fetch(`${server.ready.control_url}/clock`, { method: "POST", headers, body: '{"advance":"1s"}' });
    expect(await until(attempts, ({ length }) => length === 2)).toMatchObject([
      { webhook: 1, state: "waiting", attempt: 1, status: 500, message: "only 2xx counts as delivered" },
      { webhook: 1, state: "delivered", attempt: 2, status: 200 },
    ]);
    const { checkout_request_id } = started;
    expect(receiver.received[1]?.body.data).toMatchObject({ checkout_request_id, status: "completed" });
    expect(server.child.stderr.text).not.toContain("token=abc");
    expect(proxy.requests).toEqual([]);
  });

  test.concurrent("an attempt without an answer is logged without a status", async () => {
    const server = await serveMomo(["--webhook", "http://127.0.0.1:1/", "--after", "1ms", "--log-format", "json"]);
    await server.post("/stkpush.php", ORDER);
    const [line = ""] = await server.child.stderr.until(/.*"webhook":1.*/);
    expect(JSON.parse(line)).toMatchObject({
      state: "waiting",
      status: null,
      message: "nothing answers at this address",
    });
  });

  test.concurrent("a receiver that hangs delays no payment, and a stop takes less than three seconds", async () => {
    const receiver = startReceiver(hang);
    const sandbox = await startIn(newFolder(), { webhook: receiver.url, fallback: AT_ONCE });
    for (let count = 0; count < 20; count += 1) await sandbox.pay();
    await receiver.until(16); // the bound of attempts in flight
    await sandbox.pay();
    const startedMs = performance.now();
    await sandbox.stop();
    expect(performance.now() - startedMs).toBeLessThan(3000 + SLACK_MS);
  });
});

test.concurrent("momo exec --audit: never polling is a mistake, unless a webhook reports the outcome", async () => {
  const flags = ["--audit", "--after", "1ms"];
  const pay = ["--", ...PROGRAM, "pay", "0712345678", "5", "-q"];
  const { exitCode, stderr } = await runMomo(["exec", ...flags, ...pay]);
  expect(stderr).toContain("The client has not asked for the status");
  expect(exitCode).toBe(7);
  expect((await runMomo(["exec", ...flags, "--webhook", startReceiver().url, ...pay])).exitCode).toBe(0);
});

test.concurrent("the test helper sets a webhook, shows what was delivered, and sends it again", async () => {
  const receiver = startReceiver(refuseFirst);
  const sandbox = await startSandbox({ frozen: true, webhook: receiver.url });
  later(() => sandbox.stop());
  const pay = async () => {
    const body = JSON.stringify({ ...ORDER, payment_account_id: sandbox.paymentAccountId });
    const headers = { ...sandbox.headers, "Content-Type": "application/json" };
    expect((await fetch(`${sandbox.baseUrl}/stkpush.php`, { method: "POST", headers, body })).status).toBe(200);
    await sandbox.clock.advance("3s");
  };
  await pay();
  await sandbox.clock.advance("1s");
  await receiver.until(2);
  const [delivery] = await until(
    () => sandbox.webhook.deliveries(),
    ([one]) => one?.state === "delivered",
  );
  expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 200]);
  expect((await sandbox.webhook.resend(1)).resend_of).toBe(1);
  await receiver.until(3);
  await sandbox.webhook.set({ url: receiver.url, form: "flat", times: 2 });
  await pay();
  await receiver.until(5);
  expect(receiver.received.at(-1)?.body).toMatchObject({ success: true, status: "completed" });
  await sandbox.webhook.clear();
  await sandbox.reset(); // back to the settings of the start
  await pay();
  await receiver.until(6);
  expect(await startSandbox({ webhook: "http://a:b@c/" }).catch(String)).toContain(
    "webhook must have no user name and no password",
  );
});

test("a command that follows the events asks for those that it missed while the connection was lost", async () => {
  const event = "id: b-7\nevent: transaction\ndata: {}\n\n";
  const server = serveFake(() => new Response(event, { headers: { "Content-Type": "text/event-stream" } }));
  const target = () => ({ controlUrl: server.baseUrl, controlToken: null });
  const stop = new AbortController();
  const seen: string[] = [];
  const onEvent = ({ name }: SandboxEvent) => {
    if (seen.push(name) === 4) stop.abort();
  };
  await followEvents(target, await openEvents(target()), onEvent, stop.signal);
  expect(seen.slice(0, 4)).toEqual(["connected", "transaction", "lost", "connected"]);
  const [, again] = server.requests;
  expect(again?.headers.get("Last-Event-ID")).toBe("b-7");
});

test.concurrent("momo tail says that payments are left out", async () => {
  const headers = { "Content-Type": "text/event-stream" };
  const server = serveFake(() => new Response("event: gap\ndata: {}\n\n", { headers }));
  const { stderr } = startMomo(["tail", "--base-url", server.baseUrl]);
  await stderr.until(
    /^Some payments are left out here\.\nThe server has gone; waiting for it …\nThe server is back\.\n/,
  );
});
