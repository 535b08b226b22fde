import { afterAll, describe, expect, test } from "bun:test";
import { merchantClient } from "../../cli/client/client.ts";
import { serverAt } from "../../cli/client/server.ts";
import { waitForOutcome } from "../../cli/client/wait.ts";
import { makeCertificates } from "../../cli/intercept/certificate.ts";
import { type Failure, toFailure } from "../../cli/terminal/failure.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { flagsOf, hang, serveFake, serveRaw } from "../support/fake-server.ts";
import {
  expectRefusal,
  failureOf,
  KEYS,
  openMomo,
  openPlain,
  PROGRAM,
  runMomo,
  shownLines,
  startMomo,
} from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { inTime, rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());

test.concurrent("momo list understands a server that answers in the short form", async () => {
  const short = await startIn(newFolder(), { profile: { response_form: "short" } });
  await short.pay();
  expect(await short.control("GET", "/server")).toMatchObject({ response_form: "short" });
  expect((await runMomo(["list", ...short.at, "-q"])).stdout).toBe("1\n");
  const unknown = await runMomo(["status", "1", ...short.at]);
  expectRefusal(unknown, 3, "give the checkout request id that starting the payment");
  expect(JSON.parse((await runMomo(["list", ...short.at])).stdout)).toHaveProperty("data");
});

describe("the exit code of `pay --wait` tells the outcome of the payment", () => {
  const payAndWait = ["pay", "0712345678", "100", ...sandbox.at, "--wait", "--interval", "50ms"];

  test.concurrent.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s while it waits: exit %d at once, and nothing on stdout", async (signal, exitCode) => {
    const child = startMomo([...payAndWait, "--outcome", "manual", "--reference", signal]);
    // It waits when it has asked for the status: the first of its requests starts the payment.
    for (let requests: unknown = []; (requests as unknown[]).length < 2; await Bun.sleep(10)) {
      const [started] = await sandbox.list(`?search=${signal}&status=pending`);
      if (started) ({ requests } = await sandbox.control("GET", `/transactions/${started.checkout_request_id}`));
    }
    child.signal(signal);
    expect(await child.exited).toBe(exitCode);
    expect(child.stdout.text).toBe("");
    expect(child.stderr.text).toMatch(
      /^The payment goes on\. Wait again with: momo status ws_CO_\w+ --wait --data \S+\n$/,
    );
  });
});

