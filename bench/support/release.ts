import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
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

const LOCK = "package-lock.json";

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
  if (hasSamePackages(source)) linkPackages(source);
  await run(["npm", "run", "build", "--silent"], { cwd: source });
  return join(source, "dist/momo");
}

/** Whether its build needs no other packages than those that are installed here. */
function hasSamePackages(source: string): boolean {
  const now = packagesOf(ROOT);
  return Object.entries(packagesOf(source)).every(([path, { version, dev }]) => {
    const mine = now[path];
    return mine === undefined ? dev === true : mine.version === version;
  });
}

function packagesOf(folder: string): Record<string, { readonly version?: string; readonly dev?: boolean }> {
  const { packages } = JSON.parse(readFileSync(join(folder, LOCK), "utf8"));
  // The project itself, which has another version.
  delete packages[""];
  return packages;
}

/** Gives it those packages, and the lock file that says so. Each has a link of its own: an installation would replace only links. */
function linkPackages(source: string): void {
  const modules = join(source, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  copyFileSync(join(ROOT, LOCK), join(source, LOCK));
}
