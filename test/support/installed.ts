import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePlatformPackage, makeUmbrella } from "../../scripts/release/npm.ts";
import { TARGETS, type Target } from "../../scripts/release/targets.ts";
import { builtBinary, ROOT } from "./binary.ts";
import { newFolder } from "./cleanup.ts";

/** A project with momo-sandbox in its node_modules, as the package is published. */

export const HOST = hostTarget();

function hostTarget(): Target {
  const found = TARGETS.find(({ os, cpu, libc }) => os === process.platform && cpu === process.arch && libc !== "musl");
  if (!found) throw new Error(`momo is not built for ${process.platform} on ${process.arch}`);
  return found;
}

/** @param options.platform whether the package with the executable is there */
export async function installPackages({ platform = true } = {}): Promise<string> {
  const project = newFolder();
  const modules = join(project, "node_modules");
  writeFileSync(join(project, "package.json"), JSON.stringify({ devDependencies: { "momo-sandbox": "*" } }));
  await makeUmbrella(ROOT, join(modules, "momo-sandbox"), TARGETS);
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../momo-sandbox/bin/momo.cjs", join(modules, ".bin/momo"));
  if (platform) {
    const folder = join(modules, "@momo-sandbox", HOST.name);
    const binary = await builtBinary();
    makePlatformPackage(folder, HOST, join(ROOT, "LICENSE"), []);
    const executable = join(folder, "bin", HOST.executable);
    cpSync(binary, executable);
    chmodSync(executable, 0o755);
  }
  return project;
}
