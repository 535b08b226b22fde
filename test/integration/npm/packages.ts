import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { makePlatformPackage, makeUmbrella } from "../../../scripts/release/npm.ts";
import { TARGETS, type Target } from "../../../scripts/release/targets.ts";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { newFolder } from "../../support/cleanup.ts";

const HOST = hostTarget();

function hostTarget(): Target {
  const found = TARGETS.find(({ os, cpu, libc }) => os === process.platform && cpu === process.arch && libc !== "musl");
  if (!found) throw new Error(`momo is not built for ${process.platform} on ${process.arch}`);
  return found;
}

/**
 * A project with the npm package in its node_modules, as it is published.
 * @param options.platform whether the package with the executable is there
 */
export async function installPackages({ platform = true } = {}): Promise<string> {
  const project = newFolder();
  const modules = join(project, "node_modules");
  writeFileSync(join(project, "package.json"), JSON.stringify({ devDependencies: { [manifest.name]: "*" } }));
  await makeUmbrella(ROOT, join(modules, manifest.name), TARGETS);
  mkdirSync(join(modules, ".bin"));
  symlinkSync(`../${manifest.name}/npm/bin/momo.cjs`, join(modules, ".bin/momo"));
  if (platform) makePlatformPackage(join(modules, `@${manifest.name}`, HOST.name), HOST, await builtBinary(), []);
  return project;
}
