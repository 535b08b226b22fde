import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareReadyFile, removeReadyFileOf } from "../../cli/serving/ready.ts";
import packageJson from "../../package.json";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The ready file of a server that has ended. */
const OLD = '{"base_url":"http://127.0.0.1:1/v2","console_url":"http://127.0.0.1:1/_momo/","pid":1}';
const PAYMENT = { payment_account_id: 1, phone: "0712345678", amount: 1 };

test.concurrent("one ready record, on stdout and whole in the ready file, when requests are served", async () => {
  const file = join(newFolder(), "ready.json");
  const serving = serveMomo(["--ready-file", file]);
  while (!existsSync(file)) await Bun.sleep(1);
  const seen: unknown = JSON.parse(readFileSync(file, "utf8"));
  const { child, ready, at, get, stop } = await serving;
  expect((await get("/transactions.php")).status).toBe(200);
  const { origin } = new URL(ready.base_url);
  expect(origin).toStartWith("http://127.0.0.1:");
  expect(ready).toEqual({
    base_url: `${origin}/v2`,
    control_url: `${origin}/_momo`,
    console_url: `${origin}/_momo/`,
    pid: child.pid,
    data: at[1],
    payment_account_id: 1,
    api_key: expect.stringMatching(/^mk_[0-9a-z]{20,}$/),
    api_secret: expect.stringMatching(/^ms_[0-9a-z]{32,}$/),
  });
  expect(seen).toEqual(ready);
  const health = await (await fetch(`${ready.control_url}/health`)).json();
  expect(health).toMatchObject({ status: "ok", version: packageJson.version });
  expect(await stop()).toBe(0);
  expect(child.stdout.text.trimEnd().split("\n")).toHaveLength(1);
  expect(child.stderr.text).toBe("");
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test.concurrent("under umask 000 the data directory is 0700, its files and a replaced ready file are 0600", async () => {
  const data = join(newFolder(), "new", "data");
  const file = join(newFolder(), "ready.json");
  writeFileSync(file, OLD, { mode: 0o644 });
  const program = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
  const { ready, post, stop } = await serveMomo(["--data", data, "--ready-file", file], { program });
  await post("/stkpush.php", PAYMENT);
  expect(modeOf(data)).toBe("700");
  const names = readdirSync(data);
  expect(names).toEqual(expect.arrayContaining(["credentials.json", "server.json", "momo.db", "momo.db-wal"]));
  for (const name of names) expect([name, modeOf(join(data, name))]).toEqual([name, "600"]);
  expect(modeOf(file)).toBe("600");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ready);
  await stop();
  expect(readdirSync(data).sort()).toEqual(["credentials.json", "momo.db", "momo.lock"]);
});

test.concurrent("a restart keeps the key, the account and the payments, also after kill -9", async () => {
  const first = await serveMomo();
  await first.post("/stkpush.php", PAYMENT);
  await first.kill();
  const second = await serveMomo(first.at);
  const { api_key, api_secret, payment_account_id, data } = first.ready;
  expect(second.ready).toMatchObject({ api_key, api_secret, payment_account_id, data });
  expect(await (await second.get("/transactions.php")).json()).toMatchObject({ pagination: { total_items: 1 } });
  expect(await second.stop()).toBe(0);
});

describe("an old ready file is removed before anything else is tried, so that no start leaves a stale address in it", () => {
  test.concurrent.each([
    ["a data directory that cannot be used", ["--ready-file=ready.json", "--data", "file/data"]],
    ["a missing file of rules", ["--ready-file", "ready.json", "--rules", "none", "--ephemeral"]],
    ["a wrong value, before the flag", ["--port", "abc", "--ready-file", "ready.json"]],
    ["a wrong value, after the flag", ["--ready-file=ready.json", "--port", "abc"]],
    ["a wrong address of a webhook", ["--webhook", "ftp://x", "--ready-file=ready.json"]],
    ["an unknown flag", ["--prot", "1", "--ready-file", "ready.json"]],
    ["a missing value", ["--ready-file", "ready.json", "--fee"]],
    ["a wrong value in a variable", [], { MOMO_SERVE_READY_FILE: "ready.json", MOMO_SERVE_PORT: "x" }],
    ["a wrong switch in a variable", [], { MOMO_SERVE_READY_FILE: "ready.json", MOMO_SERVE_QUIET: "maybe" }],
  ] as [string, string[], Record<string, string>?][])("where the start fails: %s", async (_what, args, env = {}) => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "file"), "");
    writeFileSync(join(cwd, "ready.json"), OLD);
    const run = await runMomo(["serve", ...args], { cwd, env });
    expect([1, 2]).toContain(run.exitCode);
    expect(readdirSync(cwd)).toEqual(["file"]);
  });

  test.concurrent("where the start is slow", async () => {
    const folder = newFolder();
    const [file, rules] = [join(folder, "ready.json"), join(folder, "rules")];
    writeFileSync(file, OLD);
    Bun.spawnSync(["mkfifo", rules]); // a read from it waits
    const child = startMomo(["serve", "--port", "0", "--ephemeral", "--ready-file", file, "--rules", rules]);
    while (existsSync(file) && child.stderr.text === "") await Bun.sleep(5);
    expect(existsSync(file)).toBe(false);
    expect(child.stdout.text).toBe("");
  });

  test.concurrent.each([
    [["serve", "--ready-file", "ready.json", "--help"]],
    [["complete", "--", "serve", "--ready-file", "ready.json", "--prot"]],
  ])("%j starts nothing, and removes nothing", async (args) => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "ready.json"), "");
    await runMomo(args, { cwd });
    expect(readdirSync(cwd)).toEqual(["ready.json"]);
  });
});

