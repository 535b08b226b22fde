import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificates } from "../../cli/intercept/certificate.ts";
import type { CheckReport } from "../../sandbox/check/result.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { hang, serveFake } from "../support/fake-server.ts";
import { runHere } from "../support/here.ts";
import { KEYS as KEYBOARD, openMomo, runMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { until } from "../support/waiting.ts";

afterAll(cleanUp);

const KEYS = { MOMO_API_KEY: "mk_owner", MOMO_API_SECRET: "ms_owner" };
const check = (target: string, args: readonly string[] = [], env: Record<string, string> = KEYS) =>
  runMomo(["check", "--target", target, ...args], { env });

/** The same address, which the command takes for another machine. */
const elsewhere = (url: string): string => url.replace("127.0.0.1", "0.0.0.0");

const json = (status: number, body: object, headers = {}) => Response.json(body, { status, headers });
const EMPTY = {
  ...{ success: true, message: "0", transactions: [], filters_applied: {} },
  pagination: { current_page: 1, per_page: 10, total_items: 0, total_pages: 0 },
  summary: { total_completed_amount: 0, completed_count: 0, pending_count: 0, failed_count: 0 },
};

describe("a sandbox is checked", () => {
  test("it holds: exit 0, and no report has the secret or the phone", async () => {
    const sandbox = await startIn(newFolder());
    const folder = newFolder();
    const files = ["a.xml", "a.json", "a.txt", "profile.json"].map((name) => join(folder, name));
    const pay = ["--pay", "0712345678", "--amount", "7", "--account", "1", "--max-pushes", "20", "--yes"];
    const run = await check(
      sandbox.baseUrl,
      [...pay, "--report", ...files.slice(0, -1), "--profile", ...files.slice(-1)],
      sandbox.env,
    );
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^(9[0-9]) of \1 stated sentences hold/);
    for (const text of [...files.map((file) => readFileSync(file, "utf8")), run.stdout]) {
      expect(text).not.toContain(sandbox.env.MOMO_API_SECRET);
      expect(text).not.toContain("254712345678");
    }
    expect(await sandbox.list("?limit=100")).toMatchObject([{ amount: 7, phone: "254712345678" }]);
  });

  test("--dry-run prints the requests as curl, without a key, and sends none", async () => {
    const fake = serveFake(() => json(500, {}));
    const run = await check(fake.baseUrl, ["--dry-run", "--pay", "0712345678"], {});
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^[0-9]+ requests, at most 1000/) });
    const lines = run.stdout.trim().split("\n");
    expect(lines.length).toBeGreaterThan(30);
    const keys = '-H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET"';
    expect(lines[0]).toBe(`curl -s '${fake.baseUrl}/transactions.php' ${keys}`);
    for (const line of lines) expect(line).toStartWith("curl -s ");
    expect(lines.filter((line) => line.endsWith(" # a payment"))).toHaveLength(1);
    expect(fake.requests).toEqual([]);
  });
});

describe("what is not a service with this API", () => {
  const html = () => new Response("<html>", { headers: { "Content-Type": "text/html" } });
  const redirect = () => new Response(null, { status: 302, headers: { Location: "https://x.example/" } });
  const at = (date: string) => () => json(200, EMPTY, { Date: date });
  const endless = () =>
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });

  test.each<[what: string, answer: () => Response, exitCode: number, said: string | RegExp]>([
    ["HTML", html, 7, "not a service with this API: it answers 200 with text/html"],
    ["a redirect", redirect, 7, "redirects to https://x.example/"],
    ["a clock that is off", at("Thu, 01 Jan 2026 00:00:00 GMT"), 7, /clock is [0-9]+ minutes behind/],
    ["a clock that is ahead", at("Fri, 01 Jan 2100 00:00:00 GMT"), 7, /clock is [0-9]+ minutes ahead of/],
    ["too many requests", () => json(429, { success: false, message: "later" }), 6, "answers 429"],
    ["an answer without an end", () => new Response(endless()), 6, "more than 1 MiB"],
  ])("%s", async (_what, answer, exitCode, said) => {
    const run = await check(serveFake(answer).baseUrl);
    expect(run.exitCode, run.stderr).toBe(exitCode);
    expect(run.stdout + run.stderr).toMatch(said);
  });
});

test("a certificate that does not fit is named", async () => {
  const { certificate, key } = makeCertificates(["pay.example"], systemClock, systemRandom);
  const tls = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: certificate, key },
    fetch: () => json(200, EMPTY),
  });
  later(() => tls.stop(true));
  const refused = await check(`https://127.0.0.1:${tls.port}/v2`);
  expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("its certificate is not accepted") });
});

