import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

const API_KEY = "mk_MyOwnKey0123456789";
const API_SECRET = `ms_MyOwn${"Secret9".repeat(6)}`;
const OWN_KEY = { MOMO_API_KEY: API_KEY, MOMO_API_SECRET: API_SECRET };
const TOKEN = "a-token-of-my-own-42";

describe("every option of serve can come from the environment", () => {
  test.concurrent("MOMO_SERVE_PORT, _OUTCOME, _EPHEMERAL, _JSON, _READY_FILE and _FEE", async () => {
    const readyFile = join(newFolder(), "ready.json");
    const env = {
      MOMO_SERVE_PORT: "0",
      MOMO_SERVE_OUTCOME: "cancelled",
      MOMO_SERVE_AFTER: "10ms",
      MOMO_SERVE_EPHEMERAL: "1",
      MOMO_SERVE_JSON: "true",
      MOMO_SERVE_READY_FILE: readyFile,
      MOMO_SERVE_FEE: "10",
    };
    const child = startMomo(["serve"], { env });
    const [line] = await child.stdout.until(/^.*\n/);
    const ready = JSON.parse(line);
    expect(JSON.parse(readFileSync(readyFile, "utf8"))).toEqual(ready);
    const paid = await runMomo([
      "pay",
      "0712345678",
      "100",
      "--data",
      ready.data,
      "--wait",
      "--interval",
      "50ms",
      "--json",
    ]);
    expect(paid.exitCode).toBe(11);
    const listed = await runMomo(["list", "--data", ready.data, "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ transactions: [{ status: "cancelled", fee_amount: 10 }] });
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
    const { at, ready, post } = await serveMomo(["--outcome", "wrong_pin", "--after", "10ms"], { env });
    const order = { payment_account_id: ready.payment_account_id, phone: "0712345678", amount: 5 };
    const { checkout_request_id } = (await (await post("/stkpush.php", order)).json()) as {
      checkout_request_id: string;
    };
    const { stdout } = await runMomo(["status", checkout_request_id, ...at, "--wait", "--interval", "50ms", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "failed", result_code: 2001 });
  });

  test.concurrent.each([
    [{ MOMO_SERVE_PORT: "http" }, /MOMO_SERVE_PORT must be a port .*it is "http"/],
    [{ MOMO_SERVE_OUTCOME: "paid" }, /MOMO_SERVE_OUTCOME must be one of completed/],
    [{ MOMO_SERVE_EPHEMERAL: "maybe" }, /MOMO_SERVE_EPHEMERAL must be 1 or 0; it is "maybe"/],
    [{ MOMO_SERVE_OUTCOM: "cancelled" }, /MOMO_SERVE_OUTCOM is set, and momo serve has no such option/],
    [{ MOMO_SERVE_AFTER: "3" }, /MOMO_SERVE_AFTER is not a duration/],
    [{ MOMO_SERVE_RULES: "/nowhere/rules.json" }, /MOMO_SERVE_RULES/],
    [{ MOMO_SERVE_CONTROL_TOKEN_FILE: "/nowhere/token" }, /MOMO_SERVE_CONTROL_TOKEN_FILE .*cannot be read/],
    [{ MOMO_SERVE_EPHEMERAL: "1", MOMO_SERVE_DATA: "x" }, /MOMO_SERVE_(?:EPHEMERAL|DATA)/],
    [{ MOMO_CONTROL_TOKEN: "short" }, /MOMO_CONTROL_TOKEN must be 16 to 200/],
    [{ MOMO_API_KEY: API_KEY }, /MOMO_API_KEY is set, and MOMO_API_SECRET is not/],
    [{ MOMO_API_SECRET: API_SECRET }, /MOMO_API_SECRET is set, and MOMO_API_KEY is not/],
    [
      { ...OWN_KEY, MOMO_API_KEY: "mk_short" },
      /MOMO_API_KEY must be mk_ and 16 to 64 letters and digits; it is "mk_short"/,
    ],
    [{ ...OWN_KEY, MOMO_API_SECRET: "ms_dash-dash" }, /MOMO_API_SECRET must be ms_ and 32 to 128/],
  ] as [Record<string, string>, RegExp][])("a refusal names the variable: %j", async (env, message) => {
    const run = await runMomo(["serve"], { env: { MOMO_SERVE_PORT: "0", ...env } });
    expect(run.stderr).not.toContain("dash-dash");
    expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringMatching(message) });
  });
});

