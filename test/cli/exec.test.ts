import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isException, readHosts } from "../../cli/intercept/hosts.ts";
import { cleanUp, newFolder, newProgramFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { KEYS, openMomo, PROGRAM, type RunOptions, runMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const exec = (command: readonly string[], options?: RunOptions) => runMomo(["exec", "--", ...command], options);
const sh = (script: string, options?: RunOptions) => exec(["sh", "-c", script], options);

test.concurrent("afterwards neither folder nor port is left, also if the command is missing or killed", async () => {
  const TMPDIR = newFolder();
  const { stdout } = await sh(`ls -d "$TMPDIR"/momo-*; echo "$MOMO_BASE_URL"`, { env: { TMPDIR } });
  const [folder = "", url = ""] = stdout.trim().split("\n");
  expect(folder).toStartWith(`${TMPDIR}/momo-`);
  expect(await fetch(url).catch(() => "refused")).toBe("refused");
  await exec(["no-such-command"], { env: { TMPDIR } });
  await sh("kill -KILL $$", { env: { TMPDIR } });
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test.concurrent.each(["exec -- echo run", "serve --ephemeral --port 0", "mcp"])(
  "a start that fails on a full disk runs nothing, and leaves no folder: momo %s",
  async (line) => {
    const TMPDIR = newFolder();
    const program = ["sh", "-c", `trap "" XFSZ; ulimit -f 0; exec "$@"`, "sh", ...PROGRAM];
    const run = await runMomo(line.split(" "), { program, env: { TMPDIR } });
    expect(run).toEqual({
      stdout: "",
      stderr: expect.stringMatching(/^momo: .*momo-temporary-.*\n.* TMPDIR\n$/),
      exitCode: 1,
    });
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
);

test.concurrent("Ctrl+C at a terminal reaches the command once", async () => {
  const script = `let count = 0;
    process.on("SIGINT", () => { if (++count === 1) setTimeout(() => process.exit(20 + count), 300); });
    setTimeout(() => process.exit(1), 60_000);
    console.log("ready");`;
  const { screen, type, exited } = openMomo(["exec", "--", process.execPath, "-e", script]);
  await screen.until(/ready/);
  type(KEYS.ctrlC);
  expect(await exited).toBe(21);
});

describe("signals are passed on", () => {
  test.concurrent.each(["SIGTERM", "SIGINT"] as const)("%s, each time that it is sent", async (signal) => {
    const TMPDIR = newFolder();
    const script = `let count = 0;
      process.on("${signal}", () => { console.log("took", ++count); if (count === 2) process.exit(9); });
      setTimeout(() => process.exit(1), 60_000); // if no signal arrives
      console.log("ready");`;
    const child = startMomo(["exec", "--", process.execPath, "-e", script], { env: { TMPDIR } });
    await child.stdout.until(/ready/);
    child.signal(signal);
    await child.stdout.until(/took 1/);
    child.signal(signal);
    expect(await child.exited).toBe(9);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.concurrent.each(["HUP", "QUIT", "USR1", "USR2"])("also SIG%s", async (name) => {
    const run = await sh(`sleep 60 >&- 2>&- & trap "kill $!; echo heard; exit 3" ${name}; kill -${name} $PPID; wait`);
    expect(run).toMatchObject({ stdout: "heard\n", exitCode: 3 });
  });

  test.concurrent("but not one that was ignored when momo started, as by nohup: the command ignores it, too", async () => {
    const program = ["sh", "-c", `trap "" HUP INT; exec "$@"`, "sh", ...PROGRAM];
    const run = await sh("kill -HUP $$ $PPID; kill -INT $$ $PPID; echo on; kill -TERM $$", { program });
    expect(run).toMatchObject({ stdout: "on\n", exitCode: 143 });
  });

  test.concurrent("before the command runs: momo ends, and leaves no folder", async () => {
    const TMPDIR = newFolder();
    const child = startMomo(["exec", "--", "sleep", "5"], { env: { TMPDIR } });
    while (readdirSync(TMPDIR).length === 0) await Bun.sleep(1);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(143);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});

test.concurrent("a script without #! is run by sh, and a refusal says why", async () => {
  const cwd = newProgramFolder();
  const write = (name: string, text: string, mode = 0o755) => writeFileSync(join(cwd, name), text, { mode });
  write("plain", 'echo "$0 $1"; exit 3');
  expect(await exec(["./plain", "a"], { cwd })).toMatchObject({ stdout: "./plain a\n", exitCode: 3 });
  const env = { PATH: `${cwd}:${process.env.PATH}` };
  expect(await exec(["plain", "a"], { env })).toMatchObject({ stdout: `${cwd}/plain a\n`, exitCode: 3 });
  write("lost", "#!/nowhere/sh\n");
  write("foreign", "\x7fELF\0");
  write("closed", "", 0o644);
  for (const [name, reason] of [
    ["./lost", "it needs the program of its first line (#!), or a C library, that is not there"],
    ["./foreign", "it is not an executable for this system and processor"],
    ["./closed", "it may not be executed (chmod +x allows it)"],
    ["/", "it is a folder"],
  ] as const) {
    const stderr = `momo: ${name} cannot be run: ${reason}\n`;
    expect(await exec([name], { cwd })).toEqual({ stdout: "", stderr, exitCode: 126 });
  }
});

const AS_FIRST = ["unshare", "--pid", "--fork", "--mount-proc"];
const canBeFirst = Bun.which("unshare") !== null && Bun.spawnSync([...AS_FIRST, "true"]).success;
test.concurrent.skipIf(!canBeFirst)(
  "as process 1 of a container it waits for orphans: none stays as a zombie",
  async () => {
    const script =
      "(sh -c 'echo $$ >pid' &); until [ -s pid ]; do sleep 0.1; done; while [ -e /proc/$(cat pid) ]; do sleep 0.1; done; exit 5";
    expect((await sh(script, { program: [...AS_FIRST, ...PROGRAM] })).exitCode).toBe(5);
  },
);

const names = (count: number) => Array.from({ length: count }, (_, n) => `h${n}.example`).join();

test("--intercept accepts up to ten hosts, in any letter case, and those of its earlier uses", () => {
  expect(readHosts("A.Example, b.example", ["c.example"])).toEqual(["c.example", "a.example", "b.example"]);
  expect(readHosts(names(10))).toHaveLength(10);
});

test.each([
  ["payflow.example", ["payflow.example", "api.payflow.example"]],
  [".payflow.example", ["payflow.example", "api.payflow.example"]],
  ["*.payflow.example", ["payflow.example", "api.payflow.example"]],
  ["PAYFLOW.example:443", ["payflow.example", "api.payflow.example"]],
  ["payflow.example:8443", []],
  ["flow.example", []],
  [".", []],
  ["*", ["payflow.example", "api.payflow.example", "xpayflow.example", "payflow.example.org"]],
])("%s in NO_PROXY means %j, and no name that only ends alike", (entry, hosts) => {
  const names = ["payflow.example", "api.payflow.example", "xpayflow.example", "payflow.example.org"];
  expect(names.filter((name) => isException(entry, name, 443))).toEqual(hosts);
});

const { at, baseUrl, pay } = await startIn(newFolder());
/** What is sent through it is lost. */
const proxy = serveFake(() => new Response("proxy", { status: 502 }));
const address = `http://127.0.0.1:${proxy.port}`;

describe("a proxy in the environment does not affect requests to this machine", () => {
  test.concurrent.each<Record<string, string>>([
    { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address },
    { HTTP_PROXY: address, NO_PROXY: "example.com" },
    { http_proxy: address, https_proxy: address, all_proxy: address },
    { http_proxy: address, no_proxy: "example.com" },
  ])("the payment arrives with %j", async (env) => {
    const run = await runMomo(["pay", "0712345678", "1", ...at, "-q"], { env });
    expect(run).toMatchObject({ stdout: expect.stringMatching(/^ws_CO_/), stderr: "", exitCode: 0 });
    expect(proxy.requests).toEqual([]);
  });

  test.concurrent("a server on another loopback address is reached directly too", async () => {
    const other = await startIn(newFolder(), { host: "127.0.0.2" });
    const run = await runMomo(["list", ...other.at], { env: { HTTP_PROXY: address } });
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test.concurrent("momo tail follows the payments", async () => {
    const { stdout } = startMomo(["tail", "-q", ...at], { env: { HTTP_PROXY: address } });
    let isShown = false;
    const shown = stdout.until(/^ws_CO_/).finally(() => (isShown = true));
    const paying = async () => {
      while (!isShown) await Promise.all([pay(), Bun.sleep(20)]);
    };
    await Promise.all([shown, paying()]);
  });

  test.concurrent("momo serve names the momo that holds the port", async () => {
    const { port } = new URL(baseUrl);
    const run = await runMomo(["serve", "--port", port], { env: { HTTP_PROXY: address } });
    expect(run.stderr).toContain(`another momo (process ${process.pid})`);
  });
});
