import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { allGroups, COMMANDS, makeCommand } from "../../cli/command-table.ts";
import { helpPages, run } from "../../cli/run.ts";
import { Command } from "../../cli/terminal/command.ts";
import { parseDuration } from "../../src/domain/duration.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf } from "../support/fake-server.ts";
import { runHere } from "../support/here.ts";
import { TestIo } from "../support/io.ts";
import { failureOf, openMomo, PROGRAM, runMomo, runToEnd } from "../support/momo.ts";
import { Recording, withoutLists } from "../support/recording.ts";
import { startIn } from "../support/sandbox.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

afterAll(cleanUp);

test.concurrent("bare `momo` shows what to run first, and the lines can be pasted", async () => {
  const { stdout, stderr, exitCode } = await runMomo([]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const [serve = "", pay = ""] = stdout.split("\n").filter((line) => line.startsWith("  "));
  expect(serve).toEndWith(" serve");
  expect(pay).toEndWith(" pay 0712345678 100 --wait");
  expect(await runToEnd(["sh", "-c", `${serve} --help`])).toMatchObject({ stderr: "", exitCode: 0 });
});

const sandbox = await startIn(newFolder());

const nowhere = newFolder();

async function refusalOf(args: readonly string[]) {
  // If it is not refused, it finds no sandbox.
  const { stderr, exitCode } = await runHere(args, { environment: { MOMO_DATA: nowhere }, folder: nowhere });
  return { stderr, exitCode };
}

describe("a bug of a command: one line on stderr, exit 1, and no stack trace", () => {
  const commands = COMMANDS["Steer the sandbox:"];
  const { outcomes } = commands;
  const action = () => {
    throw new TypeError("x is undefined");
  };
  const broken = async () => ({ outcomesCommand: () => new Command("outcomes").option("--json").action(action) });
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
    for (const line of ["outcomes --json", `list ${sandbox.at.join(" ")}`]) {
      expect((await shell(`{ sleep 0.1; "$@" ${line}; echo "exit $?" >&2; } | true`)).stderr).toBe("exit 0\n");
    }
  });

  test.concurrent("a full disk: exit 1 and one line", async () => {
    const { stderr } = await shell('"$@" outcomes --json >/dev/full; echo "exit $?" >&2');
    expect(stderr).toMatch(/^momo: .*\n(?: {6}.*\n)?exit 1\n$/);
  });

  test.concurrent("a server ends, because nobody gets its ready record", async () => {
    const { stderr } = await shell('"$@" serve --json --port 0 --ephemeral >/dev/full; echo "exit $?" >&2');
    expect(stderr).toMatch(/^.*"standard output cannot be written: the disk is full .*\nexit 1\n$/);
  });
});

