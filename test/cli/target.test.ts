import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { merchantClient } from "../../cli/client/client.ts";
import { knownControl, resolveControl, resolveTarget, type TargetFlags } from "../../cli/client/target.ts";
import { type Failure, toFailure } from "../../cli/terminal/failure.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { expectRefusal, PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const { at, baseUrl, controlUrl, headers, control } = await startIn(newFolder());
const [, data] = at;
const OTHER_KEY = { apiKey: "mk_flag", apiSecret: "ms_flag" };

/** Runs `act` in this process with only these variables of momo's; `act` must be synchronous. */
function withVariables<T>(variables: Record<string, string>, act: () => T): T {
  const before = { ...process.env };
  for (const name of Object.keys(before)) if (name.startsWith("MOMO_")) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    return act();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

const targetOf = (flags: TargetFlags, variables: Record<string, string> = {}) =>
  withVariables(variables, () => resolveTarget({ data, ...flags }));

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    return toFailure(error);
  }
  throw new Error("it did not fail");
}

describe("which server: flag > MOMO_* > the data directory", () => {
  const VARIABLES = {
    MOMO_BASE_URL: "http://127.0.0.1:1/env",
    MOMO_API_KEY: "mk_env",
    MOMO_API_SECRET: "ms_env",
    MOMO_PAYMENT_ACCOUNT_ID: "42",
  };
  const saved = { baseUrl, apiKey: headers["X-API-Key"], apiSecret: headers["X-API-Secret"], paymentAccountId: 1 };
  const named = { baseUrl: "http://127.0.0.1:1/env", apiKey: "mk_env", apiSecret: "ms_env", paymentAccountId: 42 };

  const byFlags = { baseUrl: "http://127.0.0.1:1/flag", ...OTHER_KEY, account: 7 };
  test.each<[what: string, flags: TargetFlags, variables: Record<string, string>, target: object]>([
    ["the data directory's", {}, {}, saved],
    ["MOMO_* go before the data directory", {}, VARIABLES, named],
    ["flags go before MOMO_*", byFlags, VARIABLES, { ...OTHER_KEY, baseUrl: byFlags.baseUrl, paymentAccountId: 7 }],
    ["an empty variable counts as not set", {}, { MOMO_BASE_URL: "", MOMO_API_KEY: "", MOMO_API_SECRET: "" }, saved],
  ])("%s", (_what, flags, variables, target) => {
    expect(targetOf(flags, variables)).toMatchObject(target);
  });

  test.concurrent("momo pay sends what the flags and the environment name", async () => {
    const accounts: unknown[] = [];
    const server = serveFake(async (request) => {
      accounts.push(((await request.json()) as { payment_account_id: number }).payment_account_id);
      return Response.json({ success: true, message: "sent", checkout_request_id: "ws_CO_1" });
    });
    const pay = (flags: string[], env: Record<string, string>) =>
      runMomo(["pay", "0712345678", "1", "-q", ...flags], { env });
    const byVariables = await pay([...at], { ...VARIABLES, MOMO_BASE_URL: server.baseUrl });
    expect(byVariables.stdout).toBe("ws_CO_1\n");
    await pay([...flagsOf(server), "--account", "7"], VARIABLES);
    const keys = server.requests.map(({ headers: sent }) => `${sent.get("X-API-Key")} ${sent.get("X-API-Secret")}`);
    expect(keys).toEqual(["mk_env ms_env", "mk_nobody ms_nobody"]);
    expect(accounts).toEqual([42, 7]);
  });

  test.concurrent("the data directory: --data, then MOMO_DATA, then $XDG_DATA_HOME/momo", async () => {
    const list = (flags: string[], env: Record<string, string>) => runMomo(["list", "-q", ...flags], { env });
    expect((await list(["--data", data], { MOMO_DATA: newFolder() })).exitCode).toBe(0);
    expect((await list([], { MOMO_DATA: data })).exitCode).toBe(0);
    const share = newFolder();
    await startIn(join(share, "momo"));
    expect((await list([], { XDG_DATA_HOME: share })).exitCode).toBe(0);
    expect((await list([], { XDG_DATA_HOME: "share" })).stderr).toContain("/.local/share/momo");
  });
});

test("the control API of a payment service is that of MOMO_CONTROL_URL or of the running server, unless --base-url names another", () => {
  const variables = { MOMO_CONTROL_URL: "http://127.0.0.1:1/_momo" };
  const known = (flags: TargetFlags, environment: Record<string, string> = {}) =>
    withVariables(environment, () => knownControl({ data, ...flags })?.controlUrl ?? null);
  const elsewhere = { baseUrl: "http://127.0.0.1:1/v2" };
  expect([known({}, variables), known(elsewhere, variables)]).toEqual([variables.MOMO_CONTROL_URL, null]);
  expect([known({}), known({ baseUrl: `${baseUrl}/` }), known(elsewhere)]).toEqual([controlUrl, controlUrl, null]);
});

