import { realpathSync } from "node:fs";
import { join } from "node:path";
import { searchPath } from "../environment.ts";

/** A command line of this program that works in every terminal of this machine, in every folder. */
export function commandLine(...words: string[]): string {
  return [...thisProgram(), ...words].map(quoted).join(" ");
}

/** A word, quoted for a shell if necessary. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** `momo` if the path leads to this program, otherwise the whole path; if it runs from source, Bun and the source. */
function thisProgram(): string[] {
  // The executable has the source in a virtual file system.
  const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main);
  const root = join(import.meta.dir, "../..");
  const executable = isExecutable ? process.execPath : join(root, "dist/momo");
  const found = Bun.which("momo", { PATH: searchPath() });
  if (found !== null && realpathSync(found) === executable) return ["momo"];
  // Without --config, Bun would read bunfig.toml of the reader's folder.
  return isExecutable ? [executable] : [process.execPath, `--config=${join(root, "bunfig.toml")}`, Bun.main];
}
