import { realpathSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../sandbox/curl.ts";
import type { Environment } from "../environment.ts";

/** A command line of this program that works in every terminal of this machine, in every folder. */
export const commandLine = (environment: Environment, ...words: string[]): string =>
  [thisProgram(environment), ...words.map(quoted)].join(" ");

/** `momo` if the path leads to this program, otherwise its file, as short as it can be typed. */
function thisProgram(environment: Environment): string {
  const file = programFile(environment);
  const home = environment.homeFolder();
  const isBelowHome = home !== null && file.startsWith(`${home}/`) && quoted(file) === file;
  return isBelowHome ? `~${file.slice(home.length)}` : quoted(file);
}

/** `momo` if the path leads to this program, otherwise its whole file. */
export function programFile(environment: Environment): string {
  // The executable has the source in a virtual file system.
  const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main);
  const clone = join(import.meta.dir, "../..");
  const file = isExecutable ? process.execPath : join(clone, "bin/momo");
  const found = Bun.which("momo", { PATH: environment.searchPath() });
  return found !== null && [file, join(clone, "dist/momo")].includes(realpathSync(found)) ? "momo" : file;
}