describe("an invalid value is a usage error that names its flag or variable", () => {
  const HEADER = "must be 1 to 200 visible ASCII characters without spaces";
  const key = { apiKey: "mk_1", apiSecret: "ms_1" };
  const variables = { MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" };
  test.each<[flags: TargetFlags, variables: Record<string, string>, message: string]>([
    [{}, { MOMO_BASE_URL: "127.0.0.1:2547" }, "MOMO_BASE_URL"],
    [{}, { MOMO_BASE_URL: "ftp://127.0.0.1/v2" }, "MOMO_BASE_URL"],
    [{}, { ...variables, MOMO_API_KEY: "mk 1" }, `MOMO_API_KEY ${HEADER}`],
    [{}, { ...variables, MOMO_API_SECRET: "é" }, `MOMO_API_SECRET ${HEADER}`],
    [{ ...key, apiKey: "x".repeat(201) }, {}, `--api-key ${HEADER}`],
    [{ ...key, apiSecret: "" }, {}, `--api-secret ${HEADER}`],
    [{}, { MOMO_PAYMENT_ACCOUNT_ID: "first" }, "MOMO_PAYMENT_ACCOUNT_ID must be a whole number from 1"],
  ])("%j %j", (flags, environment, message) => {
    const failure = failureOf(() => targetOf(flags, environment));
    expect(failure).toMatchObject({ code: "usage", message: expect.stringMatching(new RegExp(`^${message}`)) });
  });

  test("an empty --base-url does not mean the data directory's server", () => {
    for (const resolve of [resolveTarget, resolveControl]) {
      const { code, message } = failureOf(() => withVariables({}, () => resolve({ baseUrl: "", data })));
      expect({ code, message }).toEqual({ code: "usage", message: expect.stringContaining("--base-url") });
    }
  });

  test("the example for MOMO_CONTROL_URL is an address of the control API", () => {
    const failure = failureOf(() => withVariables({ MOMO_CONTROL_URL: "garbage" }, () => resolveControl({})));
    expect(failure.message).toBe(
      'MOMO_CONTROL_URL is not an address such as http://127.0.0.1:2547/_momo; it is "garbage"',
    );
  });

  test.concurrent("an empty --data does not mean the current folder", async () => {
    const run = await runMomo(["merchants", "create", "--name", "x", "--data", ""], { cwd: newFolder() });
    expectRefusal(run, 2, "--data");
  });
});

describe("the data directory's secret is not sent elsewhere: a usage error, and the flag's name", () => {
  test.each([
    "http://momo.invalid/v2",
    "http://127.0.0.1.invalid/v2",
    "http://localhost.invalid/v2",
    "http://localhost:1@momo.invalid/v2",
    "http://momo.invalid\\@127.0.0.1/v2",
  ])("to %s", (url) => {
    expect(failureOf(() => targetOf({ baseUrl: url })).code).toBe("usage");
    expect(failureOf(() => targetOf({}, { MOMO_BASE_URL: url })).code).toBe("usage");
  });

  test("to another host it needs --api-key; with another key it needs --api-secret", () => {
    expect(failureOf(() => targetOf({ baseUrl: "http://momo.invalid/v2" })).hint).toContain("--api-key");
    expect(failureOf(() => targetOf({ apiKey: "mk_other" })).hint).toContain("--api-secret");
  });

  test.concurrent("momo pay ends with 2", async () => {
    const run = await runMomo(["pay", "0712345678", "1", "--base-url", "http://momo.invalid/v2", ...at]);
    expectRefusal(run, 2, "--api-key");
  });
});

describe("a damaged record in the data directory is named, and no value is guessed", () => {
  for (const file of ["server.json", "credentials.json"]) {
    test.each(["", "not json", "{}", '{"base_url":5}', "\xff"])(`${file} with %j`, (content) => {
      const folder = newFolder();
      writeFileSync(join(folder, file), Buffer.from(content, "latin1"));
      const flags = { data: folder, ...(file === "credentials.json" && { baseUrl }) };
      const { code, message } = failureOf(() => targetOf(flags));
      expect({ code, message }).toEqual({ code: "unexpected", message: expect.stringContaining(join(folder, file)) });
    });
  }
});

test("a refused key: the hint names the flag, the variables or the file that it came from", async () => {
  const { api_key, api_secret } = await control("POST", "/keys", { label: "revoked" });
  await control("DELETE", `/keys/${api_key}`);
  const folder = newFolder();
  const record = { merchant_id: 1, payment_account_id: 1, api_key, api_secret };
  writeFileSync(join(folder, "credentials.json"), JSON.stringify(record), { mode: 0o600 });
  const environment = { MOMO_API_KEY: "mk_env", MOMO_API_SECRET: "ms_env" };
  for (const [target, hint] of [
    [targetOf(OTHER_KEY, environment), "mk_flag and its secret came from --api-key"],
    [targetOf({}, environment), "mk_env and its secret came from MOMO_API_KEY and MOMO_API_SECRET in the environment"],
    [targetOf({ baseUrl, data: folder }), `came from ${folder}/credentials.json: stop and start momo serve`],
  ] as const) {
    const failure = toFailure(
      await merchantClient(target)
        .get("/transactions.php", {})
        .catch((error) => error),
    );
    expect(failure).toMatchObject({ code: "unauthorized", hint: expect.stringContaining(hint) });
  }
});

const VARIABLES = {
  MOMO_BASE_URL: baseUrl,
  MOMO_API_KEY: String(headers["X-API-Key"]),
  MOMO_API_SECRET: String(headers["X-API-Secret"]),
  MOMO_PAYMENT_ACCOUNT_ID: "1",
  MOMO_CONTROL_URL: controlUrl,
};

const linesWith = (line: (name: string, value: string) => string) =>
  Object.entries(VARIABLES)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join("");
const asShell = linesWith((name, value) => `export ${name}='${value}'`);

test.concurrent.each([
  [[], asShell],
  [["--format", "shell"], asShell],
  [["--format", "powershell"], linesWith((name, value) => `$env:${name} = '${value}'`)],
  [["--format", "dotenv"], linesWith((name, value) => `${name}="${value}"`)],
  [["--format", "github"], linesWith((name, value) => `${name}=${value}`)],
  [["--format", "json"], `${JSON.stringify(VARIABLES)}\n`],
])("momo env %j prints MOMO_*", async (flags, stdout) => {
  expect(await runMomo(["env", ...at, ...flags])).toEqual({ stdout, stderr: "", exitCode: 0 });
});

test.concurrent('after `eval "$(momo env)"` in sh, commands find the server without flags', async () => {
  const script = 'eval "$("$@" env --data "$DATA")" && exec "$@" pay 0712345678 100 -q';
  const run = await runToEnd(["sh", "-euc", script, "sh", ...PROGRAM], { env: { DATA: at[1] } });
  expect(run).toEqual({ stdout: expect.stringMatching(/^ws_CO_/), stderr: "", exitCode: 0 });
});

test.concurrent("a value with shell syntax is quoted", async () => {
  const env = { MOMO_BASE_URL: baseUrl, MOMO_API_KEY: "a'$(id)`id`\"\\b", MOMO_API_SECRET: "$HOME" };
  const script = 'eval "$("$@" env)" && printf "%s\\n" "$MOMO_API_KEY" "$MOMO_API_SECRET"';
  const run = await runToEnd(["sh", "-euc", script, "sh", ...PROGRAM], { env });
  expect(run.stdout).toBe(`${env.MOMO_API_KEY}\n${env.MOMO_API_SECRET}\n`);
  const dotenv = (await runMomo(["env", "--format", "dotenv"], { env })).stdout;
  expect(dotenv).toContain('MOMO_API_KEY="a\'\\$(id)\\`id\\`\\"\\\\b"\nMOMO_API_SECRET="\\$HOME"\n');
});

test.concurrent("a server and a key that flags name: no payment account is known for them", async () => {
  const named = ["--base-url", baseUrl, "--api-key", "mk_1", "--api-secret", "ms_1"];
  const { stdout } = await runMomo(["env", ...named, "--json"]);
  const { MOMO_PAYMENT_ACCOUNT_ID: _, ...others } = VARIABLES;
  expect(JSON.parse(stdout)).toEqual({ ...others, MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" });
});

test.concurrent("a server that was killed: exit 6, and no variables", async () => {
  const killed = await serveMomo();
  await killed.kill();
  expectRefusal(await runMomo(["env", ...killed.at]), 6, "momo serve");
});

test.concurrent("off loopback: the control token too; exit 4 with a wrong one", async () => {
  const controlToken = "a-control-token-of-ours";
  const open = await startIn(newFolder(), { host: "0.0.0.0", controlToken });
  const { stdout } = await runMomo(["env", ...open.at, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ MOMO_CONTROL_URL: open.controlUrl, MOMO_CONTROL_TOKEN: controlToken });
  const env = { MOMO_CONTROL_TOKEN: "not-the-token-at-all" };
  expectRefusal(await runMomo(["env", ...open.at], { env }), 4, /^momo: .*\n.*MOMO_CONTROL_TOKEN/);
});

test.concurrent("--base-url chooses the sandbox that is steered, whatever MOMO_CONTROL_URL is", async () => {
  const named = await startIn(newFolder());
  const env = { MOMO_CONTROL_URL: controlUrl };
  expect((await runMomo(["clock", "freeze", "--base-url", named.baseUrl], { env })).exitCode).toBe(0);
  expect(await named.control("GET", "/clock")).toMatchObject({ frozen: true });
});
