import { mkdirSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { run } from "./processes.ts";

export const ROOT = join(import.meta.dir, "../..");

/** momo and the bare limit, compiled with the same flags. */
export interface Programs {
  readonly momo: string;
  readonly limit: string;
}

/** Compiles both, always: a binary that lies there may be of another day. */
export async function buildPrograms(folder: string): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  const [momo, limit] = [join(folder, "momo"), join(folder, "limit")];
  // The executable contains the console's page, which a fresh clone does not have yet.
  await run([process.execPath, "scripts/build-console.mjs"], ROOT);
  await compile("cli/main.ts", momo);
  await compile("bench/limit.ts", limit);
  return { momo, limit };
}

/** The build script of package.json with another entry and another file to write. */
async function compile(entry: string, outfile: string): Promise<void> {
  const [, command = ""] = packageJson.scripts.build.split("node_modules/.bin/bun ");
  const words = command
    .split(" ")
    .map((word) => (word === "cli/main.ts" ? entry : word === "dist/momo" ? outfile : word));
  if (!words.includes(entry) || !words.includes(outfile)) throw new Error("the build script has changed its shape");
  await run([process.execPath, ...words], ROOT);
}