test("a server that ends does not remove what another one has written to the same ready file", () => {
  const file = join(newFolder(), "ready.json");
  const first = prepareReadyFile(file);
  first.write(JSON.parse(OLD));
  const second = prepareReadyFile(file);
  second.write({ pid: 2 });
  first.remove();
  expect(readFileSync(file, "utf8")).toBe('{"pid":2}\n');
  second.remove();
  expect(existsSync(file)).toBe(false);
});

test.concurrent("a ready file that cannot be written: one line names it, one the flag; exit 1, nothing is left", async () => {
  const [folder, TMPDIR] = [newFolder(), newFolder()];
  const file = join(folder, "missing", "ready.json");
  const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--ready-file", file], { env: { TMPDIR } });
  expect(run).toEqual({
    stdout: "",
    stderr: `momo: ${file} cannot be written (ENOENT)\n      choose another place with --ready-file\n`,
    exitCode: 1,
  });
  expect([...readdirSync(folder), ...readdirSync(TMPDIR)]).toEqual([]);
});

describe("a file that is not a ready file is refused and not removed, however the start fails", () => {
  test.each([
    ["a database", "is no ready file, and stays as it is", (file: string) => writeFileSync(file, "SQLite format 3\0")],
    ["a long file", "is no ready file, and stays as it is", (file: string) => writeFileSync(file, "{".repeat(65_537))],
    ["a manifest", "is no ready file, and stays as it is", (file: string) => writeFileSync(file, '{"name":"shop"}')],
    ["a list", "is no ready file, and stays as it is", (file: string) => writeFileSync(file, "[1]")],
    ["null", "is no ready file, and stays as it is", (file: string) => writeFileSync(file, "null")],
    ["a pipe", "is not a file", (file: string) => void Bun.spawnSync(["mkfifo", file])],
    ["a link to a device", "is not a file", (file: string) => symlinkSync("/dev/null", file)],
    ["a folder", "is not a file", (file: string) => symlinkSync(newFolder(), file)],
  ])("%s", (_what, problem, put) => {
    const file = join(newFolder(), "ready.json");
    put(file);
    const before = statSync(file);
    expect(() => prepareReadyFile(file)).toThrow(`${file} ${problem}`);
    removeReadyFileOf(["serve", "--ready-file", file, "--wrong"]);
    const { ino, size } = statSync(file);
    expect({ ino, size }).toEqual({ ino: before.ino, size: before.size });
  });
});
