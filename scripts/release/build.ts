import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type Member, writeTarGz, writeZip } from "./archives.ts";
import { componentsOf, filesOfConsole, noticesOf } from "./components.ts";
import { buildExecutable } from "./executables.ts";
import { makePlatformPackage, makeUmbrella } from "./npm.ts";
import { npmPack, orSayWhy, run } from "./run.ts";
import { chosenTargets, type Target } from "./targets.ts";
import { releasesOf } from "./texts.ts";

/**
 * Makes all files of a release in dist/release: `bun scripts/release/build.ts [target …]`, by default for all targets.
 * It needs Linux on x64, npm and GNU tar. The same sources give the same bytes.
 */

const ROOT = join(import.meta.dir, "../..");
const OUT = join(ROOT, "dist", "release");

await orSayWhy(async () => {
  const targets = chosenTargets(process.argv.slice(2));
  rmSync(OUT, { recursive: true, force: true });
  const files = new Set(await filesOfConsole(ROOT));
  for (const target of targets) {
    for (const file of await buildExecutable(target, executableOf(target))) files.add(file);
    tell(`${target.name}/${target.executable}`);
  }
  const notices = noticesOf(componentsOf([...files], ROOT), manifest.devDependencies.bun);
  const licences: Member[] = [
    { name: "LICENSE", source: join(ROOT, "LICENSE") },
    { name: "THIRD-PARTY-NOTICES", source: write("THIRD-PARTY-NOTICES", notices) },
  ];
  for (const target of targets) {
    const members = [{ name: target.executable, source: executableOf(target) }, ...licences];
    if (target.os === "win32") writeZip(join(OUT, target.archive), members);
    else await writeTarGz(join(OUT, target.archive), members);
    tell(target.archive);
  }
  await writePackages(targets, licences);

  const installer = readFileSync(join(ROOT, "scripts/release/install.sh"), "utf8");
  write("install.sh", installer.replace("@RELEASES@", releasesOf(manifest) ?? ""));
  chmodSync(join(OUT, "install.sh"), 0o755);
  const names = [...new Bun.Glob("**/*.{tar.gz,tgz,zip,sh}").scanSync({ cwd: OUT })].sort();
  write("SHA256SUMS", await run(["sha256sum", ...names], { cwd: OUT }));
});

/** Packs all npm packages in the order of publishing, the umbrella last. */
async function writePackages(targets: readonly Target[], licences: readonly Member[]): Promise<void> {
  const folder = join(OUT, "packages");
  for (const target of targets) makePlatformPackage(join(folder, target.name), target, executableOf(target), licences);
  await makeUmbrella(ROOT, join(folder, manifest.name), targets);
  mkdirSync(join(OUT, "npm"));
  for (const name of [...targets.map((target) => target.name), manifest.name]) {
    const file = await npmPack(join(folder, name), join(OUT, "npm"));
    tell(file.slice(OUT.length + 1));
  }
  rmSync(folder, { recursive: true, force: true });
}

function executableOf(target: Target): string {
  return join(OUT, target.name, target.executable);
}

/** @returns the path of the file */
function write(name: string, text: string): string {
  const file = join(OUT, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function tell(name: string): void {
  process.stdout.write(`dist/release/${name}: ${inMegabytes(join(OUT, name))}, momo ${manifest.version}\n`);
}

function inMegabytes(file: string): string {
  return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
}
