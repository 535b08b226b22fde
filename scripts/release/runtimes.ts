import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import type { Target } from "./targets.ts";

/**
 * Bun's runtime for a target, with the version and the checksum in package-lock.json. Bun's own download would trust every file in
 * its cache.
 * @param folder where runtimes are kept between builds
 * @returns the path of the runtime's executable
 * @throws Error if the checksum of the download is wrong
 */
export async function fetchRuntime({ runtime, os }: Target, root: string, folder: string): Promise<string> {
  const { version, integrity } = pinned(runtime, join(root, "package-lock.json"));
  const name = os === "win32" ? "bun.exe" : "bun";
  const home = join(folder, `${runtime.slice("@oven/".length)}-${version}`);
  const executable = join(home, "package", "bin", name);
  if (existsSync(executable)) return executable;

  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(join(folder, "draft-"));
  try {
    const packed = await run(["npm", "pack", "--silent", `${runtime}@${version}`], { cwd: draft });
    const tarball = join(draft, packed.trim().split("\n").at(-1) ?? "");
    const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${runtime}@${version} is ${found}; package-lock.json pins ${integrity}`);
    await run(["tar", "-xzf", tarball, "-C", draft, `package/bin/${name}`]);
    rmSync(tarball);
    chmodSync(join(draft, "package", "bin", name), 0o755);
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return executable;
}

function pinned(name: string, lockFile: string): { version: string; integrity: string } {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"));
  const entry = packages[`node_modules/${name}`];
  if (!entry?.integrity) throw new Error(`package-lock.json pins no ${name}`);
  return entry;
}
