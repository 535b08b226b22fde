import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, PROGRAM, type RunOptions, runMomo, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

test.concurrent("no place for the temporary folder: named, with the variable that helps, and no command is run", async () => {
  const TMPDIR = join(newFolder(), "gone");
  for (const args of [
    ["exec", "--", "echo", "run"],
    ["serve", "--ephemeral", "--port", "0"],
  ]) {
    const run = await runMomo(args, { env: { TMPDIR } });
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toBe(
      `momo: ${TMPDIR} can hold no temporary folder (ENOENT)\n      name another place in the variable TMPDIR\n`,
    );
  }
});

const exec = (command: readonly string[], options?: RunOptions) => runMomo(["exec", "--", ...command], options);
const sh = (script: string, options?: RunOptions) => exec(["sh", "-c", script], options);

/** How a shell calls the program. */
const MOMO = PROGRAM.map((word) => `'${word}'`).join(" ");

test.concurrent("exec --accept lenient: the command's sandbox takes what the real services take", async () => {
  const call = `curl -s "$MOMO_BASE_URL/stkpush.php" -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET"`;
  const script = `${call} -d 'payment_account_id=1&phone=712345678&amount=5'`;
  const { stdout } = await runMomo(["exec", "--accept", "lenient", "--", "sh", "-c", script]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true });
});

describe("exits with the command's code", () => {
  test.concurrent.each([0, 1, 7, 127, 255])("%d", async (code) => {
    expect(await sh(`exit ${code}`)).toEqual({ stdout: "", stderr: "", exitCode: code });
  });

  test.concurrent("128 and the number of the signal that killed it", async () => {
    expect((await sh("kill -KILL $$")).exitCode).toBe(128 + 9);
    expect((await sh("kill -TERM $$")).exitCode).toBe(128 + 15);
  });

  test.concurrent("127 where there is no such command, and it is named", async () => {
    const run = await exec(["no-such-command-of-anybody"]);
    expect(run).toEqual({
      stdout: "",
      stderr: "momo: no-such-command-of-anybody is not a command that can be found\n",
      exitCode: 127,
    });
  });

  test.concurrent("126 for a file that may not be run", async () => {
    const file = join(newFolder(), "data.txt");
    writeFileSync(file, "no program", { mode: 0o600 });
    expect(await exec([file])).toMatchObject({ stderr: `momo: ${file} cannot be run\n`, exitCode: 126 });
  });

  test.concurrent("2 without a command", async () => {
    for (const args of [["exec"], ["exec", "--"]]) {
      const { stdout, stderr, exitCode } = await runMomo(args);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toContain("COMMAND");
    }
    expect(failureOf(await runMomo(["exec", "--json"])).code).toBe("usage");
  });
});

