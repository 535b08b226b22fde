import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

describe("a bad value is a usage error that names the flag and what would be right: exit 2, before anything is made", () => {
  const BAD: [flags: string[], named: RegExp][] = [
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
    [["--outcome", "exploded"], /--outcome.*insufficient_funds/],
    [["--after", "3"], /--after.*250ms, 3s, 2m or 1h/],
    [["--after", "25h"], /--after/],
    [["--outcome", "manual", "--after", "3s"], /--after.*manual/],
    [["--prompt-timeout", "999ms"], /--prompt-timeout.*1s or more/],
    [["--prompt-timeout", "60"], /--prompt-timeout.*duration/],
    [["--fee", "101%"], /--fee.*tariff/],
    [["--fee", "1.234%"], /--fee/],
    [["--fee", "-1"], /--fee/],
    [["--fee", ""], /--fee/],
    [["--response-form", "long"], /--response-form.*full, short/],
    [["--control-token-file", "/nowhere/token"], /--control-token-file.*cannot be read/],
    [["--data", "x", "--ephemeral"], /--ephemeral.*cannot be used with.*--data|--data.*cannot.*--ephemeral/],
  ];
  for (const [flags, named] of BAD) {
    test.concurrent(flags.join(" ") || "nothing", async () => {
      const cwd = newFolder();
      const run = await runMomo(["serve", ...(flags.includes("--port") ? [] : ["--port", "0"]), ...flags], {
        cwd,
        env: { XDG_DATA_HOME: join(cwd, "share") },
      });
      expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringMatching(named) });
      expect(readdirSync(cwd)).toEqual([]);
    });
  }

  for (const [what, content] of [
    ["empty", ""],
    ["too short", "short"],
    ["two lines", "aaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbb"],
  ] as const) {
    test.concurrent(`--control-token-file that is ${what}`, async () => {
      const file = join(newFolder(), "token");
      writeFileSync(file, content);
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--control-token-file", file]);
      expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("16 to 200") });
    });
  }
});

describe("a good value does what it says", () => {
  const payment = { payment_account_id: 1, phone: "0712345678", amount: 1000 };
  const final = async (flags: string[]) => {
    const server = await serveMomo(flags);
    const started = (await (await server.post("/stkpush.php", payment)).json()) as { checkout_request_id: string };
    const args = ["status", started.checkout_request_id, ...server.at, "--wait", "--interval", "50ms", "--json"];
    return { server, ...(await runMomo(args)) };
  };

  test.concurrent("--outcome and --after", async () => {
    const { stdout, exitCode } = await final(["--outcome", "pin_locked", "--after", "50ms"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "failed", result_code: 8006 });
    expect(exitCode).toBe(10);
  });

  test.concurrent("--prompt-timeout", async () => {
    const { exitCode } = await final(["--outcome", "silent", "--prompt-timeout", "1s"]);
    expect(exitCode).toBe(12);
  });

  test.concurrent("--fee, also on data that exists already", async () => {
    const { server, stdout } = await final(["--fee", "1.5%+10", "--after", "0ms"]);
    expect(JSON.parse(stdout).fee_amount).toBe(25);
    await server.stop();
    const again = await final(["--fee", "2%", "--after", "0ms", ...server.at]);
    expect(JSON.parse(again.stdout).fee_amount).toBe(20);
  });

  test.concurrent("--response-form short", async () => {
    const { server, stdout } = await final(["--response-form", "short", "--after", "0ms"]);
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(
      ["success", "message", "status", "amount", "phone", "transaction_code", "created_at"].sort(),
    );
    expect(await (await server.get("/transactions.php")).json()).toHaveProperty("data");
  });

  for (const [basePath, expected] of [
    ["/", ""],
    ["/pay/api/v3", "/pay/api/v3"],
    ["/1/2/3/4/5/6/7", "/1/2/3/4/5/6/7"],
  ] as const) {
    test.concurrent(`--base-path ${basePath}`, async () => {
      const { ready, at, get } = await serveMomo(["--base-path", basePath]);
      expect(new URL(ready.base_url).origin + expected).toBe(ready.base_url);
      expect((await get("/transactions.php")).status).toBe(200);
      expect((await fetch(`${new URL(ready.base_url).origin}/api/v2/transactions.php`)).status).toBe(404);
      expect((await runMomo(["pay", "0712345678", "1", ...at])).exitCode).toBe(0);
    });
  }

  test.concurrent("--accept lenient takes an amount in text, and GET /_momo/server shows it", async () => {
    const { ready, post } = await serveMomo(["--accept", "lenient"]);
    const order = { payment_account_id: "1", phone: "+254 712 345 678", amount: "100.00" };
    expect((await post("/stkpush.php", order)).status).toBe(200);
    expect(await (await fetch(`${ready.control_url}/server`)).json()).toMatchObject({ accept: "lenient" });
  });

  test.concurrent("without --base-path it serves /v2, which it shows, and /api/v2", async () => {
    const { ready } = await serveMomo();
    const { origin, pathname } = new URL(ready.base_url);
    expect(pathname).toBe("/v2");
    const headers = { "X-API-Key": ready.api_key, "X-API-Secret": ready.api_secret };
    for (const base of ["/v2", "/api/v2"]) {
      expect((await fetch(`${origin}${base}/transactions.php`, { headers })).status).toBe(200);
    }
  });

  test.concurrent("--host ::1", async () => {
    const { ready, at } = await serveMomo(["--host", "::1"]);
    expect(ready.base_url).toStartWith("http://[::1]:");
    expect((await runMomo(["pay", "0712345678", "1", ...at])).exitCode).toBe(0);
  });

  test.concurrent("--port is the port", async () => {
    const first = await serveMomo();
    const { port } = new URL(first.ready.base_url);
    await first.stop();
    expect((await serveMomo(["--port", port])).ready.base_url).toBe(first.ready.base_url);
  });
});
