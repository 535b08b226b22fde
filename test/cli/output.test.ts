import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Command } from "commander";
import { namingNeighbour } from "../../cli/client/running.ts";
import { GROUPS } from "../../cli/command-table.ts";
import { helpPages } from "../../cli/run.ts";
import { NoServer } from "../../cli/terminal/failure.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, openMomo, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
const momo = (...args: string[]) => runMomo([...args, ...sandbox.at]);
const jsonOf = async (...args: string[]) => JSON.parse((await momo(...args)).stdout);
const first = await sandbox.pay({}, "manual");
await sandbox.pay({ amount: 99.5, phone: "0798765432" }, "manual");

describe("one rule for output: a layout at a terminal, JSON in a pipe, or as --format says", () => {
  const RECORDS = [
    ["status", first],
    ["clock", "show"],
    ["default", "show"],
  ];
  test.concurrent.each(RECORDS)("momo %s %s: JSON in a pipe, words at a terminal, tsv", async (...args) => {
    const json = await jsonOf(...args);
    expect(json).toMatchObject({ success: true });
    const { screen, exited } = openMomo([...args, ...sandbox.at]);
    expect(await exited).toBe(0);
    expect(screen.text).not.toMatch(/^\{/);
    const tsv = (await momo(...args, "--format", "tsv")).stdout.split("\n");
    expect(tsv[0]?.split("\t")).toEqual(Object.keys(json));
    expect(tsv).toHaveLength(3);
  });

  test.concurrent("--json is --format json; together with another format it is a usage error", async () => {
    const args = ["default", "show"];
    const { screen, exited } = openMomo([...args, "--json", ...sandbox.at]);
    expect(await exited).toBe(0);
    expect(JSON.parse(screen.text)).toEqual(await jsonOf(...args, "--format", "json"));
    expect((await momo(...args, "--json", "--format", "tsv")).exitCode).toBe(2);
  });
});

describe("help", () => {
  test("has groups, and for every command examples, and where to read more, in 80 columns", async () => {
    const pages = await helpPages("1.0.0");
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

const { baseUrl, at } = await startIn(newFolder());
const backup = join(newFolder(), "momo.backup");
await runMomo(["export", backup, ...at]);

/** Every command by its name, such as `keys create`. */
const commands = new Map<string, Command>();
for (const table of Object.values(GROUPS)) {
  for (const [name, [, load]] of Object.entries(table)) {
    const command = (await load()).default();
    commands.set(name, command);
    for (const child of command.commands) commands.set(`${name} ${child.name()}`, child);
  }
}

const NO_SERVER = {};
const NOTHING_LISTENS = { MOMO_BASE_URL: "http://127.0.0.1:1/v2", MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" };
const NO_KEY = { MOMO_BASE_URL: baseUrl };
const BAD_KEY = { ...NOTHING_LISTENS, ...NO_KEY };

test("what is missing is named: the accounts, the list of payments, the sandbox on the default port", async () => {
  const { origin, at } = await startIn(newFolder());
  const hintOf = async (...args: string[]) => failureOf(await runMomo([...args, "--json", ...at])).hint;
  expect(await hintOf("pay", "0712345678", "100", "--account", "9")).toBe("give one with --account");
  for (const id of ["99", "ws_CO_99"]) expect(await hintOf("status", id)).toBe("momo list shows the payments");
  const neighbour = await namingNeighbour(new NoServer("/nowhere"), Number(new URL(origin).port));
  expect(neighbour.hint).toBe(`one answers at ${origin}/v2: name it with ${at.join(" ")}`);
});

test.concurrent.each<[name: string, args: string[], env: Record<string, string>, exitCode: number]>([
  ["pay", ["0712345678", "100"], NO_SERVER, 6],
  ["pay", ["0712345678", "100"], NO_KEY, 2],
  ["pay", ["0712345678", "100"], BAD_KEY, 2], // no payment account is known for it
  ["status", ["ws_CO_1"], NO_SERVER, 6],
  ["status", ["ws_CO_1"], NO_KEY, 2],
  ["pay", ["0712345678", "100", "--account", "9", ...at], {}, 5],
  ["status", ["99", ...at], {}, 3],
  ["status", ["ws_CO_99", ...at], {}, 3],
  ["answer", ["ws_CO_99", "--pin", "1234", ...at], {}, 3],
  ["list", [], NO_SERVER, 6],
  ["list", [], NO_KEY, 2],
  ["list", [], NOTHING_LISTENS, 6],
  ["list", [], BAD_KEY, 4],
  ["env", [], NO_SERVER, 6],
  ["env", [], NO_KEY, 2],
  ["answer", ["ws_CO_1", "--pin", "1234"], NO_SERVER, 6],
  ["clock show", [], NO_SERVER, 6],
  ["clock show", [], NOTHING_LISTENS, 6],
  ["reset", [], NO_SERVER, 6],
  ["audit", [], NO_SERVER, 6],
  ["webhooks list", [], NO_SERVER, 6],
  ["snapshot list", [], NO_SERVER, 6],
  ["merchants list", [], {}, 3],
  ["accounts create", ["--name", "Till"], {}, 3],
  ["keys create", [], {}, 3],
  ["export", [join(newFolder(), "copy")], {}, 3],
  ["export", [backup, ...at], {}, 1],
  ["export", [join(newFolder(), "nowhere", "copy"), ...at], {}, 1],
  ["import", [newFolder()], {}, 1],
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
  for (const [flag] of said.replaceAll(/momo \w+(?: create --name)?/g, "").matchAll(/(?<!\S)--[a-z-]+/g))
    expect(flags).toContain(flag);
  for (const [, other = ""] of said.matchAll(/\bmomo ([a-z]+)/g)) expect([...commands.keys()]).toContain(other);
});
