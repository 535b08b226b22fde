import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { GROUPS } from "../../cli/command-table.ts";
import { completions, run } from "../../cli/run.ts";
import { cleanUp, newFolder, newProgramFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { KEYS, openMomo, PROGRAM, runMomo, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

describe("help and version are data: stdout, exit 0", () => {
  test.concurrent.each([
    ["help", "--help"],
    ["help pay", "pay --help"],
    ["help keys create", "keys create --help"],
    ["help help", "help --help"],
  ])("momo %s is momo %s", async (words, same) => {
    const help = await runMomo(words.split(" "));
    expect(help).toMatchObject({ stdout: expect.stringMatching(/^Usage: momo/), stderr: "", exitCode: 0 });
    expect(help).toEqual(await runMomo(same.split(" ")));
  });

  test.concurrent("bare `momo` shows what to run first, and the lines can be pasted", async () => {
    const { stdout, stderr, exitCode } = await runMomo([]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const [serve = "", pay = ""] = stdout.split("\n").filter((line) => line.startsWith("  "));
    expect(serve).toEndWith(" serve");
    expect(pay).toEndWith(" pay 0712345678 100 --wait");
    expect(await runToEnd(["sh", "-c", `${serve} --help`])).toMatchObject({ stderr: "", exitCode: 0 });
  });
});

const nowhere = newFolder();

/** What a command line that fails prints on stderr, and its exit code. The command runs in this process. */
async function refusalOf(args: readonly string[]) {
  const write = spyOn(process.stderr, "write").mockReturnValue(true);
  process.env.MOMO_DATA = nowhere; // if it is not refused, it finds no sandbox
  try {
    await run(args, "1.0.0");
    return { stderr: write.mock.calls.map(([text]) => String(text)).join(""), exitCode: process.exitCode };
  } finally {
    write.mockRestore();
    delete process.env.MOMO_DATA;
    process.exitCode = 0;
  }
}

describe("usage errors are on stderr, exit 2, and name what is wrong", () => {
  test.concurrent("no request is sent, and nothing is on stdout", async () => {
    const server = serveFake(() => new Response());
    const run = await runMomo(["list", "--from", "2026-02-02", "--to", "2026-01-01", ...flagsOf(server)]);
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
    expect(run.stderr).toStartWith("momo: --from must not be after --to; they are 2026-02-02 and 2026-01-01\n");
    expect(server.requests).toEqual([]);
  });
});

describe("a bug of a command: one line on stderr, exit 1, and no stack trace", () => {
  const commands = GROUPS["Steer the sandbox:"] ?? {};
  const { outcomes } = commands;
  const action = () => {
    throw new TypeError("x is undefined");
  };
  const broken = async () => ({ default: () => new Command("outcomes").option("--json").action(action) });
  beforeAll(() => void Object.assign(commands, { outcomes: ["", broken] }));
  afterAll(() => void Object.assign(commands, { outcomes }));

  test("for people", async () => {
    expect(await refusalOf(["outcomes"])).toEqual({ stderr: "momo: x is undefined\n", exitCode: 1 });
  });

  test("with --json", async () => {
    const error = { code: "unexpected", message: "x is undefined", hint: null };
    expect(await refusalOf(["outcomes", "--json"])).toEqual({ stderr: `${JSON.stringify({ error })}\n`, exitCode: 1 });
  });
});

describe("standard output that cannot be written", () => {
  const shell = (script: string) => runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);

  test.concurrent("a reader that has gone, as in `momo list | head`: exit 0 and no message", async () => {
    for (const line of ["outcomes --json", `list ${at}`]) {
      expect((await shell(`{ sleep 0.1; "$@" ${line}; echo "exit $?" >&2; } | true`)).stderr).toBe("exit 0\n");
    }
  });

  test.concurrent("a full disk: exit 1 and one line", async () => {
    const { stderr } = await shell('"$@" outcomes --json >/dev/full; echo "exit $?" >&2');
    expect(stderr).toMatch(/^momo: .*\n(?: {6}.*\n)?exit 1\n$/);
  });
});

const sandbox = await startIn(newFolder());
await sandbox.control("POST", "/accounts", { name: "Till" });
const open = await sandbox.pay({}, "manual");
const { api_key: gone } = await sandbox.control("POST", "/keys", { label: "gone" });
await sandbox.control("DELETE", `/keys/${gone}`);

const at = sandbox.at.join(" ");

/** The typed words and the offered ones; after a colon the character that the shell adds. */
const OFFERED: [typed: string, offered: string][] = [
  ["se", "serve :"],
  ["nothing-begins-so", ":"],
  ["nosuch ", ":"],
  ["clock ", "show freeze advance resume :"],
  ["help clock f", "freeze :"],
  ["pay --out", "--outcome :"],
  ["pay 0712345678 1 --outcome ins", "insufficient_funds :"],
  ["answer 1 --outcome canc", "cancelled :"],
  ["rules add wrong", "wrong_pin :"],
  ["list --status ", "pending completed failed cancelled expired :"],
  ["list --type w", "web wallet_deposit :"],
  ["pay --kind credit", "credit_topup :"],
  ["env --format ", "shell powershell dotenv github json :"],
  [`keys revoke ${at} `, `${sandbox.headers["X-API-Key"]} :`],
  [`pay ${at} --account `, "1 2 :"],
  [`status ${at} ws_`, `${open} :`],
  [`answer ${at} `, `${open} :`],
  [`phone ${at} `, "254712345678 :"],
  ["export ", ":files"],
  ["serve --rules ", ":files"],
  ["list --data ", ":files"],
  ["exec -- ", ":commands"],
  ["exec -- npm ", ":files"],
  ["pay 0712345678 ", ":"],
];
test.concurrent.each(OFFERED)("momo %s: %s", async (typed, expected) => {
  const lines = (await completions(typed.split(" "), "1.0.0")).trimEnd().split("\n");
  expect(lines.map((line) => line.split("\t")[0]).join(" ")).toBe(expected);
});

test.concurrent("momo complete prints it: a word, a tab and a description on each line", async () => {
  const { stdout, stderr, exitCode } = await runMomo(["complete", "--", ""]);
  expect(stdout).toMatch(/^serve\t\w.*\n(?:[a-z]+\t.*\n)+:\n$/);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
});

/** How each shell starts without the user's settings, and how it reads the script. */
const SHELLS: [name: "bash" | "zsh" | "fish", flags: string, setUp: string][] = [
  ["bash", "--norc -i", "source <(momo completion bash)"],
  ["zsh", "-f -i", "autoload -Uz compinit && compinit -u -D && source <(momo completion zsh)"],
  ["fish", "--no-config --interactive", "momo completion fish | source"],
];

describe("Tab in a real shell completes, and runs nothing of what was typed", () => {
  for (const [name, flags, setUp] of SHELLS) {
    testWith([name], name, () => expectCompletion([name, ...flags.split(" ")], setUp));
  }
});

async function expectCompletion(program: readonly string[], setUp: string): Promise<void> {
  const folder = newProgramFolder();
  const momo = PROGRAM.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(folder, "momo"), `#!/bin/sh\nexec ${momo} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "zz-mine"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(folder, "my-copy.backup"), "");
  const PATH = `${folder}:${process.env.PATH}`;
  const env = { MOMO_DATA: sandbox.at[1], PATH, PS1: "$ ", SHELL: "/bin/sh" };
  const { screen, type } = openMomo([], { program, cwd: folder, columns: 200, env });
  type(`${setUp}; echo rea''dy\r`);
  await screen.until(/^.*ready\r?\n/m);
  for (const [typed, completed] of [
    ["momo clock fre", /momo clock freeze/],
    ["momo status ws", new RegExp(open)],
    ["momo import my-c", /my-copy\.backup/],
    ["momo exec -- zz-m", /exec -- zz-mine/],
    ["momo pay '$(touch made)' '`touch made`' --outcome insuff", /insufficient_funds/],
  ] as const) {
    type(typed + KEYS.tab);
    await screen.until(completed);
    type(KEYS.ctrlU);
  }
  type("exit\r");
  // fish may leave a hidden file here.
  const files = readdirSync(folder).filter((name) => !name.startsWith("."));
  expect(files.sort()).toEqual(["momo", "my-copy.backup", "zz-mine"]);
}

test.concurrent("momo completion powershell prints a script", async () => {
  const { stdout, stderr, exitCode } = await runMomo(["completion", "powershell"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain("momo complete --");
});
