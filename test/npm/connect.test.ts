import { afterAll, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectSandbox, startSandbox } from "stkpush-sandbox/testing";
import { addressOf } from "../../npm/address.ts";
import { callAfter } from "../../npm/deadline.ts";
import { ROOT } from "../support/binary.ts";
import { cleanUp, keepEnvironment, newProgramFolder } from "../support/cleanup.ts";
import { createClient } from "../support/client.ts";
import { holdSilentOrigin, serveFake, serveRaw } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { rejectionOf, until } from "../support/waiting.ts";

/** The test helper with a sandbox that runs already. */

afterAll(cleanUp);
keepEnvironment();

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith("MOMO_")) delete process.env[name];
});

/** An address that is complete, so that a test names only what it is about. */
const NOWHERE = { baseUrl: "http://127.0.0.1:1/v2", apiKey: "mk_x", apiSecret: "ms_x", paymentAccountId: 1 };

const refusalOf = async (given: Parameters<typeof connectSandbox>[0]) =>
  ((await rejectionOf(connectSandbox(given))) as Error).message;

test("under momo exec it is the sandbox of the variables; stop() leaves that running", async () => {
  const script = `import { connectSandbox } from "${ROOT}/npm/testing.ts";
    const sandbox = await connectSandbox();
    await sandbox.clock.freeze();
    await sandbox.stop();
    await sandbox.clock.advance(1500);
    console.log(JSON.stringify({ ...sandbox, requests: (await sandbox.requests()).length }));`;
  const { stdout, stderr, exitCode } = await runMomo(["exec", "--account", "7", "--", process.execPath, "-e", script]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ paymentAccountId: 7, apiKey: expect.stringMatching(/^mk_/), requests: 0 });
});

test("a control token comes from its variable; without it, or with another, the error names the variable", async () => {
  const env = { MOMO_CONTROL_TOKEN: "token-of-the-control-api" };
  const server = await serveMomo(["--ephemeral", "--host", "0.0.0.0"], { env });
  const { base_url, api_key: apiKey, api_secret: apiSecret } = server.ready;
  const { port } = new URL(base_url);
  const address = { baseUrl: `http://localhost:${port}/v2`, apiKey, apiSecret, paymentAccountId: 1 };
  const message = `the sandbox at http://localhost:${port}/_momo refuses the token of MOMO_CONTROL_TOKEN: `;
  expect(await refusalOf(address)).toStartWith(message);
  expect(await refusalOf({ ...address, controlToken: "another-token" })).toStartWith(message);
  Object.assign(process.env, env);
  const sandbox = await connectSandbox(address);
  await sandbox.rules.add({ outcome: "cancelled", after: "0s" });
  await createClient(sandbox).pay({ reference: "A" });
  expect(await sandbox.wait({ reference: "A" })).toMatchObject({ status: "cancelled" });
  await server.stop();
  expect(await rejectionOf(sandbox.reset())).toMatchObject({
    message: expect.stringMatching(/^the sandbox at \S+ cannot be reached: .*ECONNREFUSED/),
  });
});

test("with an address of its own, it does not steer the sandbox of the variables", async () => {
  process.env.MOMO_CONTROL_URL = "http://127.0.0.1:1/_momo";
  const { ready } = await serveMomo(["--ephemeral"]);
  const { base_url: baseUrl, api_key: apiKey, api_secret: apiSecret } = ready;
  const sandbox = await connectSandbox({ baseUrl, apiKey, apiSecret, paymentAccountId: 1 });
  expect(sandbox.controlUrl).toBe(new URL("/_momo", baseUrl).href);
});

test("the token of the variables goes to no other address, unless it is given", () => {
  process.env.MOMO_BASE_URL = "http://127.0.0.1:2/v2";
  process.env.MOMO_CONTROL_URL = "http://127.0.0.1:3/_momo";
  process.env.MOMO_CONTROL_TOKEN = "token-of-the-variables";
  const own = { controlUrl: "http://127.0.0.1:1/_momo", controlToken: "" };
  expect(addressOf(NOWHERE)).toEqual({ ...NOWHERE, ...own });
  expect(addressOf({ ...NOWHERE, ...own })).toEqual({ ...NOWHERE, ...own });
  expect(addressOf({ ...NOWHERE, controlToken: "given" })).toEqual({ ...NOWHERE, ...own, controlToken: "given" });
});