test.concurrent("a table of momo list takes two requests for any number of rows, the second for what only the sandbox knows, if it is one", async () => {
  const transactions = [7, 8].map((id) => ({ id, status: "pending", amount: 1, reference: `R-${id}` }));
  const pagination = { current_page: 1, total_pages: 1, total_items: 2 };
  const baseUrl = "http://pay.example/v2";
  const MOMO_CONTROL_URL = "http://pay.example/_momo";
  const environment = { MOMO_BASE_URL: baseUrl, MOMO_CONTROL_URL, MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" };
  const urls: string[] = [];
  const send = async (url: string) => {
    urls.push(url);
    return Response.json({ success: true, message: "", transactions, pagination });
  };
  const io = new TestIo({ words: ["list", "--format", "table", "--limit", "2"], environment, send });
  expect(await run(io, "1.0.0")).toBe(0);
  expect(io.printed).toMatch(/R-7[\s\S]*R-8/);
  const [first, ofSandbox] = [`${baseUrl}/transactions.php?limit=2`, "/transactions?limit=2&api_key=mk_1"];
  expect(urls).toEqual([first, MOMO_CONTROL_URL + ofSandbox]);
  await run(new TestIo({ words: [...io.words, ...flagsOf({ baseUrl }), ...sandbox.at], environment, send }), "1.0.0");
  expect(urls.slice(2)).toEqual([first]);
});

describe("help", () => {
  test("has groups, and for every command examples, and where to read more, in 80 columns", async () => {
    const pages = await helpPages(new TestIo(), "1.0.0");
    const names = new Set(pages.map(({ name }) => name));
    expect(pages[0]?.text).toMatch(/Run a sandbox:\n[\s\S]*Payments:\n[\s\S]*Steer the sandbox:\n[\s\S]*Shell:\n/);
    for (const name of ["momo pay", "momo rules add", "momo keys create"]) expect(names).toContain(name);
    expect(pages.find(({ name }) => name === "momo serve")?.text).toContain("--require-replica");
    for (const { name, text } of pages) {
      if (name === "momo help" || name === "momo version") continue;
      const isOfCommand = !name.includes(" ", 5);
      // A sub-command does not say it again.
      expect(/\nmomo help .* exit-codes the exit codes\.\n$/.test(text), name).toBe(isOfCommand);
      for (const line of text.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
      const [, examples = ""] = text.split("\nExamples:\n");
      if (isOfCommand) expect(examples).toContain("  ");
      for (const [, command] of examples.matchAll(/^ {2}.*?\bmomo ([a-z]+)/gm))
        expect(names).toContain(`momo ${command}`);
    }
  });

  test.concurrent("is wrapped to the width of the terminal", async () => {
    const { screen, exited } = openMomo(["help", "pay"], { columns: 60 });
    expect(await exited).toBe(0);
    const options = screen.text.split("Examples:")[0] ?? "";
    for (const line of options.split("\r\n")) expect(line.length).toBeLessThanOrEqual(60);
  });
});

const { baseUrl, at } = sandbox;
const backup = join(newFolder(), "momo.backup");
await runMomo(["export", backup, ...at]);

/** Every command by its name, such as `keys create`. */
const commands = new Map<string, Command>();
for (const table of Object.values(await allGroups())) {
  for (const [name, [, load]] of Object.entries(table)) {
    const command = await makeCommand(new TestIo(), name, load);
    commands.set(name, command);
    for (const child of command.commands) commands.set(`${name} ${child.name()}`, child);
  }
}

test("every command makes its refusals itself, and not commander", () => {
  for (const [name, command] of commands) expect(command, name).toBeInstanceOf(Command);
});

test("the help shows the defaults of a wait as they are", () => {
  const named = (commands.get("pay")?.options ?? []).filter(({ defaultValue }) => typeof defaultValue === "number");
  const shown = named.map(({ defaultValueDescription }) => parseDuration(String(defaultValueDescription), "It"));
  expect(shown).toEqual([3000, 120_000]);
  expect(named.map(({ defaultValue }) => defaultValue)).toEqual(shown);
});

const NO_SERVER = {};
const NOTHING_LISTENS = { MOMO_BASE_URL: "http://127.0.0.1:1/v2", MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" };
const NO_KEY = { MOMO_BASE_URL: baseUrl };
const BAD_KEY = { ...NOTHING_LISTENS, ...NO_KEY };

test.concurrent.each<[name: string, args: string[], env: Record<string, string>, exitCode: number]>([
  ["pay", ["0712345678", "100"], NO_SERVER, 6],
  ["pay", ["0712345678", "100"], NO_KEY, 2],
  ["pay", ["0712345678", "100"], BAD_KEY, 2], // no payment account is known for it
  ["status", ["ws_CO_1"], NO_SERVER, 6],
  ["pay", ["0712345678", "100", "--account", "9", ...at], {}, 5],
  ["status", ["ws_CO_99", ...at], {}, 3],
  ["answer", ["ws_CO_99", "--pin", "1234", ...at], {}, 3],
  ["list", [], NO_SERVER, 6],
  ["list", [], NO_KEY, 2],
  ["list", [], NOTHING_LISTENS, 6],
  ["list", [], BAD_KEY, 4],
  ["answer", ["ws_CO_1", "--pin", "1234"], NO_SERVER, 6],
  ["clock show", [], NOTHING_LISTENS, 6],
  ["audit", [], NO_SERVER, 6],
  ["webhooks list", [], NO_SERVER, 6],
  ["snapshot list", [], NO_SERVER, 6],
  ["merchants list", [], {}, 3],
  ["accounts create", ["--name", "Till"], {}, 3],
  ["keys create", [], {}, 3],
  ["export", [join(newFolder(), "copy")], {}, 3],
  ["export", [backup, ...at], {}, 1],
  ["import", [backup, ...at], {}, 1],
  ["serve", ["--port", "0", ...at], {}, 1],
])("momo %s %j with %j: the hint names only what the command accepts", async (name, args, env, exitCode) => {
  const run = await runMomo([...name.split(" "), ...args, "--json"], { env });
  expect(run).toMatchObject({ stdout: "", exitCode });
  const { message, hint } = failureOf(run);
  expect(hint).not.toBeNull();
  const said = `${message}; ${hint}`;
  const flags = commands.get(name)?.options.map(({ long }) => String(long));
  // A flag after the name of another command belongs to that command.
  const own = said.replaceAll(/momo \w+(?: create(?: --(?:name|id) \S+)*)?/g, "");
  for (const [flag] of own.matchAll(/(?<!\S)--[a-z-]+/g)) expect(flags).toContain(flag);
  for (const [, other = ""] of said.matchAll(/\bmomo ([a-z]+)/g)) expect([...commands.keys()]).toContain(other);
});

/**
 * The words that no command accepts: after `=>` stand the exit code and the lines on stderr, with ` / ` between them.
 * MOMO_TEST_RECORD=1 writes them again: read them.
 */

const recording = new Recording(join(import.meta.dir, "usage-refusals.txt"), "\n");

test(
  "each usage error has its exit code and its words, and is found before a server is looked for",
  async () => {
    const cwd = newFolder();
    const told: string[] = [];
    for (const line of recording.texts) {
      const [command = ""] = line.split(" =>");
      // Only quotes are special, as they are in a shell, and a part such as <x * 101>: 101 times x.
      const words = (command.match(/(?:'[^']*'|"[^"]*"|<[^>]*>|[^\s'"<])+/g) ?? []).map((word) =>
        word
          .replaceAll(/['"]/g, "")
          .replaceAll(/<(.) \* (\d+)>/g, (_, sign: string, times: string) => sign.repeat(Number(times))),
      );
      const variables = words.splice(0, words.indexOf("momo") + 1).slice(0, -1);
      const env = Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s, 2)));
      const { stdout, stderr, exitCode } = await runMomo(words, { cwd, env, isRefused: true });
      const said = stderr
        .trimEnd()
        .replace(/^momo: /, "")
        .replaceAll(/\n +/g, " / ")
        .replaceAll("\n", " / ");
      told.push(withoutLists(`${command} => ${[exitCode, stdout, said].filter((part) => part !== "").join(" ")}`));
    }
    recording.compareAll(told);
    expect(readdirSync(cwd)).toEqual([]);
    expect(told.filter((line) => !/ => 2 /.test(line))).toEqual([]);
  },
  PATIENCE_MS,
);
