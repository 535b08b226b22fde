import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError } from "commander";
import serveCommand from "../../cli/commands/serve.ts";
import type { SandboxConfig } from "../../cli/serving/run-sandbox.ts";
import { configOf, type SandboxFlags } from "../../cli/serving/sandbox-flags.ts";
import { type Failure, toFailure } from "../../cli/terminal/failure.ts";
import { usageFailure } from "../../cli/terminal/usage.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { expectRefusal, type ReadyRecord, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

/** The configuration that `momo serve` makes from these flags; no server starts. */
async function configFrom(...flags: string[]): Promise<Partial<SandboxConfig>> {
  let config: Partial<SandboxConfig> = {};
  const command = serveCommand()
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .action(async (given: SandboxFlags) => {
      config = await configOf(given);
    });
  await command.parseAsync(flags, { from: "user" }).catch((error: unknown) => {
    throw error instanceof CommanderError ? usageFailure(error, command) : toFailure(error);
  });
  return config;
}

const failureFrom = async (...flags: string[]) => (await rejectionOf(configFrom(...flags))) as Failure;

describe("a bad value is a usage error that names the flag and what would be right", () => {
  test.each<[flags: string[], named: RegExp]>([
    [["--port", "65536"], /--port.*1 to 65535/],
    [["--port", "http"], /--port/],
    [["--port", "-1"], /--port/],
    [["--host", ""], /--host/],
    [["--accept", "all"], /--accept.*lenient/],
    [["--base-path", "v2"], /--base-path.*\/v2/],
    [["--base-path", "/v2/"], /--base-path/],
    [["--base-path", "/_momo"], /--base-path.*_momo/],
    [["--base-path", "/_momo/v2"], /--base-path/],
    [["--base-path", "/a?b"], /--base-path/],
    [["--base-path", "/.."], /--base-path/],
    [["--base-path", "/a/./b"], /--base-path/],
    [["--base-path", "/1/2/3/4/5/6/7/8"], /--base-path.*at most 7 parts/],
    [["--base-path", `/${"a".repeat(100)}`], /--base-path/],
    [["--outcome", "exploded"], /--outcome.*insufficient_funds/],
    [["--after", "3"], /--after.*250ms, 3s, 2m or 1h/],
    [["--after", "25h"], /--after/],
    [["--outcome", "manual", "--after", "3s"], /--after.*manual/],
    [["--prompt-timeout", "999ms"], /--prompt-timeout.*1s or more/],
    [["--prompt-timeout", "60"], /--prompt-timeout.*duration/],
    [["--fee", "101%"], /--fee.*tariff/],
    [["--fee", ""], /--fee/],
    [["--response-form", "long"], /--response-form.*full, short/],
    [["--data", "x", "--ephemeral"], /--ephemeral.*cannot be used with.*--data|--data.*cannot.*--ephemeral/],
    [["--webhook", "ftp://127.0.0.1/"], /^--webhook must be an http or https address of at most 2048 characters$/],
    [["--webhook", "http://shop:pw@127.0.0.1/"], /^--webhook must have no user name and no password in it$/],
  ])("%j", async (flags, named) => {
    expect(await failureFrom(...flags)).toMatchObject({ code: "usage", message: expect.stringMatching(named) });
  });

  test("exit 2, before anything is made", async () => {
    const cwd = newFolder();
    const env = { XDG_DATA_HOME: join(cwd, "share") };
    const run = await runMomo(["serve", "--port", "0", "--fee", "101%"], { cwd, env });
    expectRefusal(run, 2, /^momo: --fee/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.concurrent.each([
    ["of 15 characters", "a".repeat(15)],
    ["of 201 characters", "a".repeat(201)],
    ["of two lines", "aaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbb"],
  ])("a --control-token-file %s", async (_what, content) => {
    const file = join(newFolder(), "token");
    writeFileSync(file, content);
    const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--control-token-file", file]);
    expectRefusal(run, 2, "16 to 200");
  });
});

describe("a good value does what it says", () => {
  test.each<[flags: string[], config: Partial<SandboxConfig>]>([
    [["--outcome", "pin_locked", "--after", "24h"], { fallback: { outcome: "pin_locked", afterMs: 86_400_000 } }],
    [["--prompt-timeout", "1s"], { promptTimeoutMs: 1000 }],
    [["--fee", "1.5%+10"], { tariff: { basisPoints: 150, fixedCents: 1000 } }],
    [["--accept", "lenient"], { profile: { accept: "lenient" } }],
    [["--response-form", "short"], { profile: { response_form: "short" } }],
    [["--base-path", "/"], { basePaths: [""] }],
    [["--base-path", "/1/2/3/4/5/6/7"], { basePaths: ["/1/2/3/4/5/6/7"] }],
    [["--base-path", `/${"a".repeat(99)}`], { basePaths: [`/${"a".repeat(99)}`] }],
    [["--webhook", "https://shop.example/hook"], { webhook: "https://shop.example/hook" }],
  ])("%j", async (flags, config) => {
    expect(await configFrom(...flags)).toMatchObject(config);
  });

  test("a flag that is not given has its documented default", async () => {
    expect(await configFrom()).toEqual({
      basePaths: ["/v2", "/api/v2"],
      profile: {},
      fallback: { outcome: "completed", afterMs: null },
      promptTimeoutMs: 60_000,
      tariff: null,
      rules: [],
      webhook: null,
    });
  });

  test.concurrent("--outcome, --after, --accept and --base-path reach the server; --fee also with existing data", async () => {
    const flags = "--outcome pin_locked --after 0s --accept lenient --base-path /api --fee 10";
    const server = await serveMomo(flags.split(" "));
    expect(server.ready.base_url).toEndWith("/api");
    const order = { payment_account_id: 1, phone: "0712345678", amount: "1000" };
    await server.post("/stkpush.php", order);
    await server.stop();
    const again = await serveMomo([...server.at, "--fee", "2%", "--accept", "lenient"]);
    await again.post("/stkpush.php", order);
    const { transactions } = (await (await again.get("/transactions.php")).json()) as { transactions: object[] };
    expect(transactions).toMatchObject([{ fee_amount: 20 }, { fee_amount: 10, status: "failed", result_code: 8006 }]);
  });

  test.concurrent.each([
    [["/v2", "/api/v2"], ["/v2", "/api/v2"], "/v3"],
    [[""], [""], "/v2"],
    [["/1/2/3/4/5/6/7"], ["/1/2/3/4/5/6/7"], "/v2"],
  ] as const)("the base paths %j are served, and no other", async (basePaths, served, other) => {
    const { origin, headers, at } = await startIn(newFolder(), { basePaths: basePaths as SandboxConfig["basePaths"] });
    const statusAt = async (base: string) => (await fetch(`${origin}${base}/transactions.php`, { headers })).status;
    for (const base of served) expect(await statusAt(base)).toBe(200);
    expect(await statusAt(other)).toBe(404);
    expect((await runMomo(["pay", "0712345678", "1", ...at])).exitCode).toBe(0);
  });

  test.concurrent.each(["::1", "::"])("--host %s", async (host) => {
    const { baseUrl, at } = await startIn(newFolder(), { host });
    expect(baseUrl).toStartWith("http://[::1]:");
    expect((await runMomo(["pay", "0712345678", "1", ...at])).exitCode).toBe(0);
  });
});

describe("--rules FILE", () => {
  function fileWith(content: string | Uint8Array): string {
    const file = join(newFolder(), "rules.json");
    writeFileSync(file, content);
    return file;
  }

  test("its rules are in force from the first payment on", async () => {
    const file = fileWith('{"rules":[{"match":{"amount":7},"outcome":"cancelled","after":"0s"}]}');
    const sandbox = await startIn(newFolder(), await configFrom("--rules", file));
    expect(await sandbox.statusOf(await sandbox.pay({ amount: 7 }))).toBe("cancelled");
  });

  test.each<[name: string, file: string, says: string]>([
    [
      "a bad phone",
      fileWith('[{"outcome":"completed"},{"match":{"phone":"7"},"outcome":"x"}]'),
      "rules[1].match.phone must be",
    ],
    ["no JSON", fileWith("[{]"), "it is not JSON: write one rule, or an array of them"],
    ["nothing", fileWith(""), "it is not JSON"],
    ["no UTF-8", fileWith(new Uint8Array([0x5b, 0xff, 0x5d])), ""],
    ["a byte too much", fileWith(`[${" ".repeat(1024 * 1024 - 1)}]`), "larger than 1048576 bytes"],
    ["no such file", join(newFolder(), "none.json"), "there is no such file"],
    ["a folder", newFolder(), "it cannot be read (EISDIR)"],
  ])("%s: one line that names the file and the place", async (_name, file, says) => {
    const { code, message } = await failureFrom("--rules", file);
    expect(code).toBe("usage");
    expect(message).toStartWith(`--rules ${file}: ${says}`);
    expect(message).not.toContain("\n");
  });

  test("a file of 1 MiB is read", async () => {
    expect((await configFrom("--rules", fileWith(`[${" ".repeat(1024 * 1024 - 2)}]`))).rules).toEqual([]);
  });
});

describe("--profile NAME or FILE", () => {
  const fileWith = (content: string): string => {
    const file = join(newFolder(), "my-service.json");
    writeFileSync(file, content);
    return file;
  };

  test("a file's members are in force, named by the file, and a flag wins", async () => {
    const members = '{"base_path":"/pay/v2","accept":"lenient","phone":"0","fee":"2%","prompt_timeout":"30s"}';
    const config = await configFrom("--profile", fileWith(members), "--accept", "strict", "--fee", "10");
    expect(config).toMatchObject({
      ...{ basePaths: ["/pay/v2"], promptTimeoutMs: 30_000, tariff: { basisPoints: 0, fixedCents: 1000 } },
      profile: { name: "my-service", accept: "strict", phone: "0" },
    });
    const sandbox = await startIn(newFolder(), config);
    await sandbox.pay({ phone: "254712345678" });
    expect(await sandbox.list()).toMatchObject([{ phone: "0712345678", fee_amount: 10 }]);
    expect(await sandbox.control("GET", "/server")).toMatchObject({ profile: "my-service", prompt_timeout_ms: 30_000 });
  });

  test.each<[name: string, file: string, says: string]>([
    ["an unknown name", "payflo", "no profile of this name; the names are payflow, spawiko, shadowpay, optimapay"],
    ["an unknown member", fileWith('{"arrays":"data"}'), 'there is no member "arrays"; the members are name'],
    ["no JSON", fileWith("{"), "it is not JSON: write an object"],
    ["a folder", newFolder(), "it cannot be read (EISDIR)"],
    ["a byte too much", fileWith(`{${" ".repeat(1024 * 1024 - 1)}}`), "larger than 1048576 bytes"],
  ])("%s: one line that names the file and the place", async (_name, file, says) => {
    const { code, message } = await failureFrom("--profile", file);
    expect(code).toBe("usage");
    expect(message).toStartWith(`--profile ${file}: `);
    expect(message).toContain(says);
    expect(message).not.toContain("\n");
  });
});

const API_KEY = `mk_${"MyOwnKey".repeat(2)}`;
const API_SECRET = `ms_${"MyOwnKey".repeat(4)}`;
const OWN_KEY = { MOMO_API_KEY: API_KEY, MOMO_API_SECRET: API_SECRET };

const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 5 };

describe("every option of serve can come from the environment", () => {
  test.concurrent("port, outcome, time, ephemeral, JSON, ready file and fee", async () => {
    const readyFile = join(newFolder(), "ready.json");
    const env = {
      MOMO_SERVE_PORT: "0",
      MOMO_SERVE_OUTCOME: "cancelled",
      MOMO_SERVE_AFTER: "0s",
      MOMO_SERVE_EPHEMERAL: "1",
      MOMO_SERVE_JSON: "true",
      MOMO_SERVE_READY_FILE: readyFile,
      MOMO_SERVE_FEE: "10",
    };
    const child = startMomo(["serve"], { env });
    const [line] = await child.stdout.until(/^.*\n/);
    const ready = JSON.parse(line) as ReadyRecord;
    expect(JSON.parse(readFileSync(readyFile, "utf8"))).toEqual(ready);
    const headers = { "X-API-Key": ready.api_key, "X-API-Secret": ready.api_secret };
    const json = { ...headers, "Content-Type": "application/json" };
    await fetch(`${ready.base_url}/stkpush.php`, { method: "POST", headers: json, body: JSON.stringify(ORDER) });
    const list = await (await fetch(`${ready.base_url}/transactions.php`, { headers })).json();
    expect(list).toMatchObject({ transactions: [{ status: "cancelled", fee_amount: 10 }] });
    child.signal("SIGTERM");
    expect(await child.exited).toBe(0);
    expect([existsSync(ready.data), existsSync(readyFile)]).toEqual([false, false]);
  });

  test.concurrent("a flag wins; an empty variable and a switch that is 0 count as not set", async () => {
    const env = {
      MOMO_SERVE_OUTCOME: "cancelled",
      MOMO_SERVE_EPHEMERAL: "0",
      MOMO_SERVE_QUIET: "false",
      MOMO_SERVE_FEE: "",
    };
    const { get, post } = await serveMomo(["--outcome", "wrong_pin", "--after", "0s"], { env });
    await post("/stkpush.php", ORDER);
    expect(await (await get("/transactions.php")).json()).toMatchObject({ transactions: [{ result_code: 2001 }] });
  });

  test.concurrent.each([
    [{ MOMO_SERVE_PORT: "http" }, /MOMO_SERVE_PORT must be a port .*it is "http"/],
    [{ MOMO_SERVE_OUTCOME: "paid" }, /MOMO_SERVE_OUTCOME must be one of completed/],
    [{ MOMO_SERVE_EPHEMERAL: "maybe" }, /MOMO_SERVE_EPHEMERAL must be 1 or 0; it is "maybe"/],
    [{ MOMO_SERVE_OUTCOM: "cancelled" }, /MOMO_SERVE_OUTCOM is set, and momo serve has no such option/],
    [{ MOMO_SERVE_AFTER: "3" }, /MOMO_SERVE_AFTER is not a duration/],
    [{ MOMO_SERVE_EPHEMERAL: "1", MOMO_SERVE_DATA: "x" }, /MOMO_SERVE_(?:EPHEMERAL|DATA)/],
    [{ MOMO_CONTROL_TOKEN: "a".repeat(15) }, /MOMO_CONTROL_TOKEN must be 16 to 200/],
    [{ MOMO_API_KEY: API_KEY }, /MOMO_API_KEY is set, and MOMO_API_SECRET is not/],
    [{ MOMO_API_SECRET: API_SECRET }, /MOMO_API_SECRET is set, and MOMO_API_KEY is not/],
    [{ ...OWN_KEY, MOMO_API_KEY: "mk_short" }, /MOMO_API_KEY must be mk_ and 16 to 64 .*; it is "mk_short"/],
    [{ ...OWN_KEY, MOMO_API_SECRET: "ms_dash-dash" }, /MOMO_API_SECRET must be ms_ and 32 to 128/],
  ] as [Record<string, string>, RegExp][])("a refusal names the variable: %j", async (env, message) => {
    const run = await runMomo(["serve"], { env: { MOMO_SERVE_PORT: "0", ...env } });
    expect(run.stderr).not.toContain("dash-dash");
    expectRefusal(run, 2, message);
  });
});
