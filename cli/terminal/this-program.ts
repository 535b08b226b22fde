import { realpathSync } from "node:fs";
import { join } from "node:path";
import { searchPath } from "../environment.ts";

/** A command line of this program that a person can paste into any terminal of this machine, in any folder. */
export function commandLine(...words: string[]): string {
  return [...thisProgram(), ...words].map(quoted).join(" ");
}

/** A word as a shell reads it back. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** By its name where that leads here, else by its whole path; from source, through Bun. */
function thisProgram(): string[] {
  // Inside the executable the source lies in a file system of its own.
  const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main);
  const root = join(import.meta.dir, "../..");
  const executable = isExecutable ? process.execPath : join(root, "dist/momo");
  const found = Bun.which("momo", { PATH: searchPath() });
  if (found !== null && realpathSync(found) === executable) return ["momo"];
  // Of the settings and variables of the reader's folder Bun would take some.
  return isExecutable ? [executable] : [process.execPath, `--config=${join(root, "bunfig.toml")}`, Bun.main];
}
