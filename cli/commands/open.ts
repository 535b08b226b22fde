import { delimiter } from "node:path";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { controlClient } from "../client/client.ts";
import { type ControlFlags, resolveControl } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { controlOptions, withOptions } from "../terminal/options.ts";

export function openCommand(io: Io): Command {
  const command = new Command("open").option("--print", "only print its address");
  withOptions(command, ...controlOptions());
  return command.action((flags: OpenFlags) => open(io, flags));
}

interface OpenFlags extends ControlFlags {
  readonly print?: true;
}

async function open(io: Io, flags: OpenFlags): Promise<void> {
  const target = resolveControl(io, flags);
  // Report a missing server here: a browser gives no hint.
  await controlClient(target).get("/health", {});
  const address = `${target.controlUrl}/`;
  io.print(address);
  if (flags.print) return;
  const browser = io.environment.callersVariable("BROWSER");
  if (browser === undefined ? startUsual(address) : browser.split(delimiter).some((one) => startNamed(one, address)))
    return;
  const reason = browser === undefined ? "No program here opens addresses" : `BROWSER=${browser} opens no address`;
  io.tell(`${reason}: open it in a browser yourself.`);
}

/** Linux in Windows (WSL) has `wslview` instead of `xdg-open`. */
const OPENERS: { readonly [platform: string]: readonly (readonly string[])[] } = {
  darwin: [["open"]],
  win32: [["cmd", "/c", "start", ""]],
};

/** @returns whether a program opened the address */
function startUsual(address: string): boolean {
  const command = OPENERS[process.platform] ?? [["xdg-open"], ["wslview"]];
  const installed = command.filter(([program = ""]) => Bun.which(program) !== null);
  return installed.some((words) => succeeds([...words, address], ["ignore", "ignore", "ignore"]));
}

/** One of the commands in `BROWSER`. It may have options, and `%s` in the place of the address; it may be a browser for the terminal. */
function startNamed(command: string, address: string): boolean {
  const words = command.trim().split(/\s+/);
  if (Bun.which(words[0] ?? "") === null) return false;
  const filled = words.map((word) => word.replaceAll("%s", () => address));
  const all = command.includes("%s") ? filled : [...filled, address];
  return succeeds(all, ["inherit", 2, "inherit"]);
}

/** False also for a file that the system cannot run. */
const succeeds = (words: string[], stdio: ["ignore" | "inherit", "ignore" | 2, "ignore" | "inherit"]): boolean =>
  readOrNull(() => Bun.spawnSync(words, { stdio }).exitCode) === 0;
