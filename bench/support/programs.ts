import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../scripts/build.ts";
import { run } from "./processes.ts";

export const ROOT = join(import.meta.dir, "../..");

/** momo and the bare limit, compiled with the same flags. */
export interface Programs {
  readonly momo: string;
  readonly limit: string;
}

/** Always compiles both: an existing binary may be old. */
export async function buildPrograms(folder: string): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  const [momo, limit] = [join(folder, "momo"), join(folder, "limit")];
  // The executable contains the console's page, which a fresh clone does not have yet.
  await run([process.execPath, "scripts/build-console.mjs"], ROOT);
  await compile("cli/main.ts", momo);
  await compile("bench/limit.ts", limit);
  return { momo, limit };
}
