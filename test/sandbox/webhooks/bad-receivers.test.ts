import { afterAll, expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { makeCertificates } from "../../../cli/intercept/certificate.ts";
import { messageOf, samplePayment } from "../../../sandbox/webhooks/message.ts";
import { send } from "../../../sandbox/webhooks/send.ts";
import { createHeldAnswers } from "../../../sandbox/webhooks/webhooks.ts";
import type { Clock } from "../../../src/domain/clock.ts";
import { KINDS } from "../../../src/domain/transaction.ts";
import { systemClock, systemRandom } from "../../../src/system.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { hang, serveRaw, startReceiver } from "../../support/fake-server.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/waiting.ts";

afterAll(cleanUp);

function sendTo(
  { url }: { url: string },
  realClock = createManualClock(0) as Clock,
  ended = new AbortController().signal,
) {
  return send(url, { headers: { "Content-Type": "application/json" }, body: "{}" }, { realClock, ended });
}

test("a receiver without an answer fails after 10 s of real time", async () => {
  const receiver = startReceiver(hang);
  const realClock = createManualClock(0);
  const result = sendTo(receiver, realClock);
  await receiver.until(1);
  realClock.advance(9_999);
  expect(realClock.alarmsAtMs).toEqual([10_000]);
  realClock.advance(1);
  expect(await result).toEqual({ status: null, answer: null, problem: "no answer within 10 s" });
  expect(realClock.alarmsAtMs).toEqual([]);
});

test("a stop of the server ends an attempt at once", async () => {
  const receiver = startReceiver(hang);
  const stop = new AbortController();
  const result = sendTo(receiver, createManualClock(0), stop.signal);
  await receiver.until(1);
  stop.abort();
  expect(await result).toMatchObject({ status: null });
  const other = new AbortController().signal;
  await sendTo(startReceiver(), createManualClock(0), other);
  expect(getEventListeners(other, "abort")).toEqual([]);
});

test("of a body that never ends, the beginning is read for a second; the status counts", async () => {
  const realClock = createManualClock(0);
  const head = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n";
  const result = sendTo(
    serveRaw((socket) => socket.write(`${head}a\r\naaaaaaaaaa\r\n`)),
    realClock,
  );
  const alarms = async () => realClock.alarmsAtMs[0];
  await until(alarms, (atMs) => atMs === 1000);
  realClock.advance(999);
  expect(await alarms()).toBe(1000);
  realClock.advance(1);
  expect(await result).toEqual({ status: 201, answer: "aaaaaaaaaa", problem: null });
});

test("of a gigabyte, only the beginning is read, and the connection is closed", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  const chunk = Buffer.from("ä".repeat(32 * 1024));
  const body = () =>
    new ReadableStream({
      async pull(controller) {
        sent += chunk.length;
        if (sent > 1024 ** 3) controller.close();
        else controller.enqueue(chunk);
        await Bun.sleep(0);
      },
      cancel: () => resolve(),
    });
  const result = await sendTo(startReceiver(() => new Response(body())));
  expect(result).toEqual({ status: 200, answer: "ä".repeat(500), problem: null });
  await closed;
  expect(sent).toBeLessThan(256 * 1024 ** 2);
});

test("a small compressed answer is not decompressed", async () => {
  const bomb = Bun.gzipSync(new Uint8Array(16 * 1024 ** 2));
  const headers = { "Content-Encoding": "gzip" };
  const result = await sendTo(startReceiver(() => new Response(bomb, { headers })));
  expect(result).toMatchObject({ status: 200, problem: null });
  expect(result.answer).toStartWith("\u001f\ufffd");
  expect(result.answer?.length).toBeLessThanOrEqual(500);
});

test("a redirect is not followed", async () => {
  const other = startReceiver();
  const result = await sendTo(startReceiver(() => Response.redirect(other.url, 307)));
  expect(result).toMatchObject({
    status: 307,
    problem: `it redirects to "${other.url}", and redirects are not followed`,
  });
  expect(other.received).toEqual([]);
});

