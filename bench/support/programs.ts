import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compile, compileMomo } from "../../scripts/build.ts";
import { run } from "./processes.ts";

export const ROOT = join(import.meta.dir, "../..");

/** momo and both limits, compiled with the same flags. */
export interface Programs {
  readonly momo: string;
  readonly limit: string;
  readonly plain: string;
}

/** Always compiles all: an existing binary may be old. */
export async function buildPrograms(folder: string): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  const programs = { momo: join(folder, "momo"), limit: join(folder, "limit"), plain: join(folder, "plain") };
  // The executable contains the console's page, which a fresh clone does not have yet.
  await run([process.execPath, "scripts/build-console.mjs"], ROOT);
  await compileMomo(programs.momo);
  await compile("bench/limit.ts", programs.limit);
  await compile("bench/plain-limit.ts", programs.plain);
  return programs;
}