describe("runs it with MOMO_* set, usable from inside", () => {
  test.concurrent("curl", async () => {
    const { stdout, exitCode } = await sh(
      `curl -s "$MOMO_BASE_URL/stkpush.php" -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET" \
        -H "Content-Type: application/json" \
        -d "{\\"payment_account_id\\":$MOMO_PAYMENT_ACCOUNT_ID,\\"phone\\":\\"0712345678\\",\\"amount\\":100}" &&
       curl -s "$MOMO_CONTROL_URL/prompts"`,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"success":true,"message":"STK push sent');
    expect(stdout).toContain('"1 open prompt"');
  });

  test.concurrent("momo pay, and what the flags of exec say of the sandbox", async () => {
    const pay = `${MOMO} pay 0712345678 100 --wait --interval 50ms -q`;
    const run = await runMomo(["exec", "--outcome", "cancelled", "--after", "1ms", "--", "sh", "-c", pay]);
    expect(run).toEqual({ stdout: "cancelled\n", stderr: "", exitCode: 11 });
  });

  test.concurrent("momo clock, answer and merchants mean the same sandbox", async () => {
    const script = `${MOMO} clock freeze -q >/dev/null && id=$(${MOMO} pay 0712345678 100 -q) &&
      ${MOMO} answer "$id" --pin 1234 -q && ${MOMO} merchants list --json`;
    expect(await sh(script)).toEqual({
      stdout: 'completed\n{"merchants":[{"id":1,"name":"Demo Shop"}]}\n',
      stderr: "",
      exitCode: 0,
    });
  });

  test.concurrent("the command's own environment and folder are the caller's", async () => {
    const cwd = newFolder();
    const { stdout } = await sh('echo "$GREETING"; pwd', { env: { GREETING: "habari" }, cwd });
    expect(stdout).toBe(`habari\n${cwd}\n`);
  });

  test.concurrent("the control token of another sandbox is not handed on: this one has none", async () => {
    const { stdout } = await sh('echo "[$MOMO_CONTROL_TOKEN]"', { env: { MOMO_CONTROL_TOKEN: "another-sandbox-s" } });
    expect(stdout).toBe("[]\n");
  });

  test.concurrent("MOMO_* of another sandbox are replaced", async () => {
    const env = { MOMO_BASE_URL: "http://127.0.0.1:1/v2", MOMO_API_KEY: "mk_x", MOMO_DATA: "/nowhere" };
    const { stdout, exitCode } = await sh(`${MOMO} list --json`, { env });
    expect({ stdout: stdout.slice(0, 15), exitCode }).toEqual({ stdout: '{"success":true', exitCode: 0 });
  });
});

describe("arguments, stdin and stdout are the command's own", () => {
  test.concurrent("arguments with dashes reach it, also those that momo knows", async () => {
    const args = ["-a", "--json", "--help", "--outcome", "x", "--", "two words", "", "$HOME"];
    const script = `printf '<%s>' "$@"`;
    const { stdout } = await exec(["sh", "-c", script, "sh", ...args]);
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

describe("afterwards nothing is left", () => {
  test.concurrent("neither folder nor port", async () => {
    const home = newFolder();
    const { stdout } = await sh(`ls -d "$TMPDIR"/momo-*; echo "$MOMO_BASE_URL"`, { env: { TMPDIR: home } });
    const [folder = "", url = ""] = stdout.trim().split("\n");
    expect(folder).toStartWith(`${home}/momo-`);
    expect(readdirSync(home)).toEqual([]);
    expect(await fetch(url).catch(() => "nobody")).toBe("nobody");
  });

  test.concurrent("also where the command is missing, or killed", async () => {
    const home = newFolder();
    await exec(["no-such-command-of-anybody"], { env: { TMPDIR: home } });
    await sh("kill -KILL $$", { env: { TMPDIR: home } });
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("signals are passed on", () => {
  /** Notices signals soon, and ends by itself where none comes. */
  const SOON_OVER = 'n=0; while [ "$n" -lt 100 ]; do sleep 0.02; n=$((n + 1)); done; exit 1';

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test.concurrent(signal, async () => {
      const home = newFolder();
      const file = join(newFolder(), "trapped");
      const trap = `trap 'echo trapped >${file}; exit 9' ${signal.slice(3)}; echo ready; ${SOON_OVER}`;
      const child = startMomo(["exec", "--", "sh", "-c", trap], { env: { TMPDIR: home } });
      await child.stdout.until(/ready/);
      child.signal(signal);
      expect(await child.exited).toBe(9);
      expect(readFileSync(file, "utf8")).toBe("trapped\n");
      expect(readdirSync(home)).toEqual([]);
    });
  }

  test.concurrent("each of them, as often as it comes: a command that takes two is not left alone at the second", async () => {
    const home = newFolder();
    const trap = `trap 'n=$((n + 1)); echo "took $n"; [ "$n" -lt 2 ] || exit 9' TERM`;
    const script = `n=0; ${trap}; echo ready; for _ in $(seq 3000); do sleep 0.02; done`;
    const child = startMomo(["exec", "--", "sh", "-c", script], { env: { TMPDIR: home } });
    await child.stdout.until(/ready/);
    child.signal("SIGTERM");
    await child.stdout.until(/took 1/);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(9);
    expect(readdirSync(home)).toEqual([]);
  });

  test.concurrent("to a command that does not mind them: it ends, and so does momo", async () => {
    const child = startMomo(["exec", "--", "sh", "-c", "echo ready; exec sleep 2"]);
    await child.stdout.until(/ready/);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(143);
  });

  test.concurrent("before the command runs: momo ends, and leaves no folder", async () => {
    const home = newFolder();
    const child = startMomo(["exec", "--", "sleep", "2"], { env: { TMPDIR: home } });
    while (readdirSync(home).length === 0) await Bun.sleep(1);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(143);
    expect(readdirSync(home)).toEqual([]);
  });
});
