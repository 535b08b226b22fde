import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../scripts/release/run.ts";
import { type Bench, ROOT } from "./servers.ts";

/** The last release, with which momo is compared. */
export interface LastRelease {
  readonly revision: string;
  /** Null if it cannot be built here. */
  readonly program: string | null;
  /** Why it cannot be built. */
  readonly why: string;
}

/** Until there is a release, the fastest commit so far. */
const FASTEST = "508fac47";

export async function lastRelease(bench: Bench): Promise<LastRelease> {
  const git = ["git", "describe", "--tags", "--abbrev=0", "--match", "v*"];
  const tag = await run(git, { cwd: ROOT }).catch(() => "");
  const revision = tag.trim() || FASTEST;
  bench.progress(`building ${revision}`);
  try {
    return { revision, program: await buildOf(bench, revision), why: "" };
  } catch (error) {
    const [why = ""] = String((error as Error).message).split("\n");
    return { revision, program: null, why };
  }
}

/**
 * Builds an earlier version, with the packages of its own lock file.
 * @returns its executable
 * @throws Error if this clone does not have the revision, or a package cannot be had
 */
async function buildOf({ folder }: Bench, revision: string): Promise<string> {
  const source = join(folder, "before");
  mkdirSync(source, { recursive: true });
  await run(["git", "archive", "--output", `${source}.tar`, revision], { cwd: ROOT });
  await run(["tar", "-xf", `${source}.tar`, "-C", source]);
  await run(["npm", "run", "build", "--silent"], { cwd: source });
  return join(source, "dist/momo");
}