describe("a server whose answers change while momo waits", () => {
  const PENDING = { success: true, message: "", status: "pending" };

  /** @param first what the start of the payment answered; null without one */
  function waitAt(baseUrl: string, flags = { interval: 5, timeout: 60_000 }, first: typeof PENDING | null = PENDING) {
    return waitForOutcome(clientOf(baseUrl), "ws_CO_1", flags, first);
  }

  /** A service that gives these answers to the polls, and then repeats the last one. */
  function answering(...answers: (() => Response)[]): string {
    let polls = 0;
    return serveFake(() => answers[Math.min(polls++, answers.length - 1)]?.() ?? Response.error()).baseUrl;
  }

  const answered = (status: string) => () => Response.json({ ...PENDING, status });
  const pending = answered("pending");
  const gateway = () => new Response("", { status: 504 });

  test.concurrent.each([
    ["an unknown status is not waited for", [answered("SUCCESS")], 60_000, { code: "unexpected" }],
    ["revoked credentials end the wait", [pending, refused("bad", 401)], 60_000, { code: "unauthorized" }],
    ["at the time-out a refused last poll is not hidden", [refused("out of order", 500)], 20, { code: "refused" }],
  ])("%s", async (_what, answers, timeout, failure) => {
    expect(await rejectionOf(waitAt(answering(...answers), { interval: 5, timeout }, null))).toMatchObject(failure);
  });

  test.concurrent.each([[PENDING], [null]])(
    "a refused or lost poll says nothing about the payment: the wait goes on after %j",
    async (first) => {
      const pages = [500, 503].map((status) => () => html(status));
      const answers = answering(refused("busy", 503), gateway, ...pages, pending, answered("cancelled"));
      expect(await waitAt(answers, undefined, first)).toMatchObject({ status: "cancelled" });
      const soon = { interval: 5, timeout: 1000 };
      expect(await waitAt(answering(refused("busy", 503), pending), soon, first)).toMatchObject({ status: "pending" });
    },
  );

  test.concurrent("momo status NUMBER --wait goes on after a look-up of the number that fails", async () => {
    const found = () => Response.json({ ...PENDING, transactions: [{ id: 7, checkout_request_id: "ws_CO_7" }] });
    const flags = flagsOf({ baseUrl: answering(refused("busy", 503), gateway, found, answered("cancelled")) });
    expect((await runMomo(["status", "7", "--wait", "--interval", "50ms", ...flags])).exitCode).toBe(11);
  });

  test.concurrent("the look-up of the number is part of the time-out: after it there is one last poll", async () => {
    const server = serveFake(async ({ url }) => {
      if (url.endsWith("/status.php")) return pending();
      await Bun.sleep(200);
      return Response.json({ ...PENDING, transactions: [{ id: 7, checkout_request_id: "ws_CO_7" }] });
    });
    const times = ["--interval", "50ms", "--timeout", "100ms"];
    await runMomo(["status", "7", "--wait", ...times, ...flagsOf(server)]);
    expect(server.requests.filter(({ url }) => url.endsWith("/status.php"))).toHaveLength(1);
  });

  test.concurrent("the wait ends when the server ends", async () => {
    const ended = await startIn(newFolder());
    await ended.stop();
    expect(await rejectionOf(waitAt(ended.baseUrl))).toMatchObject({ code: "unreachable", exitCode: 6 });
  });

  test.concurrent("the time-out is kept if the interval is longer, and the last poll is then", async () => {
    const answer = waitAt(answering(answered("cancelled")), { interval: 3_600_000, timeout: 1000 });
    expect(await inTime(answer, () => "it still waits")).toMatchObject({ status: "cancelled" });
  });
});

/** What commands say of a server that answers badly, or not at all. */
const failureOfCall = (call: Promise<unknown>): Promise<Failure> =>
  call.then(() => Promise.reject(new Error("it did not fail")), toFailure);
const clientOf = (baseUrl: string) =>
  merchantClient({ baseUrl, apiKey: "mk_1", apiSecret: "ms_1", paymentAccountId: 1, server: serverAt(baseUrl, fetch) });
const failureFrom = ({ baseUrl }: { baseUrl: string }) => failureOfCall(clientOf(baseUrl).get("/transactions.php", {}));

const refused = (message: string, status: number) => () => Response.json({ success: false, message }, { status });
const html = (status: number) =>
  new Response("<!doctype html><h1>It works!</h1>", { status, headers: { "Content-Type": "text/html" } });

describe("a server that answers garbage is named, and gets one request", () => {
  const GARBAGE: [what: string, answer: () => Response][] = [
    ["HTML", () => html(200)],
    ["HTML with 404", () => html(404)],
    ["nothing", () => new Response("")],
    ["null", () => Response.json(null)],
    ["a list", () => Response.json([{ success: true }])],
    ["success as a word", () => Response.json({ success: "true", message: "" })],
    ["no message", () => Response.json({ success: true })],
    ["bytes", () => new Response(new Uint8Array([0xff, 0xfe, 0x00, 0x7b]))],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302)],
  ];
  test.concurrent.each(GARBAGE)("%s", async (_what, answer) => {
    const server = serveFake(answer);
    expect(await failureFrom(server)).toMatchObject({
      code: "unexpected",
      message: expect.stringContaining(`http://127.0.0.1:${server.port}`),
      hint: expect.stringContaining("--base-url"),
    });
    expect(server.requests).toHaveLength(1);
  });
});

