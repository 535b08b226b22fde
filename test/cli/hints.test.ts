import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { ready, at } = await serveMomo();
const backup = join(newFolder(), "momo.backup");
await runMomo(["export", backup, ...at]);

const NOBODY = { MOMO_BASE_URL: "http://127.0.0.1:1/v2", MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" };
const NO_KEY = { MOMO_BASE_URL: ready.base_url };
const BAD_KEY = { ...NOBODY, ...NO_KEY };
const NO_API = { ...BAD_KEY, MOMO_BASE_URL: new URL(ready.base_url).origin };

/** What the help of a command says, asked for once. */
const helps = new Map<string, Promise<string>>();
function helpOf(...name: string[]): Promise<string> {
  const help = helps.get(name.join(" ")) ?? runMomo([...name, "--help"]).then(({ stdout }) => stdout);
  helps.set(name.join(" "), help);
  return help;
}

const FAILING: [args: string[], env: Record<string, string>][] = [
  ...[["pay", "0712345678", "100"], ["status", "ws_CO_1"], ["list"], ["env"]].flatMap((args) =>
    [{}, NOBODY, NO_KEY].map((env): [string[], Record<string, string>] => [args, env]),
  ),
  ...[["clock", "show"], ["reset"], ["answer", "ws_CO_1", "--pin", "1"], ["answer", "ws_CO_1"]].flatMap((args) =>
    [{}, NOBODY].map((env): [string[], Record<string, string>] => [args, env]),
  ),
  [["pay", "0712345678", "100"], BAD_KEY],
  [["list"], BAD_KEY],
  [["list"], NO_API],
  [["merchants", "list"], {}],
  [["accounts", "create", "--name", "Till"], {}],
  [["keys", "create"], {}],
  [["keys", "revoke", "mk_1", ...at], {}],
  [["export", join(newFolder(), "copy")], {}],
  [["export", backup, ...at], {}],
  [["export", join(newFolder(), "nowhere", "copy"), ...at], {}],
  [["import", newFolder()], {}],
  [["import", backup, ...at], {}],
  [["serve", "--port", "0", ...at], {}],
];

test.concurrent.each(FAILING)(
  "a hint names only what the command accepts, and commands that exist: momo %j %j",
  async (args, env) => {
    const run = await runMomo([...args, "--json"], { env });
    const { message, hint } = failureOf(run);
    const said = `${message}; ${hint}`;
    const name = args.slice(0, ["clock", "merchants", "accounts", "keys"].includes(args[0] ?? "") ? 2 : 1);
    const help = await helpOf(...name);
    // After the name of another command a flag is that command's.
    for (const [flag] of said.replaceAll(/momo \w+/g, "").matchAll(/(?<!\S)--[a-z-]+/g)) {
      expect(help).toMatch(new RegExp(`${flag}\\b`));
    }
    for (const [, other] of said.matchAll(/\bmomo ([a-z]+)/g)) {
      expect(await helpOf(String(other))).toStartWith(`Usage: momo ${other} `);
    }
  },
);
