import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { cleanUp } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

const COMMANDS = ["help", "serve", "pay", "status", "list", "merchants", "accounts", "keys", "outcomes", "env"];

describe("help and version are data: stdout, exit 0", () => {
  test.concurrent("`momo --help` names every command", async () => {
    const { stdout, stderr, exitCode } = await runMomo(["--help"]);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b.* {2}\\S`, "m"));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  for (const [args, same] of [
    [["help"], ["--help"]],
    [
      ["help", "pay"],
      ["pay", "--help"],
    ],
    [
      ["help", "keys", "create"],
      ["keys", "create", "--help"],
    ],
  ] as const) {
    test.concurrent(`\`momo ${args.join(" ")}\` is \`momo ${same.join(" ")}\``, async () => {
      const run = await runMomo(args);
      expect(run).toMatchObject({ stdout: expect.stringMatching(/^Usage: momo/), stderr: "", exitCode: 0 });
      expect(run).toEqual(await runMomo(same));
    });
  }

  test.concurrent("bare `momo` shows what to run first, as it can be pasted", async () => {
    const { stdout, stderr, exitCode } = await runMomo([]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const [serve = "", pay = ""] = stdout.split("\n").filter((line) => line.startsWith("  "));
    expect(serve).toEndWith(" serve");
    expect(pay).toEndWith(" pay 0712345678 100 --wait");
    expect(await runToEnd(["sh", "-c", `${serve} --help`])).toMatchObject({ stderr: "", exitCode: 0 });
  });

  for (const flag of ["--version", "-V"]) {
    test.concurrent(`\`momo ${flag}\` equals package.json`, async () => {
      expect(await runMomo([flag])).toEqual({ stdout: `${packageJson.version}\n`, stderr: "", exitCode: 0 });
    });
  }
});

describe("usage errors are on stderr, exit 2, and name what is wrong", () => {
  const WRONG: [args: string[], named: RegExp][] = [
    [["help", "frobnicate"], /unknown command 'frobnicate'/],
    [["help", "keys", "destroy"], /unknown command 'destroy'.*\n.*momo keys --help/],
    [["keys"], /Usage: momo keys/],
    [["frobnicate"], /unknown command 'frobnicate'/],
    [["stauts"], /Did you mean status\?/],
    [["keys", "destroy"], /unknown command 'destroy'/],
    [["--frobnicate"], /unknown option '--frobnicate'/],
    [["outcomes", "--jsno"], /unknown option '--jsno'.*\n.*--json/],
    [["list", "--limt", "5"], /unknown option '--limt'\n +Did you mean --limit\? momo list --help/],
    [["completion", "tcsh"], /SHELL must be one of .*bash.*; it is "tcsh"/],
    [["serve", "--frobnicate"], /unknown option '--frobnicate'/],
    [["keys", "create", "--frobnicate"], /unknown option '--frobnicate'/],
    [["serve", "extra"], /too many arguments/],
    [["outcomes", "extra"], /too many arguments/],
    [["pay", "0712345678"], /AMOUNT is missing/],
    [["pay"], /PHONE and AMOUNT are missing\n +momo pay --help/],
    [["pay", "0712345678", "a lot"], /AMOUNT must be a number of shillings, such as 100 or 99\.50; it is "a lot"\n/],
    [
      ["pay", "0712345678", "100", "50"],
      /PHONE must be .*\+254 712 345 678; it is "0712345678 100"\n +momo pay --help/,
    ],
    [["pay", "0712345678", "-5"], /AMOUNT must be .*; it is "-5"/],
    [["pay", "0712345678", "100", "--account", "x"], /--account must be a whole number from 1; it is "x"\n/],
    [["pay", "0712345678", "100", "--kind", "gift"], /--kind must be one of api, web, .*; it is "gift"\n/],
    [["pay", "0712345678", "100", "--interval", "1ms"], /--interval.*50ms or more/],
    [["pay", "0712345678", "100", "--timeout", "soon"], /--timeout.*duration.*250ms, 3s, 2m or 1h/],
    [["pay", "0712345678", "100", "--reference"], /--reference needs a value: --reference <text>/],
    [["status"], /PAYMENT is missing\n +momo status --help/],
    [["accounts", "create", "--fee", "free"], /--fee.*tariff.*1\.5%\+10/],
    [["keys", "list", "--merchant", "0"], /--merchant.*whole number from 1/],
    [["keys", "revoke"], /API-KEY is missing\n +momo keys revoke --help/],
    [["env", "--format", "fish"], /--format must be one of shell, powershell, dotenv, github, json; it is "fish"/],
  ];

  for (const [args, named] of WRONG) {
    test.concurrent(`\`momo ${args.join(" ")}\``, async () => {
      const { stdout, stderr, exitCode } = await runMomo(args);
      expect(stderr).toMatch(named);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).not.toContain(join("cli", "run.ts"));
    });
  }

  test.concurrent("of a long value its beginning is shown, of a secret nothing", async () => {
    const { stderr } = await runMomo(["pay", "0712345678", "100", "--account", `${"9".repeat(5000)}x`]);
    expect(stderr.length).toBeLessThan(300);
    const secret = `ms_${"a1".repeat(20)}`;
    expect((await runMomo(["pay", "0712345678", secret])).stderr).toMatch(/it is "\[redacted\]"/);
  });

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
