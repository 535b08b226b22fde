import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { openEvents } from "../../cli/client/client.ts";
import { followEvents, type SandboxEvent } from "../../cli/client/follow.ts";
import { BY_ADDRESS } from "../../cli/client/found.ts";
import { clockCommand, snapshotCommand } from "../../cli/commands/steering.ts";
import { cleanUp } from "../support/cleanup.ts";
import { hang, serveFake, startReceiver } from "../support/fake-server.ts";
import { runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { rejectionOf, SLACK_MS, until } from "../support/waiting.ts";

afterAll(cleanUp);

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
    const id = await server.pay();
    const attempts = async () => {
      const lines = server.child.stderr.text.split("\n");
      return lines.filter((line) => line.includes('"webhook"')).map((line) => JSON.parse(line) as object);
    };
    await until(attempts, ({ length }) => length === 1);
    // The next attempt is made after a second of the sandbox's clock.
    await server.control("POST", "/clock", { advance: "1s" });
    expect(await until(attempts, ({ length }) => length === 2)).toMatchObject([
      { webhook: 1, state: "waiting", attempt: 1, status: 500, message: "only 2xx counts as delivered" },
      { webhook: 1, state: "delivered", attempt: 2, status: 200 },
    ]);
    const listed = await runMomo(["webhooks", "list", "--format", "table", ...server.at]);
    expect(listed.stdout).toMatch(/ delivered +2 .* 200\n/);
    expect(receiver.received[1]?.body.data).toMatchObject({ checkout_request_id: id, status: "completed" });
    expect(server.child.stderr.text).not.toContain("token=abc");
    expect(proxy.requests).toEqual([]);
  });

  test.concurrent("a receiver that hangs delays no payment, and a stop takes less than three seconds", async () => {
    const receiver = startReceiver(hang);
    const server = await serveMomo(["--webhook", receiver.url, "--after", "0s"]);
    for (let count = 0; count < 20; count += 1) await server.pay();
    await receiver.until(16); // the bound of attempts in flight
    await server.pay();
    const startedMs = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(3000 + SLACK_MS);
  });
});

test("a command that follows the events asks for those that it missed, however often it tries to reconnect", async () => {
  const event = "id: b-7\nevent: transaction\ndata: {}\n\n";
  const headers = { "Content-Type": "text/event-stream" };
  const server = serveFake(() => new Response(event, { status: server.requests.length === 2 ? 503 : 200, headers }));
  const target = () => ({ controlUrl: server.baseUrl, controlToken: null, found: BY_ADDRESS });
  const stop = new AbortController();
  const seen: string[] = [];
  const onEvent = ({ name }: SandboxEvent) => {
    if (seen.push(name) === 4) stop.abort();
  };
  await followEvents(target, await openEvents(target()), onEvent, stop.signal);
  expect(seen.slice(0, 4)).toEqual(["connected", "transaction", "lost", "connected"]);
  const behind = server.requests.map((one) => one.headers.get("Last-Event-ID"));
  expect(behind.slice(0, 3)).toEqual([null, "b-7", "b-7"]);
});

test.concurrent("momo tail says that payments are left out", async () => {
  const headers = { "Content-Type": "text/event-stream" };
  const server = serveFake(() => new Response("event: gap\ndata: {}\n\n", { headers }));
  const { stderr } = startMomo(["tail", "--base-url", server.baseUrl]);
  await stderr.until(
    /^Some payments are left out here\.\nThe server has gone; waiting for it …\nThe server is back\.\n/,
  );
});

test("a move of the clock may take ten minutes, and a snapshot one", async () => {
  const { baseUrl } = serveFake(() => Response.json({ success: false, message: "no" }, { status: 500 }));
  const at = ["--base-url", baseUrl];
  const timeout = spyOn(AbortSignal, "timeout");
  await rejectionOf(clockCommand().parseAsync(["advance", "1s", ...at], { from: "user" }));
  await rejectionOf(snapshotCommand().parseAsync(["save", "a", ...at], { from: "user" }));
  for (const ms of [600_000, 60_000]) expect(timeout.mock.calls).toContainEqual([ms]);
  timeout.mockRestore();
});
