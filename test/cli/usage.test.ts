import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { cleanUp } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

const COMMANDS = ["serve", "pay", "status", "list", "merchants", "accounts", "keys", "outcomes", "env"];

describe("help and version are data: stdout, exit 0", () => {
  test.concurrent("`momo --help` names every command", async () => {
    const { stdout, stderr, exitCode } = await runMomo(["--help"]);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b.* {2}\\S`, "m"));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  for (const args of [...COMMANDS.map((command) => [command]), ["keys", "create"], ["accounts", "list"]]) {
    test.concurrent(`\`momo ${args.join(" ")} --help\` shows its usage`, async () => {
      const { stdout, stderr, exitCode } = await runMomo([...args, "--help"]);
      expect(stdout).toStartWith(`Usage: momo ${args.join(" ")} `);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    });
  }

  for (const flag of ["--version", "-V"]) {
    test.concurrent(`\`momo ${flag}\` equals package.json`, async () => {
      expect(await runMomo([flag])).toEqual({ stdout: `${packageJson.version}\n`, stderr: "", exitCode: 0 });
    });
  }
});

describe("usage errors are on stderr, exit 2, and name what is wrong", () => {
  const WRONG: [args: string[], named: RegExp][] = [
    [[], /Usage: momo/],
    [["keys"], /Usage: momo keys/],
    [["frobnicate"], /unknown command 'frobnicate'/],
    [["stauts"], /Did you mean status\?/],
    [["keys", "destroy"], /unknown command 'destroy'/],
    [["--frobnicate"], /unknown option '--frobnicate'/],
    [["outcomes", "--jsno"], /unknown option '--jsno'.*\n.*--json/],
    [["list", "--limt", "5"], /unknown option '--limt'/],
    [["serve", "--frobnicate"], /unknown option '--frobnicate'/],
    [["keys", "create", "--frobnicate"], /unknown option '--frobnicate'/],
    [["serve", "extra"], /too many arguments/],
    [["outcomes", "extra"], /too many arguments/],
    [["pay", "0712345678"], /missing required argument 'amount'/],
    [["pay", "0712345678", "a lot"], /'a lot'.*'amount'.*number of shillings/],
    [["pay", "0712345678", "-5"], /'-5'/],
    [["pay", "0712345678", "100", "--account", "x"], /--account.*whole number from 1/],
    [["pay", "0712345678", "100", "--kind", "gift"], /--kind.*Allowed choices/],
    [["pay", "0712345678", "100", "--interval", "1ms"], /--interval.*50ms or more/],
    [["pay", "0712345678", "100", "--timeout", "soon"], /--timeout.*duration.*250ms, 3s, 2m or 1h/],
    [["pay", "0712345678", "100", "--reference"], /--reference.*argument missing/],
    [["status"], /missing required argument 'checkout-id'/],
    [["accounts", "create", "--fee", "free"], /--fee.*tariff.*1\.5%\+10/],
    [["keys", "list", "--merchant", "0"], /--merchant.*whole number from 1/],
    [["keys", "revoke"], /missing required argument 'api-key'/],
    [["env", "--format", "fish"], /--format.*Allowed choices are shell, dotenv, github, json/],
  ];

  for (const [args, named] of WRONG) {
    test.concurrent(`\`momo ${args.join(" ")}\``, async () => {
      const { stdout, stderr, exitCode } = await runMomo(args);
      expect(stderr).toMatch(named);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).not.toContain(join("cli", "run.ts"));
    });
  }

  test.concurrent("with --json a usage error is an error record on stderr", async () => {
    const run = await runMomo(["list", "--limt", "5", "--json"]);
    expect(failureOf(run)).toEqual({
      code: "usage",
      message: "unknown option '--limt'",
      hint: expect.stringContaining("--limit"),
    });
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test.concurrent("with --json a missing command is an error record and nothing else", async () => {
    const run = await runMomo(["keys", "--json"]);
    expect(failureOf(run).code).toBe("usage");
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
  });
});

describe("a reader that goes away, and a disk that is full", () => {
  const shell = (script: string) => runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);

  test.concurrent("a reader that has gone away, as in `momo list | head`, has seen what it wanted: exit 0", async () => {
    const { stderr } = await shell('{ sleep 0.1; "$@" outcomes --json; echo "exit $?" >&2; } | true');
    expect(stderr).toBe("exit 0\n");
  });

  test.concurrent("data that could not be written is not success, and is told in one line", async () => {
    const { stderr } = await shell('"$@" outcomes --json >/dev/full; echo "exit $?" >&2');
    expect(stderr).toMatch(/^momo: .*\n(?: {6}.*\n)?exit 1\n$/);
  });
});
