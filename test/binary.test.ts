import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../package.json";
import { builtBinary, ROOT } from "./support/binary.ts";
import { startChild } from "./support/child.ts";
import { cleanUp, newFolder } from "./support/cleanup.ts";
import { serveFake } from "./support/fake-server.ts";
import { type Run, serveMomo } from "./support/momo.ts";
import { insertPending, openStoreWithMerchants } from "./support/shop.ts";

const BINARY = await builtBinary();

afterAll(cleanUp);

/** Runs the binary in an empty folder, without any environment. */
const runBinary = (args: readonly string[], cwd?: string, env?: Record<string, string>) =>
  runBare([BINARY, ...args], cwd, env);

async function runBare(command: readonly string[], cwd = newFolder(), env = {}): Promise<Run> {
  const child = startChild(command, { cwd, env });
  const exitCode = await child.exited;
  return { stdout: child.stdout.text, stderr: child.stderr.text, exitCode };
}

test.concurrent("the binary has the code of its second thread, which reads long lists, and the page of the console", async () => {
  const data = newFolder();
  const store = await openStoreWithMerchants(join(data, "momo.db"));
  await Promise.all(Array.from({ length: 3000 }, (_, index) => insertPending(store, { reference: `ORDER-${index}` })));
  store.close();
  const { get, ready } = await serveMomo(["--data", data], { program: [BINARY] });
  const list = await (await get("/transactions.php?search=order&limit=1")).json();
  expect(list).toMatchObject({ success: true, pagination: { total_items: 3000 } });
  const response = await fetch(ready.console_url);
  expect(response.headers.get("Content-Security-Policy")).toContain("script-src 'sha256-");
  expect(response.headers.get("Content-Encoding")).toBe("gzip");
  const html = await response.text();
  expect(html).toContain("<title>momo</title>");
  expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
  expect(html).not.toContain(ROOT);
});

test.concurrent("`.env` and `bunfig.toml` of the current folder are never read", async () => {
  const cwd = newFolder();
  const planted = ["MOMO_BASE_URL=http://127.0.0.1:1/v2", "MOMO_API_KEY=mk_planted", "MOMO_API_SECRET=ms_planted"];
  for (const name of [".env", ".env.local", ".env.production", ".env.development"]) {
    writeFileSync(join(cwd, name), planted.join("\n"));
  }
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./planted.ts"]\n');
  writeFileSync(join(cwd, "planted.ts"), 'require("node:fs").writeFileSync("planted.txt", "run")\n');
  writeFileSync(join(cwd, "package.json"), '{"name":"planted","version":"9.9.9"}');
  writeFileSync(join(cwd, "tsconfig.json"), "{ not json");
  const before = readdirSync(cwd).sort();
  const env = { XDG_DATA_HOME: join(newFolder(), "share") };
  const run = await runBinary(["list"], cwd, env);
  // With the planted variables it would say that nothing answers at port 1.
  expect(run).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("no sandbox is running") });
  expect((await runBinary(["--version"], cwd, env)).stdout).toBe(`${packageJson.version}\n`);
  expect(readdirSync(cwd).sort()).toEqual(before);
});

test.concurrent("no source path of the machine that built it is printed in an error", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "momo.db"));
  const odd = serveFake(() => Response.json({ success: true, message: "", transactions: [null] }));
  const known = ["--api-key", "mk_x", "--api-secret", "ms_x"];
  const runs = await Promise.all([
    runBinary(["frobnicate"]),
    runBinary(["serve", "--port", "0", "--data", folder]),
    runBinary(["serve", "--port", "0", "--data", "/proc/x"]),
    runBinary(["serve", "--port", "0", "--ephemeral", "--host", "nowhere.invalid"]),
    runBinary(["list", "-q", "--base-url", odd.baseUrl, ...known]),
    runBinary(["list", "--base-url", "http://127.0.0.1:1", ...known]),
    runBinary(["merchants", "list", "--data", folder]),
    runBare(["/bin/sh", "-c", '"$0" outcomes --json >/dev/full', BINARY]),
    runBare(["/bin/sh", "-c", '"$0" --version >/dev/full', BINARY]),
  ]);
  for (const { stderr, exitCode } of runs) {
    expect(exitCode).not.toBe(0);
    expect(stderr).not.toContain(ROOT);
    expect(stderr).not.toMatch(/\$bunfs|\.ts\b|^\s+at /m);
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
  }
});
