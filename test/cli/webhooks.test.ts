import { afterAll, describe, expect, test } from "bun:test";
import { startSandbox } from "momo-sandbox/testing";
import { cleanUp, later } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { failureOf, PROGRAM, runMomo, serveMomo } from "../support/momo.ts";
import { hang, startReceiver } from "../support/receiver.ts";
import { SLACK_MS } from "../support/time-outs.ts";
import { until } from "../support/until.ts";

afterAll(cleanUp);

const STOP_WITHIN_MS = 3000;
const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 5 };
describe("momo serve --webhook URL", () => {
  test.concurrent("each payment that becomes final is POSTed there, and no proxy sees it", async () => {
    const receiver = startReceiver();
    const proxy = serveFake(() => new Response("proxy", { status: 502 }));
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const server = await serveMomo(["--webhook", receiver.url, "--after", "10ms"], { env });
    const { checkout_request_id } = (await (await server.post("/stkpush.php", ORDER)).json()) as Record<
      string,
      unknown
    >;
    await receiver.until(1);
    expect(receiver.received[0]?.body.data).toMatchObject({ checkout_request_id, status: "completed" });
    expect(proxy.requests).toEqual([]);
  });

  test.concurrent("a receiver that hangs holds up no payment, and a stop takes less than three seconds", async () => {
    const receiver = startReceiver(hang);
    const server = await serveMomo(["--webhook", receiver.url, "--after", "1ms"]);
    for (let count = 0; count < 20; count += 1) expect((await server.post("/stkpush.php", ORDER)).status).toBe(200);
    await receiver.until(16); // so many are under way at once
    expect((await server.post("/stkpush.php", ORDER)).status).toBe(200);
    const startedMs = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(STOP_WITHIN_MS + SLACK_MS);
    expect(server.child.stderr.text).toBe("");
  });

  test.concurrent("a push that waits for its webhook is answered when the server stops", async () => {
    const receiver = startReceiver(hang);
    const server = await serveMomo(["--after", "1ms"]);
    await fetch(`${server.ready.control_url}/webhook`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ url: receiver.url, early: true }),
    });
    const push = server.post("/stkpush.php", ORDER);
    await receiver.until(1);
    expect(await server.stop()).toBe(0);
    expect((await push).status).toBe(200);
  });

  test.concurrent("each attempt is a line of the log, without the address", async () => {
    const receiver = startReceiver((nth) => new Response("", { status: nth === 1 ? 500 : 200 }));
    const address = `${receiver.url}?token=abc`;
    const server = await serveMomo(["--webhook", address, "--after", "1ms", "--log-format", "json"]);
    await server.post("/stkpush.php", ORDER);
    const lines = () =>
      server.child.stderr.text
        .split("\n")
        .filter((line) => line.includes('"webhook"'))
        .map((line) => JSON.parse(line) as object);
    await until(
      async () => lines(),
      (found) => found.length === 2,
    );
    expect(lines()).toMatchObject([
      { webhook: 1, state: "waiting", attempt: 1, status: 500, message: "only 2xx counts as taken" },
      { webhook: 1, state: "delivered", attempt: 2, status: 200 },
    ]);
    expect(server.child.stderr.text).not.toContain("token=abc");
  });

  test.concurrent.each([
    ["ftp://127.0.0.1/", "--webhook must be an http or https address of at most 2048 characters"],
    ["http://shop:hunter2@127.0.0.1/", "--webhook must have no user name and no password in it"],
  ])("%s is refused, and not shown", async (url, says) => {
    for (const args of [
      ["serve", "--webhook", url],
      ["exec", "--webhook", url, "--", "true"],
    ]) {
      const run = await runMomo(args);
      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain(says);
      expect(run.stderr).not.toContain(url);
    }
  });
});

describe("momo webhooks", () => {
  test.concurrent("list and resend; it is said that the specification knows none", async () => {
    const receiver = startReceiver();
    const server = await serveMomo(["--webhook", receiver.url, "--after", "1ms"]);
    const momo = (...args: string[]) => runMomo(["webhooks", ...args, ...server.at]);
    expect(await momo("list", "--format", "table")).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("knows no webhooks (§6)"),
    });
    await server.post("/stkpush.php", ORDER);
    await until(
      () => momo("list", "--json"),
      ({ stdout }) => stdout.includes('"delivered"'),
    );
    expect((await momo("list", "-q")).stdout).toBe("1\n");
    const { stdout } = await momo("list", "--format", "table");
    expect(stdout).toMatch(
      /^ *id +payment +state +attempts +due +answer\n *1 +ws_CO_\w+ +delivered +1 +[-0-9: ]{19} +200\n$/,
    );
    expect(await momo("resend", "1")).toMatchObject({ stderr: "it is sent again as delivery 2\n", exitCode: 0 });
    await receiver.until(2);
    expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body as Record<string, unknown>);
    expect(failureOf(await momo("resend", "9", "--json"))).toMatchObject({ code: "not_found" });
    expect((await momo("resend", "x")).exitCode).toBe(2);
  });
});

describe("momo exec --webhook URL", () => {
  const MOMO = PROGRAM.map((word) => `'${word}'`).join(" ");
  const auditOf = (...flags: string[]) =>
    runMomo(["exec", "--audit", ...flags, "--", "sh", "-c", `${MOMO} pay 0712345678 5 -q`]);

  test.concurrent("who never polls makes a mistake; where a webhook tells the outcome, it is only noted", async () => {
    const receiver = startReceiver();
    const polled = await auditOf("--after", "1ms");
    expect(polled.stderr).toContain("The client has not asked for the status");
    expect(polled.exitCode).toBe(7);
    const told = await auditOf("--after", "1ms", "--webhook", receiver.url);
    expect(told.exitCode).toBe(0);
  });
});

test("the test helper sets a webhook, shows what was delivered, and sends it again", async () => {
  const receiver = startReceiver((nth) => new Response("", { status: nth === 1 ? 500 : 200 }));
  const sandbox = await startSandbox({ frozen: true, webhook: receiver.url });
  later(() => sandbox.stop());
  const pay = async () => {
    const body = JSON.stringify({ ...ORDER, payment_account_id: sandbox.paymentAccountId });
    const headers = { ...sandbox.headers, "Content-Type": "application/json" };
    expect((await fetch(`${sandbox.baseUrl}/stkpush.php`, { method: "POST", headers, body })).status).toBe(200);
  };
  await pay();
  await sandbox.clock.advance("3s");
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
  await sandbox.clock.advance("3s");
  await receiver.until(5);
  expect(receiver.received.at(-1)?.body).toMatchObject({ success: true, status: "completed" });
  await sandbox.webhook.clear();
  await sandbox.reset(); // back to what it was started with
  await pay();
  await sandbox.clock.advance("3s");
  await receiver.until(6);
  expect(await startSandbox({ webhook: "http://a:b@c/" }).catch(String)).toContain(
    "webhook must have no user name and no password",
  );
});
