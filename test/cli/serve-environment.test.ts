import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_KEY_FORM, API_SECRET_FORM } from "../../src/domain/credentials.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { cleanEnvironment, PROGRAM, type ReadyRecord, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

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
    expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringMatching(message) });
  });
});

describe("the first key and the control token can be known beforehand", () => {
  test.each([
    [API_KEY_FORM, "mk_", 16, 64],
    [API_SECRET_FORM, "ms_", 32, 128],
  ])("%p: %s and %d to %d letters and digits", (form, prefix, least, most) => {
    const isTaken = (length: number) => form.test(prefix + "aB3".repeat(50).slice(0, length));
    expect([least - 1, least, most, most + 1].map(isTaken)).toEqual([false, true, true, false]);
  });

  test.concurrent("MOMO_API_KEY and MOMO_API_SECRET are the first key of an empty data directory, also after restarts", async () => {
    const data = join(newFolder(), "data");
    for (const env of [OWN_KEY, OWN_KEY, {}]) {
      const { ready, get, stop, child } = await serveMomo(["--data", data], { env });
      expect(ready).toMatchObject({ api_key: API_KEY, api_secret: API_SECRET });
      expect((await get("/transactions.php")).status).toBe(200);
      await stop();
      expect(child.stderr.text).toBe("");
    }
  });

  test.concurrent("a data directory with a key keeps it, and the server says that it does not use the variable", async () => {
    const first = await startIn(newFolder());
    await first.stop();
    const second = await serveMomo(first.at, { env: OWN_KEY });
    expect(second.ready.api_key).toBe(String(first.headers["X-API-Key"]));
    await second.stop();
    expect(second.child.stderr.text).toContain(
      "MOMO_API_KEY is not used, because this data directory has a key already: mk_",
    );
  });

  const [SHORTEST, LONGEST] = ["s".repeat(16), "l".repeat(200)];

  test.concurrent.each([
    ["MOMO_CONTROL_TOKEN is the token, also on loopback", "127.0.0.1", false, SHORTEST, LONGEST],
    ["--control-token-file comes first", "0.0.0.0", true, LONGEST, SHORTEST],
  ])("%s", async (_what, host, withFile, valid, wrong) => {
    const file = join(newFolder(), "token");
    writeFileSync(file, `${LONGEST}\n`, { mode: 0o600 });
    const flags = withFile ? ["--control-token-file", file] : [];
    const { ready } = await serveMomo(["--host", host, ...flags], { env: { MOMO_CONTROL_TOKEN: SHORTEST } });
    const statusWith = async (token: string) =>
      (await fetch(`${ready.control_url}/clock`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect([await statusWith(valid), await statusWith(wrong)]).toEqual([200, 401]);
  });
});

describe("serve --until-stdin-closes ends with the program that started it", () => {
  function startWithOpenInput(...flags: string[]) {
    const command = ["serve", "--ephemeral", "--port", "0", "--json", "--until-stdin-closes", ...flags];
    const env = cleanEnvironment(newFolder());
    const child = Bun.spawn([...PROGRAM, ...command], { env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    later(() => child.kill("SIGKILL"));
    return child;
  }

  test.concurrent("it serves while standard input is open, and stops in order when it closes", async () => {
    const child = startWithOpenInput();
    const { value } = await child.stdout.getReader().read();
    const ready = JSON.parse(new TextDecoder().decode(value)) as ReadyRecord;
    expect((await fetch(`${ready.control_url}/health`)).status).toBe(200);
    expect(existsSync(ready.data)).toBe(true);
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(existsSync(ready.data)).toBe(false);
  });

  test.concurrent("a start that fails ends, though standard input stays open", async () => {
    expect(await startWithOpenInput("--after", "soon").exited).toBe(2);
  });
});