test("with the address of the variables, their control API and its token count", () => {
  process.env.MOMO_BASE_URL = NOWHERE.baseUrl;
  process.env.MOMO_CONTROL_URL = "http://127.0.0.1:3/_momo";
  process.env.MOMO_CONTROL_TOKEN = "token-of-the-variables";
  const control = { controlUrl: "http://127.0.0.1:3/_momo", controlToken: "token-of-the-variables" };
  expect(addressOf(NOWHERE)).toEqual({ ...NOWHERE, ...control });
  const slashed = `${NOWHERE.baseUrl}/`;
  expect(addressOf({ ...NOWHERE, baseUrl: slashed })).toEqual({ ...NOWHERE, ...control });
});

test("what is missing or wrong is named, all of it at once", async () => {
  expect(await refusalOf({})).toStartWith(
    "connectSandbox() needs MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID: run the tests with momo exec",
  );
  process.env.MOMO_API_KEY = "mk_x";
  expect(await refusalOf({ ...NOWHERE, apiKey: "", apiSecret: "" })).toStartWith(
    "connectSandbox() needs MOMO_API_KEY, MOMO_API_SECRET: ",
  );
  const silent = await holdSilentOrigin();
  const wrong = [
    [
      { baseUrl: "127.0.0.1:2547" },
      "baseUrl (MOMO_BASE_URL) must be an address such as http://127.0.0.1:2547/v2; it is",
    ],
    [{ controlUrl: "ftp://a/" }, "controlUrl (MOMO_CONTROL_URL) must be an address"],
    [
      { paymentAccountId: "one" },
      'paymentAccountId (MOMO_PAYMENT_ACCOUNT_ID) must be a whole number from 1; it is "one"',
    ],
    [{ controlToken: "a b" }, "MOMO_CONTROL_TOKEN must be visible ASCII characters without spaces"],
    [{ baseUrl: `${silent}/v2` }, `the sandbox at ${silent}/_momo cannot be reached: `],
  ] as const;
  for (const [given, message] of wrong)
    expect(await refusalOf({ ...NOWHERE, ...(given as object) })).toStartWith(message);
});

test("an answer in chunks is read; one that is no JSON, and a connection without an answer, are named", async () => {
  const at = (url: string) => ({ ...NOWHERE, controlUrl: url });
  const asked: string[] = [];
  const chunked = serveFake(async (request) => {
    asked.push(await request.text());
    async function* parts() {
      yield '{"transaction":{"reference":"caf';
      yield 'é"}}';
    }
    return new Response(parts() as unknown as ReadableStream);
  });
  const sandbox = await connectSandbox(at(chunked.baseUrl));
  expect(await sandbox.wait({ reference: "A" })).toMatchObject({ reference: "café" });
  // A wait lasts 10 s at most, unless it is told otherwise.
  expect(JSON.parse(asked[1] ?? "")).toEqual({ reference: "A", until: "final", timeout: "10s" });

  const page = serveFake(() => new Response("<html>", { status: 502 }));
  expect(await refusalOf(at(page.baseUrl))).toEndWith("answered 502, without JSON: is this its control API?");
  const cut = serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"));
  expect(await refusalOf(at(cut.url))).toEndWith("cannot be reached: the connection was closed before the answer");
});

test("a sandbox that has crashed is named with its exit code and its last words", async () => {
  const file = join(newProgramFolder(), "momo");
  const silent = await holdSilentOrigin();
  const ready = JSON.stringify({ id: "x", control_url: `${silent}/_momo` });
  writeFileSync(file, `#!/bin/sh\necho '${ready}'\necho 'out of memory' >&2\nexit 9\n`, { mode: 0o755 });
  process.env.MOMO_EXECUTABLE = file;
  const { reset } = await startSandbox();
  const message = `the sandbox at ${silent}/_momo has ended with 9: out of memory`;
  await until(async () => ((await rejectionOf(reset())) as Error).message === message);
});

test("a test that replaces fetch and fakes all timers has a sandbox all the same", async () => {
  const fetch = spyOn(globalThis, "fetch").mockRejectedValue(new Error("the test allows no network"));
  jest.useFakeTimers();
  try {
    const sandbox = await startSandbox({ frozen: true });
    await sandbox.clock.advance("3s");
    expect(await sandbox.requests()).toEqual([]);
    await sandbox.stop();
    expect(fetch).not.toHaveBeenCalled();
  } finally {
    jest.useRealTimers();
    fetch.mockRestore();
  }
});

test("what is due after a time is called then, whatever the timers of the test say, and not if it is cancelled", async () => {
  jest.useFakeTimers();
  const calls: string[] = [];
  const due = Promise.withResolvers<void>();
  const cancel = callAfter(1, () => calls.push("cancelled"));
  cancel();
  callAfter(20, due.resolve);
  await due.promise;
  jest.useRealTimers();
  expect(calls).toEqual([]);
});
