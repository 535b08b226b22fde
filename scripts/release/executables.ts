import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { unsign } from "macho-unsign";
import lock from "../../package-lock.json" with { type: "json" };
import { compile } from "../build.ts";
import { npmPack, run } from "./run.ts";
import type { Target } from "./targets.ts";

/** The runtimes that are kept between builds. */
const RUNTIMES = join(import.meta.dir, "../../dist/runtimes");

/**
 * Compiles momo for a target. Each has its own folder, because the name of the file is part of its bytes.
 * @returns the files that it contains
 */
export async function buildExecutable(target: Target, file: string): Promise<string[]> {
  const executablePath = await fetchRuntime(target);
  mkdirSync(dirname(file), { recursive: true });
  const files = await compile("cli/main.ts", file, { target: target.compileTarget, executablePath });
  // Bun signs for arm64. For x64 it leaves the signature of its runtime, which is wrong for the new file: macOS would kill the process.
  // Without a signature, macOS runs it.
  if (target.name === "darwin-x64") takeSignatureOff(file);
  return files;
}

function takeSignatureOff(file: string): void {
  const unsigned = unsign(readFileSync(file));
  if (unsigned !== null) writeFileSync(file, new Uint8Array(unsigned));
}

/**
 * Bun's runtime for a target, with the version and the checksum in package-lock.json. Bun's own download would trust every file in
 * its cache.
 * @returns the path of the runtime's executable
 * @throws Error if the checksum of the download is wrong
 */
async function fetchRuntime({ runtime, os }: Target): Promise<string> {
  const pins: Record<string, { version?: string; integrity?: string }> = lock.packages;
  const { version, integrity } = pins[`node_modules/${runtime}`] ?? {};
  if (!integrity) throw new Error(`package-lock.json pins no ${runtime}`);
  const name = `package/bin/${os === "win32" ? "bun.exe" : "bun"}`;
  const home = join(RUNTIMES, `${runtime.slice("@oven/".length)}-${version}`);
  if (existsSync(join(home, name))) return join(home, name);

  mkdirSync(RUNTIMES, { recursive: true });
  const draft = mkdtempSync(join(RUNTIMES, "draft-"));
  try {
    const tarball = await npmPack(`${runtime}@${version}`, draft);
    const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${runtime}@${version} is ${found}; package-lock.json pins ${integrity}`);
    await run(["tar", "-xzf", tarball, "-C", draft, name]);
    rmSync(tarball);
    chmodSync(join(draft, name), 0o755);
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return join(home, name);
}