test.concurrent.each<[status: number, code: string, exitCode: number, hint: string | null | undefined]>([
  [200, "refused", 5, undefined],
  [400, "refused", 5, undefined],
  [401, "unauthorized", 4, expect.stringContaining("give those of a key in force")],
  [403, "unauthorized", 4, null],
  [404, "not_found", 3, undefined],
  [500, "refused", 5, undefined],
])("a refusal with %d: %s, exit %d", async (status, code, exitCode, hint) => {
  const server = serveFake(refused("no", status));
  const failure = { code, message: "no", exitCode, ...(hint !== undefined && { hint }) };
  expect(await failureFrom(server)).toMatchObject(failure);
});

describe("a success without its members is a failure, and `undefined` is never printed or sent", () => {
  const INCOMPLETE: [args: string[], members: object][] = [
    [["status", "x", "--format", "table"], { status: "constructor" }],
    [["list", "-q"], {}],
    [["list", "-q"], { transactions: [null] }],
    [["list", "-q"], { transactions: [{}] }],
  ];
  test.concurrent.each(INCOMPLETE)("momo %j ← %j", async (args, members) => {
    const server = serveFake(() => Response.json({ success: true, message: "", ...members }));
    expectRefusal(await runMomo([...args, ...flagsOf(server)]), 1, /^momo: the service answer/);
    expect(JSON.stringify(server.requests.map(({ url }) => url))).not.toContain("undefined");
  });

  test.concurrent("on a terminal: a list without its page", async () => {
    const server = serveFake(() => Response.json({ success: true, message: "", transactions: [] }));
    const { screen, exited } = openMomo(["list", ...flagsOf(server)]);
    expect(await exited).toBe(1);
    expect(screen.text).toContain("momo: the service answer");
  });
});

test.concurrent("a number is not called unknown if the control API could not look it up", async () => {
  const merchants = { success: true, message: "", merchants: [{ id: 1, name: "Shop" }] };
  const stops = { success: false, message: "the server stops" };
  const server = serveFake(({ url }) =>
    url.endsWith("/merchants") ? Response.json(merchants) : Response.json(stops, { status: 503 }),
  );
  const run = await runMomo(["answer", "1", "--outcome", "cancelled", "--base-url", server.baseUrl]);
  expectRefusal(run, 5, "the server stops");
});

/** The address of a server that answers each request with these bytes, and closes the connection. */
const serveThenClose = (bytes: string) => `${serveRaw((socket) => socket.end(bytes)).url}/v2`;

