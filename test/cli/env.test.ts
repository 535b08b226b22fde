import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, ready } = await serveMomo();
const expected = {
  MOMO_BASE_URL: ready.base_url,
  MOMO_API_KEY: ready.api_key,
  MOMO_API_SECRET: ready.api_secret,
  MOMO_PAYMENT_ACCOUNT_ID: "1",
  MOMO_CONTROL_URL: ready.control_url,
};
const linesOf = (line: (name: string, value: string) => string) =>
  Object.entries(expected)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join("");

test.concurrent("`momo env` prints MOMO_* for eval, in each format", async () => {
  const print = async (format: string) => (await runMomo(["env", ...at, "--format", format])).stdout;
  const [plain, shell, dotenv, github, json] = await Promise.all([
    runMomo(["env", ...at]).then(({ stdout }) => stdout),
    ...["shell", "dotenv", "github", "json"].map(print),
  ]);
  expect(shell).toBe(linesOf((name, value) => `export ${name}='${value}'`));
  expect(plain).toBe(shell as string);
  expect(dotenv).toBe(linesOf((name, value) => `${name}="${value}"`));
  expect(github).toBe(linesOf((name, value) => `${name}=${value}`));
  expect(JSON.parse(json as string)).toEqual(expected);
});

test.concurrent('`eval "$(momo env)"` in sh: the next commands find the server without flags', async () => {
  const script = 'eval "$("$@" env --data "$DATA")" && exec "$@" pay 0712345678 100 -q';
  const run = await runToEnd(["sh", "-euc", script, "sh", ...PROGRAM], { env: { DATA: ready.data } });
  expect(run).toEqual({ stdout: expect.stringMatching(/^ws_CO_/), stderr: "", exitCode: 0 });
});

test.concurrent("a server that is named with flags, as the hints of `momo env` say", async () => {
  const named = ["--base-url", ready.base_url, "--api-key", "mk_1", "--api-secret", "ms_1"];
  const { stdout } = await runMomo(["env", ...named, "--format", "json"]);
  const { MOMO_PAYMENT_ACCOUNT_ID: _, ...others } = expected;
  expect(JSON.parse(stdout)).toEqual({ ...others, MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" });
});

test.concurrent("a value that a shell would obey is quoted", async () => {
  const server = await serveMomo(["--base-path", "/v2"]);
  const env = { MOMO_BASE_URL: server.ready.base_url, MOMO_API_KEY: "a'$(id)`id`\"\\b", MOMO_API_SECRET: "$HOME" };
  const script = 'eval "$("$@" env)" && printf "%s\\n" "$MOMO_API_KEY" "$MOMO_API_SECRET"';
  const run = await runToEnd(["sh", "-euc", script, "sh", ...PROGRAM], { env });
  expect(run.stdout).toBe(`${env.MOMO_API_KEY}\n${env.MOMO_API_SECRET}\n`);
});

test.concurrent("`momo env` without a running server: exit 6, and no variables that lead nowhere", async () => {
  const stopped = await serveMomo();
  await stopped.kill();
  for (const flags of [stopped.at, []]) {
    const run = await runMomo(["env", ...flags]);
    expect(run).toMatchObject({ stdout: "", exitCode: 6 });
    expect(run.stderr).toContain("momo serve");
  }
});

test.concurrent("`env` of a server off loopback hands on its control token", async () => {
  const open = await serveMomo(["--host", "0.0.0.0"]);
  const { stdout } = await runMomo(["env", ...open.at, "--format", "json"]);
  const { MOMO_CONTROL_URL: url, MOMO_CONTROL_TOKEN: token } = JSON.parse(stdout);
  expect((await fetch(`${url}/clock`)).status).toBe(401);
  expect((await fetch(`${url}/clock`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
});

test.concurrent("`momo env` of a server that refuses the control token: exit 4", async () => {
  const open = await serveMomo(["--host", "0.0.0.0"]);
  const run = await runMomo(["env", ...open.at], { env: { MOMO_CONTROL_TOKEN: "not-the-token-at-all" } });
  expect(run).toMatchObject({ stdout: "", exitCode: 4 });
  expect(() => failureOf(run)).toThrow(); // without --json it is one line for people
  expect(run.stderr).toContain("MOMO_CONTROL_TOKEN");
});
