import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Command } from "commander";
import { namingNeighbour } from "../../cli/client/running.ts";
import { GROUPS } from "../../cli/command-table.ts";
import { NoServer } from "../../cli/terminal/failure.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

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