test("a service of this machine is reached without the proxy, and letters that come in pieces are whole in the report", async () => {
  const proxy = serveFake(() => json(502, {}));
  const pieces = new TextEncoder().encode(JSON.stringify({ success: false, message: "“né”" }));
  const fake = serveFake(() => new Response(inPieces(pieces), { status: 401 }));
  const env = { ...KEYS, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const report = JSON.parse((await check(fake.baseUrl, ["--json"], env)).stdout) as CheckReport;
  expect(report.checked[0]?.evidence?.answer).toBe('{"success":false,"message":"“né”"}');
  expect(proxy.requests).toEqual([]);
});

async function* inPieces(bytes: Uint8Array) {
  for (const byte of bytes) {
    yield Uint8Array.of(byte);
    await Bun.sleep(1); // so that not all come at once
  }
}

test("a request without an answer ends after 10 s, and is named", async () => {
  const timeout = spyOn(AbortSignal, "timeout");
  let late = new AbortController();
  timeout.mockImplementation(() => {
    late = new AbortController();
    return late.signal;
  });
  const { baseUrl } = serveFake(async (request) => {
    if ((await request.text()) !== "{") return json(200, EMPTY);
    late.abort(new DOMException("the time is over", "TimeoutError")); // as 10 s later
    return hang();
  });
  const surroundings = { environment: { ...KEYS, MOMO_DATA: newFolder() }, folder: newFolder() };
  const run = await runHere(["check", "--target", baseUrl, "--json"], surroundings);
  const times = timeout.mock.calls.flat();
  timeout.mockRestore();
  expect(new Set(times)).toEqual(new Set([10_000]));
  const { checked } = JSON.parse(run.stdout) as CheckReport;
  expect(checked.find(({ id }) => id === "bad.no-json")).toMatchObject({
    verdict: "skipped",
    fact: { kind: "no_answer", text: "POST /status.php got no answer: it did not come, or did not end, within 10s" },
  });
});

test("at a narrow terminal, JSON is not broken into lines", async () => {
  const { baseUrl, controlUrl } = await startIn(newFolder());
  const env = { ...KEYS, MOMO_CONTROL_URL: controlUrl };
  for (const args of [["check", "--target", baseUrl], ["audit"]]) {
    const { screen, exited } = openMomo([...args, "--json"], { env, columns: 40 });
    await exited;
    const [json = "null"] = /\{\r?\n[\s\S]*^\}/m.exec(screen.text) ?? [];
    expect(JSON.parse(json)).toMatchObject({ requests: 1 });
  }
});

test("at a terminal only the word yes pays", async () => {
  const { baseUrl, env, list } = await startIn(newFolder());
  const payment = ["--pay", "0712345678", "--account", "1"];
  const { screen, type, exited } = openMomo(["check", "--target", baseUrl, ...payment], { env });
  await screen.until(/Type yes to go on/);
  type(`y${KEYBOARD.enter}`);
  await screen.until(/type yes, or press Ctrl\+C/);
  type(KEYBOARD.ctrlC);
  expect(await exited).toBe(130);
  expect(await list()).toEqual([]);
});

test("at a terminal the address, the key and the secret are asked for, and sent; exit 4 where they are refused", async () => {
  const fake = serveFake(() => json(401, { success: false, message: "no" }));
  const { screen, type, exited } = openMomo(["check"]);
  for (const [asked, said] of [
    [/Which base address\?/, fake.baseUrl],
    [/The API key\?/, "mk_typed"],
    [/The API secret\?/, "ms_typed"],
  ] as const) {
    await screen.until(asked);
    type(`${said}${KEYBOARD.enter}`);
  }
  expect(await exited).toBe(4);
  const sent = fake.requests.map(({ headers }) => [headers.get("X-API-Key"), headers.get("X-API-Secret")]);
  expect(sent).toEqual([["mk_typed", "ms_typed"]]);
});

describe("a service on another machine is spared", () => {
  const reportOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as CheckReport;

  test("it is only read, and asked at most as often as the budget allows", async () => {
    const fake = serveFake(() => json(200, EMPTY));
    const run = await check(elsewhere(fake.baseUrl), ["--requests", "12", "--pause", "0ms", "--json"]);
    expect(reportOf(run)).toMatchObject({ requests: 12, stopped: { kind: "budget_spent", budget: 12 } });
    expect(fake.requests).toHaveLength(12);
  });

  test("elsewhere a second passes between two requests, and the second answer with 500 ends the check; on this machine it does not", async () => {
    const fake = serveFake(() => json(500, { success: false, message: "broken" }));
    const startedMs = performance.now();
    const run = await check(elsewhere(fake.baseUrl), ["--json"]);
    expect(performance.now() - startedMs).toBeGreaterThan(900); // it pauses for a second by itself
    expect(reportOf(run)).toMatchObject({
      requests: 2,
      stopped: { kind: "server_errors", text: expect.stringContaining("the second error") },
    });
    const here = reportOf(await check(fake.baseUrl, ["--json"]));
    expect([here.stopped, here.requests > 2]).toEqual([null, true]);
  });

  test.each([
    ["before the next request", () => json(200, { ...EMPTY, success: "yes" })],
    ["in a request without an answer", hang],
  ])("an interrupt %s ends it, and the report so far is written", async (_when, answer) => {
    const fake = serveFake(answer);
    const file = join(newFolder(), "report.json");
    const run = startMomo(["check", "--target", elsewhere(fake.baseUrl), "--pause", "1h", "--report", file], {
      env: KEYS,
    });
    await until(() => fake.requests.length > 0);
    run.signal("SIGINT");
    expect(await run.exited).toBe(130);
    expect(existsSync(file)).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ requests: 1, stopped: { kind: "interrupted" } });
  });
});

test("a check that is not told to pay changes no report", async () => {
  const file = join(newFolder(), "report.json");
  writeFileSync(file, "old");
  const run = await check("http://127.0.0.1:1/v2", ["--pay", "0712345678", "--account", "1", "--report", file]);
  expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--yes is missing") });
  expect(readFileSync(file, "utf8")).toBe("old");
});
