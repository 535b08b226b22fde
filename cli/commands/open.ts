import { Command } from "commander";
import { controlClient } from "../client/client.ts";
import { type ControlFlags, resolveControl } from "../client/target.ts";
import { controlOptions, withOptions } from "../terminal/options.ts";
import { print, tell } from "../terminal/output.ts";

interface OpenFlags extends ControlFlags {
  readonly print?: true;
}

export default function openCommand(): Command {
  const command = new Command("open").option("--print", "only print its address");
  return withOptions(command, ...controlOptions()).action(open);
}

async function open(flags: OpenFlags): Promise<void> {
  const target = resolveControl(flags);
  // Report a missing server here: a browser gives no hint.
  await controlClient(target).get("/health", {});
  const address = `${target.controlUrl}/`;
  print(address);
  if (flags.print) return;
  if (!startBrowser(address)) tell("No program here opens addresses: open it in a browser yourself.");
}

/** @returns whether a program opened the address */
function startBrowser(address: string): boolean {
  const command = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] }[process.platform as string] ?? ["xdg-open"];
  if (Bun.which(command[0] ?? "") === null) return false;
  const { exitCode } = Bun.spawnSync([...command, address], { stdio: ["ignore", "ignore", "ignore"] });
  return exitCode === 0;
}