test.each([
  ["http://u:PASSWORD@127.0.0.1:1/hook/?key=SECRET", ' to "http://127.0.0.1:1/hook/?…"'],
  ["//u:PASSWORD@example.com/hook#SECRET", ' to "http://example.com/hook"'],
  ["/ok?token=SECRET#f", ' to "/ok?…"'],
  ["", ' to "/hook?…"'],
  ["mailto:u:PASSWORD@example.com", ""],
  ["http://u:PASSWORD@[", ""],
])("a redirect to %p is shown without user, password and query", async (location, shown) => {
  const { url } = startReceiver(() => new Response(null, { status: 308, headers: { Location: location } }));
  const { problem } = await sendTo({ url: `${url}?key=SECRET` });
  expect(problem).toBe(`it redirects${shown}, and redirects are not followed`);
});

test.each([
  [200, null],
  [299, null],
  [300, "it redirects, and redirects are not followed"],
  [399, "it redirects, and redirects are not followed"],
  [400, "only 2xx counts as delivered"],
])("HTTP %d: %p", async (status, problem) => {
  const result = await sendTo(startReceiver(() => new Response(null, { status })));
  expect(result).toMatchObject({ status, problem });
});

test("a closed connection and a port without a listener have different errors", async () => {
  const broken = await sendTo(serveRaw((socket) => socket.terminate()));
  expect(broken.status).toBeNull();
  expect(broken.problem).toStartWith("the connection failed (");
  const receiver = startReceiver();
  await receiver.stop();
  const missing = { status: null, answer: null, problem: "nothing answers at this address" };
  expect(await sendTo(receiver)).toEqual(missing);
});

test("pushes that wait for an early webhook: 5 s at most; one too many does not wait", async () => {
  const clock = createManualClock(0);
  const told: string[] = [];
  const heldAnswers = createHeldAnswers(clock, (words) => told.push(words));
  const held = Array.from({ length: 1000 }, (_, index) => heldAnswers.waitFor(`ws_CO_${index}`));
  expect(held).not.toContain(null);
  expect(heldAnswers.waitFor("ws_CO_late")).toBeNull();
  heldAnswers.release("ws_CO_7");
  await held[7];
  expect(clock.alarmsAtMs).toHaveLength(999);
  clock.advance(4999);
  expect(clock.alarmsAtMs).toHaveLength(999);
  clock.advance(1);
  for (const one of held) await one;
  expect(clock.alarmsAtMs).toEqual([]);
  expect(told).toHaveLength(999);
  expect(told[0]).toStartWith("the answer to the push of ws_CO_0 waited 5 s for its early webhook: ");
  const next = heldAnswers.waitFor("ws_CO_next");
  expect(next).not.toBeNull();
  heldAnswers.releaseAll();
  await next;
});

test.each(KINDS)("a payment of the kind %s is a deposit only if it is one into a wallet", (kind) => {
  const { data } = JSON.parse(messageOf("payment.updated", { ...samplePayment(0), kind }, 0).body);
  expect(data).toMatchObject({ is_deposit: kind === "wallet_deposit", type: kind.toUpperCase() });
});

test.each([
  ["payment.updated", ["Content-Type", "User-Agent", "X-Webhook-Event", "X-Webhook-Source"]],
  ["flat", ["Content-Type", "User-Agent"]],
] as const)("the form %s has these headers", (form, names) => {
  expect(Object.keys(messageOf(form, samplePayment(0), 0).headers)).toEqual([...names]);
});

test("what fails in TLS is named: an unknown certificate, and http in the place of https", async () => {
  const { certificate: cert, key } = makeCertificates(["localhost"], systemClock, systemRandom);
  const secure = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: { cert, key }, fetch: () => new Response() });
  later(() => secure.stop(true));
  const plain = startReceiver();
  const problemOf = async (url: string) => (await sendTo({ url }, systemClock)).problem;
  expect(await problemOf(`https://127.0.0.1:${secure.port}/`)).toContain("NODE_EXTRA_CA_CERTS");
  expect(await problemOf(`http://127.0.0.1:${secure.port}/`)).toContain("try https://");
  expect(await problemOf(plain.url.replace("http:", "https:"))).toContain("try http://");
});
