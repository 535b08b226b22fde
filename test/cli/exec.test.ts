import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { expectRefusal, PROGRAM, type RunOptions, runMomo, runToEnd, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

const exec = (command: readonly string[], options?: RunOptions) => runMomo(["exec", "--", ...command], options);
const sh = (script: string, options?: RunOptions) => exec(["sh", "-c", script], options);

/** How a shell calls the program. */
const MOMO = PROGRAM.map((word) => `'${word}'`).join(" ");

describe("exits with the command's code", () => {
  test.concurrent.each([0, 255])("%d", async (code) => {
    expect(await sh(`exit ${code}`)).toEqual({ stdout: "", stderr: "", exitCode: code });
  });

  test.concurrent("128 and the number of the signal that killed it", async () => {
    expect((await sh("kill -KILL $$")).exitCode).toBe(128 + 9);
  });

  test.concurrent("127 if there is no such command, and names it", async () => {
    expect(await exec(["no-such-command"])).toEqual({
      stdout: "",
      stderr: "momo: no-such-command is not a command that can be found\n",
      exitCode: 127,
    });
  });

  test.concurrent("126 for a file that may not be run", async () => {
    const file = join(newFolder(), "data.txt");
    writeFileSync(file, "no program", { mode: 0o600 });
    expect(await exec([file])).toMatchObject({ stderr: `momo: ${file} cannot be run\n`, exitCode: 126 });
  });

  test.concurrent.each([[["exec"]], [["exec", "--"]]])("2 without a command: %j", async (args) => {
    expectRefusal(await runMomo(args), 2, "COMMAND is missing");
  });
});

test.concurrent("no place for the temporary folder: named, with the variable that helps, and no command is run", async () => {
  const TMPDIR = join(newFolder(), "gone");
  expect(await exec(["echo", "run"], { env: { TMPDIR } })).toEqual({
    stdout: "",
    stderr: `momo: ${TMPDIR} can hold no temporary folder (ENOENT)\n      name another place in the variable TMPDIR\n`,
    exitCode: 1,
  });
});

describe("runs it with MOMO_* set, usable from inside", () => {
  test.concurrent("those of another sandbox are replaced; everything else is the caller's", async () => {
    const cwd = newFolder();
    const other = {
      MOMO_BASE_URL: "http://127.0.0.1:1/v2",
      MOMO_API_KEY: "mk_x",
      MOMO_DATA: "/nowhere",
      MOMO_CONTROL_TOKEN: "another-sandbox-s",
    };
    const script = 'env | grep ^MOMO_ | sort; echo "$GREETING"; pwd; umask';
    const command = ["sh", "-c", `umask 022; exec ${MOMO} exec -- sh -c '${script}'`];
    const { stdout } = await runToEnd(command, { cwd, env: { ...other, GREETING: "habari" } });
    const [key, secret, base, control, data, account, ...others] = stdout.trimEnd().split("\n");
    expect(key).toMatch(/^MOMO_API_KEY=mk_\w{20,}$/);
    expect(secret).toMatch(/^MOMO_API_SECRET=ms_\w{32,}$/);
    expect(base).toMatch(/^MOMO_BASE_URL=http:\/\/127\.0\.0\.1:\d{2,}\/v2$/);
    expect(control).toMatch(/^MOMO_CONTROL_URL=http:\/\/127\.0\.0\.1:\d{2,}\/_momo$/);
    expect(data).toMatch(/^MOMO_DATA=\/.*\/momo-temporary-\w+$/);
    expect(account).toBe("MOMO_PAYMENT_ACCOUNT_ID=1");
    expect(others).toEqual(["habari", cwd, "0022"]);
  });

  test.concurrent("momo pay works, and the flags of exec configure the sandbox", async () => {
    const pay = [...PROGRAM, ..."pay 0712345678 100 --wait --interval 50ms -q".split(" ")];
    const run = await runMomo(["exec", "--outcome", "cancelled", "--after", "1ms", "--", ...pay]);
    expect(run).toEqual({ stdout: "cancelled\n", stderr: "", exitCode: 11 });
  });

  test.concurrent("--account gives the payment account its id; another one is refused with the id that exists", async () => {
    const pay = `${MOMO} pay 0712345678 100 -q`;
    const script = `${pay} && ${MOMO} accounts list -q && ${MOMO} accounts create --name Next -q; ${pay} --account 1`;
    const run = await runMomo(["exec", "--account", "17", "--", "sh", "-c", script]);
    expect(run).toMatchObject({ stdout: expect.stringMatching(/^ws_CO_\w+\n17\n18\n$/), exitCode: 5 });
    expect(run.stderr).toContain(
      "account of yours; it is 1, and yours are 17, 18. momo accounts create --name NAME opens one",
    );
    const tooGreat = await runMomo(["exec", "--account", "2147483648", "--", "true"]);
    expect(tooGreat).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("at most 2147483647") });
  });

  test.concurrent("momo clock, answer and merchants use the same sandbox", async () => {
    const script = `${MOMO} clock freeze -q >/dev/null && id=$(${MOMO} pay 0712345678 100 -q) &&
      ${MOMO} answer "$id" --pin 1234 -q && ${MOMO} merchants list --json`;
    expect(await sh(script)).toEqual({
      stdout: 'completed\n{"merchants":[{"id":1,"name":"Demo Shop"}]}\n',
      stderr: "",
      exitCode: 0,
    });
  });
});

describe("arguments, stdin and stdout of the command are not changed", () => {
  test.concurrent("arguments with dashes reach it, also those that momo knows", async () => {
    const args = ["-a", "--json", "--help", "--outcome", "x", "--", "two words", "", "$HOME"];
    const { stdout } = await exec(["sh", "-c", `printf '<%s>' "$@"`, "sh", ...args]);
    expect(stdout).toBe(args.map((arg) => `<${arg}>`).join(""));
  });

  test.concurrent("without -- too, from the command on", async () => {
    const { stdout } = await runMomo(["exec", "--after", "1s", "echo", "--after", "-n", "x"]);
    expect(stdout).toBe("--after -n x\n");
  });

  test.concurrent("stdin and stdout untouched, byte for byte", async () => {
    const stdin = `${"line ☕\n".repeat(20_000)}no end`;
    const { stdout, stderr } = await exec(["cat"], { stdin });
    expect(stdout === stdin).toBe(true);
    expect(stderr).toBe("");
  });
});

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

  test.concurrent("also a signal that does not end a program", async () => {
    const run = await sh('trap "echo heard; exit 3" USR2; kill -USR2 $PPID; sleep 5 >&- 2>&- & wait');
    expect(run).toMatchObject({ stdout: "heard\n", exitCode: 3 });
  });

  test.concurrent("to a command without a handler: the command and momo end", async () => {
    const child = startMomo(["exec", "--", "sh", "-c", "echo ready; exec sleep 5"]);
    await child.stdout.until(/ready/);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(143);
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