test.concurrent("a start that fails at a variable leaves no stale ready file that another variable names", async () => {
  for (const bad of [{ MOMO_SERVE_PORT: "x" }, { MOMO_SERVE_QUIET: "maybe" }]) {
    const file = join(newFolder(), "ready.json");
    writeFileSync(file, "{}");
    expect((await runMomo(["serve"], { env: { MOMO_SERVE_READY_FILE: file, ...bad } })).exitCode).toBe(2);
    expect(existsSync(file)).toBe(false);
  }
});

describe("the first key, secret and control token can be known beforehand", () => {
  test.concurrent("MOMO_API_KEY and MOMO_API_SECRET are the first key of an empty data directory, also after a restart", async () => {
    const data = join(newFolder(), "data");
    for (const env of [OWN_KEY, OWN_KEY, {}]) {
      const { ready, get, stop, child } = await serveMomo(["--data", data], { env });
      expect(ready).toMatchObject({ api_key: API_KEY, api_secret: API_SECRET });
      expect((await get("/transactions.php")).status).toBe(200);
      await stop();
      expect(child.stderr.text).toBe("");
    }
    expect((await runMomo(["doctor", "--data", data])).stdout).not.toContain(API_SECRET);
  });

  test.concurrent("a data directory with a key keeps it, and says that the variable is not taken", async () => {
    const data = join(newFolder(), "data");
    const first = await serveMomo(["--data", data]);
    await first.stop();
    const second = await serveMomo(["--data", data], { env: OWN_KEY });
    expect(second.ready.api_key).toBe(first.ready.api_key);
    await second.stop();
    expect(second.child.stderr.text).toContain(
      `MOMO_API_KEY is not taken, because this data directory has a key already: mk_`,
    );
  });

  test.concurrent.each(["127.0.0.1", "0.0.0.0"])(
    "MOMO_CONTROL_TOKEN is asked for on %s, and a file given as a flag wins",
    async (host) => {
      const env = { MOMO_CONTROL_TOKEN: TOKEN };
      const file = join(newFolder(), "token");
      writeFileSync(file, "another-token-of-mine\n", { mode: 0o600 });
      const [byVariable, byFile] = await Promise.all([
        serveMomo(["--host", host], { env }),
        serveMomo(["--host", host, "--control-token-file", file], { env }),
      ]);
      const status = async ({ ready }: typeof byFile, token: string) =>
        (await fetch(`${ready.control_url}/clock`, { headers: { Authorization: `Bearer ${token}` } })).status;
      expect([await status(byVariable, TOKEN), await status(byVariable, "another-token-of-mine")]).toEqual([200, 401]);
      expect([await status(byFile, TOKEN), await status(byFile, "another-token-of-mine")]).toEqual([401, 200]);
    },
  );
});

describe("serve --until-stdin-closes ends with the program that started it", () => {
  const flags = ["serve", "--ephemeral", "--port", "0", "--json", "--until-stdin-closes"];

  test.concurrent("it serves while standard input is open, and stops in order when it closes", async () => {
    const home = newFolder();
    const env = { HOME: home, TMPDIR: home, PATH: process.env.PATH ?? "" };
    const child = Bun.spawn([...PROGRAM, ...flags], { env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    later(() => child.kill("SIGKILL"));
    const { value } = await child.stdout.getReader().read();
    const ready = JSON.parse(new TextDecoder().decode(value));
    expect((await fetch(`${ready.control_url}/health`)).status).toBe(200);
    expect(existsSync(ready.data)).toBe(true);
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(existsSync(ready.data)).toBe(false);
  });

  test.concurrent("a start that fails ends, though standard input stays open", async () => {
    const env = { TMPDIR: newFolder(), PATH: process.env.PATH ?? "" };
    const child = Bun.spawn([...PROGRAM, ...flags, "--after", "soon"], {
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    later(() => child.kill("SIGKILL"));
    expect(await child.exited).toBe(2);
  });
});
