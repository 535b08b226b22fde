import { afterAll, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const { at, baseUrl, controlUrl, headers } = await startIn(newFolder());
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
  expect(await runMomo(["env", ...killed.at])).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("momo serve"),
    exitCode: 6,
  });
});

test.concurrent("off loopback: the control token too; exit 4 with a wrong one", async () => {
  const controlToken = "a-control-token-of-ours";
  const open = await startIn(newFolder(), { host: "0.0.0.0", controlToken });
  const { stdout } = await runMomo(["env", ...open.at, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ MOMO_CONTROL_URL: open.controlUrl, MOMO_CONTROL_TOKEN: controlToken });
  const env = { MOMO_CONTROL_TOKEN: "not-the-token-at-all" };
  expect(await runMomo(["env", ...open.at], { env })).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^momo: .*\n.*MOMO_CONTROL_TOKEN/),
    exitCode: 4,
  });
});

test.concurrent("--base-url chooses the sandbox that is steered, whatever MOMO_CONTROL_URL is", async () => {
  const named = await startIn(newFolder());
  const env = { MOMO_CONTROL_URL: controlUrl };
  expect((await runMomo(["clock", "freeze", "--base-url", named.baseUrl], { env })).exitCode).toBe(0);
  expect(await named.control("GET", "/clock")).toMatchObject({ frozen: true });
});