describe("a write whose answer is lost may have been carried out, and momo says how to check: exit 6", () => {
  const baseUrl = serveThenClose("");
  const halfAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"success":tr';
  const breaksOff = serveThenClose(halfAnswer);

  test.concurrent("a payment that was started, and that the named command finds", async () => {
    const sandbox = await startIn(newFolder());
    await sandbox.control("PUT", "/faults", { faults: [{ path: "/stkpush.php", kind: "disconnect" }] });
    const run = await runMomo(["pay", "0712345678", "1", ...sandbox.at, "--reference", "ORDER 7", "--json"]);
    const look = `momo list --search 'ORDER 7' --data ${sandbox.at[1]}`;
    expect(failureOf(run)).toEqual({
      code: "answer_lost",
      message: `${sandbox.origin} closed the connection without an answer`,
      hint: `it may have been carried out: check with ${look} before you repeat it`,
    });
    expectRefusal(run, 6, "answer_lost");
    const found = await runMomo(["list", "--search", "ORDER 7", ...sandbox.at, "--json"]);
    expect(JSON.parse(found.stdout)).toMatchObject({ transactions: [{ amount: 1 }] });
  });

  const READS = "nothing was changed: try again";
  test.concurrent.each([
    [["pay", "0712345678", "1", "--account", "1", ...flagsOf({ baseUrl })], "check with momo list --limit 1"],
    [["pay", "0712345678", "1", "--account", "1", ...flagsOf({ baseUrl: breaksOff })], "check with momo list"],
    [["answer", "ws_CO_1", "--pin", "1234", "--base-url", baseUrl], "check with momo status ws_CO_1"],
    [["default", "set", "cancelled", "--base-url", baseUrl], "check with momo default show"],
    [["reset", "--base-url", baseUrl], "repeat it, which does no harm"],
    [["faults", "clear", "--base-url", baseUrl], "repeat it, which does no harm"],
    [["list", ...flagsOf({ baseUrl })], READS],
    [["status", "ws_CO_1", ...flagsOf({ baseUrl })], READS],
  ])("momo %j: %s", async (args, hint) => {
    const run = await runMomo([...args, "--json"]);
    const code = hint === READS ? "unreachable" : "answer_lost";
    expect(failureOf(run)).toMatchObject({ code, hint: expect.stringContaining(hint) });
    expectRefusal(run, 6, hint);
    expect(run.stderr).not.toContain("ms_nobody");
  });

  test.concurrent.each<[what: string, answer: () => Response]>([
    ["nothing", () => new Response("")],
    ["a page", () => html(200)],
    ["a page about a fault", () => html(503)],
    ["a success without the id", () => Response.json({ success: true, message: "ok" })],
    ...[500, 502, 503, 504].map((status): [string, () => Response] => [`HTTP ${status}`, refused("no", status)]),
  ])("an answer that does not say whether the payment was started: %s", async (what, answer) => {
    const run = await runMomo(["pay", "0712345678", "1", "--account", "1", ...flagsOf(serveFake(answer)), "--json"]);
    const hint = expect.stringContaining("it may have been carried out: check with momo list --limit 1");
    expect(failureOf(run)).toMatchObject({ code: what === "HTTP 500" ? "refused" : "answer_lost", hint });
  });

  const postTo = (address: string, timeoutMs = 10_000) =>
    failureOfCall(clientOf(address).post("/stkpush.php", {}, { timeoutMs }));

  test.concurrent.each([
    ["an answer", () => serveFake(hang).baseUrl],
    ["the end of an answer", () => serveRaw((socket) => socket.write(halfAnswer)).url],
  ])("%s that does not arrive before the client's time-out", async (_what, serve) => {
    const failure = await inTime(postTo(serve(), 50), () => "it still waits");
    const hint = /may have been carried out.*the server may be stopped or busy: momo doctor says which$/;
    const message = expect.stringMatching(/ did not answer within 50ms$/);
    expect(failure).toMatchObject({ code: "answer_lost", exitCode: 6, message, hint: expect.stringMatching(hint) });
  });

  test.concurrent("a certificate that is not accepted, and a server without https: nothing was sent", async () => {
    const { certificate, key } = makeCertificates(["pay.example"], systemClock, systemRandom);
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert: certificate, key }, fetch: hang });
    later(() => server.stop(true));
    expect(await postTo(`https://127.0.0.1:${server.port}/v2`)).toMatchObject({ code: "unreachable" });
    expect(await postTo(sandbox.baseUrl.replace("p:", "ps:"))).toMatchObject({ hint: `try ${sandbox.origin}` });
  });
});

test.concurrent("momo pay without phone and amount asks no outcome that is given, repeats all options, and asks nothing without a server", async () => {
  const given = ["--outcome", "manual", "--account", "1", "--description", "Two shoes", "--kind", "web"];
  const { screen, type } = openPlain(["pay", ...given, ...sandbox.at], { columns: 400 });
  for (const asked of [/Phone of the customer/, /Amount in KES/]) {
    await screen.until(asked);
    type(KEYS.enter);
  }
  const [, options] = await screen.until(/without questions: momo pay 0712345678 100 (.*) --wait /);
  expect(options).toBe("--outcome manual --account 1 --description 'Two shoes' --kind web");
  const without = openPlain(["pay"]);
  expect(await without.exited).toBe(6);
  expect(without.screen.text).not.toContain("Phone of");
});

test.concurrent("what is told fits the terminal also when the data goes to a file", async () => {
  const program = ["sh", "-c", '"$@" > data', "sh", ...PROGRAM];
  const { screen, exited } = openPlain(["answer", "1"], { columns: 40, program });
  expect(await exited).toBe(2);
  expect(shownLines(screen.text)[0]).toBe("momo: give either --pin or --outcome,");
});
