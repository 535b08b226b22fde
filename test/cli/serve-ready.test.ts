import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));

test.concurrent("`serve --json` prints one ready record, when requests are served", async () => {
  const { child, ready, get, stop } = await serveMomo();
  expect((await get("/transactions.php")).status).toBe(200);
  const { origin } = new URL(ready.base_url);
  expect(ready).toEqual({
    base_url: `${origin}/v2`,
    control_url: `${origin}/_momo`,
    console_url: `${origin}/_momo/`,
    pid: child.pid,
    data: expect.stringMatching(/^\//),
    payment_account_id: 1,
    api_key: expect.stringMatching(/^mk_[0-9a-z]{20,}$/),
    api_secret: expect.stringMatching(/^ms_[0-9a-z]{32,}$/),
  });
  expect(origin).toStartWith("http://127.0.0.1:");
  const health = await (await fetch(`${ready.control_url}/health`)).json();
  expect(health).toMatchObject({ status: "ok", version: packageJson.version });
  expect(await stop()).toBe(0);
  expect(child.stdout.text.trimEnd().split("\n")).toHaveLength(1);
  expect(child.stderr.text).toBe("");
});

describe("`--ready-file` is written atomically, mode 0600, removed at the end", () => {
  test.concurrent("it holds the ready record, whole at the first look", async () => {
    const file = join(newFolder(), "ready.json");
    const serving = serveMomo(["--ready-file", file]);
    while (!existsSync(file)) await Bun.sleep(1);
    const seen: unknown = JSON.parse(readFileSync(file, "utf8"));
    const { ready, stop } = await serving;
    expect(seen).toEqual(ready);
    expect(modeOf(file)).toBe("600");
    expect((await fetch(`${ready.control_url}/health`)).status).toBe(200);
    await stop();
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  test.concurrent("an old one is replaced", async () => {
    const file = join(newFolder(), "ready.json");
    writeFileSync(file, "{}\n", { mode: 0o644 });
    const { ready } = await serveMomo(["--ready-file", file]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ready);
    expect(modeOf(file)).toBe("600");
  });

  describe("an old one is removed before anything else is tried, so that no start leaves a stale address in it", () => {
    const FAILING: [what: string, args: (folder: string) => readonly string[]][] = [
      ["a data directory that cannot be used", (folder) => ["--data", join(folder, "stale.json", "data")]],
      ["a file of rules that is not there", (folder) => ["--rules", join(folder, "none"), "--ephemeral"]],
      ["a flag that is wrong, before it", () => ["--port", "abc"]],
      ["an address of a webhook that is none", () => ["--webhook", "ftp://x"]],
      ["a flag that nobody knows", () => ["--prot", "1"]],
      ["a value that is missing", () => ["--fee"]],
    ];
    for (const [what, args] of FAILING) {
      test.concurrent(`where the start fails: ${what}`, async () => {
        const folder = newFolder();
        writeFileSync(join(folder, "stale.json"), "");
        for (const form of [["--ready-file=ready.json"], ["--ready-file", "ready.json"]]) {
          writeFileSync(join(folder, "ready.json"), '{"base_url":"http://127.0.0.1:1/v2"}');
          const run = await runMomo(["serve", ...form, ...args(folder)], { cwd: folder });
          expect([1, 2]).toContain(run.exitCode);
          expect(readdirSync(folder)).toEqual(["stale.json"]);
          // The same with the flag behind what is wrong.
          writeFileSync(join(folder, "ready.json"), '{"base_url":"http://127.0.0.1:1/v2"}');
          await runMomo(["serve", ...args(folder), ...form], { cwd: folder });
          if (what !== "a value that is missing") expect(readdirSync(folder)).toEqual(["stale.json"]);
        }
      });
    }

    test.concurrent("where the start is slow", async () => {
      const folder = newFolder();
      const file = join(folder, "ready.json");
      const rules = join(folder, "rules");
      writeFileSync(file, '{"base_url":"http://127.0.0.1:1/v2"}');
      Bun.spawnSync(["mkfifo", rules]);
      const child = startMomo(["serve", "--port", "0", "--ephemeral", "--ready-file", file, "--rules", rules]);
      while (existsSync(file) && child.stderr.text === "") await Bun.sleep(5);
      expect(existsSync(file)).toBe(false);
      expect(child.stdout.text).toBe("");
    });

    test.concurrent("help, and the completion of a command line, remove nothing", async () => {
      const folder = newFolder();
      writeFileSync(join(folder, "ready.json"), "");
      await runMomo(["serve", "--ready-file", "ready.json", "--help"], { cwd: folder });
      await runMomo(["complete", "--", "serve", "--ready-file", "ready.json", "--prot"], { cwd: folder });
      expect(readdirSync(folder)).toEqual(["ready.json"]);
    });

    test.concurrent("a server that ends does not remove what another one has written there meanwhile", async () => {
      const file = join(newFolder(), "ready.json");
      const first = await serveMomo(["--ready-file", file]);
      const second = await serveMomo(["--ready-file", file]);
      await first.stop();
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(second.ready);
    });
  });

  for (const [what, place] of [
    ["in a folder that is not there", (folder: string) => join(folder, "missing", "ready.json")],
    ["that is a folder", (folder: string) => folder],
  ] as const) {
    test.concurrent(`one ${what}: one line that names it and the flag, exit 1, nothing left`, async () => {
      const [folder, temporary] = [newFolder(), newFolder()];
      const file = place(folder);
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--ready-file", file], {
        env: { TMPDIR: temporary },
      });
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toContain(file);
      expect(run.stderr).toContain("--ready-file");
      expect(readdirSync(folder)).toEqual([]);
      expect(readdirSync(temporary)).toEqual([]);
    });
  }

  test.concurrent("a file that is no ready file, such as the database, is not removed", async () => {
    const data = newFolder();
    const { post, stop } = await serveMomo(["--data", data]);
    await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 1 });
    await stop();
    const file = join(data, "momo.db");
    const before = readFileSync(file);
    for (const more of [[], ["--prot", "1"]]) {
      const run = await runMomo(["serve", "--port", "0", "--data", data, "--ready-file", file, ...more]);
      expect(run).toMatchObject({ stdout: "", exitCode: more.length > 0 ? 2 : 1 });
      if (more.length === 0) expect(run.stderr).toStartWith(`momo: ${file} is no ready file, and stays as it is\n`);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  for (const [what, put] of [
    ["a pipe", (file: string) => void Bun.spawnSync(["mkfifo", file])],
    ["a link to a device", (file: string) => symlinkSync("/dev/null", file)],
  ] as const) {
    test.concurrent(`${what} is not replaced`, async () => {
      const file = join(newFolder(), "ready.json");
      put(file);
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--ready-file", file]);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${file} is not a file\n`);
      expect(statSync(file).isFile()).toBe(false);
    });
  }
});

describe("the data directory is 0700 and its files 0600", () => {
  test.concurrent("also under umask 000, while it serves and after the end", async () => {
    const data = join(newFolder(), "new", "data");
    const loose = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
    const file = join(newFolder(), "ready.json");
    const { post, stop } = await serveMomo(["--data", data, "--ready-file", file], { program: loose });
    await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 1 });
    expect(modeOf(data)).toBe("700");
    const modes = modesIn(data);
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(["credentials.json", "server.json", "momo.db"]));
    expect([...new Set(Object.values(modes))]).toEqual(["600"]);
    expect(modeOf(file)).toBe("600");
    await stop();
    expect(Object.keys(modesIn(data)).sort()).toEqual(["credentials.json", "momo.db", "momo.lock"]);
  });
});

test.concurrent("a restart on the same data keeps the key, the account and the payments", async () => {
  const first = await serveMomo();
  const { stdout: id } = await runMomo(["pay", "0712345678", "5", ...first.at, "-q"]);
  await first.stop();
  const second = await serveMomo(first.at);
  expect({ ...second.ready, base_url: "", control_url: "", console_url: "", pid: 0 }).toEqual({
    ...first.ready,
    base_url: "",
    control_url: "",
    console_url: "",
    pid: 0,
  });
  expect((await runMomo(["status", id.trim(), ...second.at])).exitCode).toBe(0);
});
