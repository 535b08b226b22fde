import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { compile } from "../build.ts";
import { debNameOf, type Member, writeDeb, writeTarGz, writeZip } from "./archives.ts";
import { homebrewFormula, parseSums, releasesOf, scoopManifest } from "./channels.ts";
import { componentsOf, filesOfConsole, noticesOf, sbomOf } from "./components.ts";
import { buildExecutable } from "./executables.ts";
import { makePlatformPackage, makeUmbrella } from "./npm.ts";
import { npmPack, orSayWhy, run } from "./run.ts";
import { chosenTargets, TARGETS, type Target } from "./targets.ts";
import { archiveReadme, manPage } from "./texts.ts";

/**
 * Makes all files of a release in dist/release: `bun scripts/release/build.ts [target …]`, by default for all targets.
 * It needs Linux on x64, npm, GNU tar and dpkg-deb. The same sources give the same bytes.
 */

const ROOT = join(import.meta.dir, "../..");
const OUT = join(ROOT, "dist", "release");
const BUN_VERSION = manifest.devDependencies.bun;
const SHELLS = { bash: "momo.bash", zsh: "_momo", fish: "momo.fish", powershell: "momo.ps1" };

await orSayWhy(async () => {
  const targets = chosenTargets(process.argv.slice(2));
  rmSync(OUT, { recursive: true, force: true });
  const files = new Set(await filesOfConsole(ROOT));
  for (const target of targets) {
    for (const file of await buildExecutable(target, executableOf(target))) files.add(file);
    process.stdout.write(`built ${target.name}\n`);
  }
  const texts = await writeTexts([...files]);
  for (const target of targets) {
    const members = [{ name: target.executable, source: executableOf(target) }, ...texts];
    if (target.os === "win32") writeZip(join(OUT, target.archive), members);
    else await writeTarGz(join(OUT, target.archive), members);
    if (target.libc === "glibc") {
      await writeDeb(join(OUT, debNameOf(target.cpu)), target.cpu, executableOf(target), texts);
    }
    process.stdout.write(`packed ${target.name}\n`);
  }
  await writePackages(targets, texts);

  const installer = readFileSync(join(ROOT, "scripts/release/install.sh"), "utf8");
  write("install.sh", installer.replace("@RELEASES@", releasesOf(manifest) ?? ""));
  chmodSync(join(OUT, "install.sh"), 0o755);
  const names = [...new Bun.Glob("**/*.{tar.gz,tgz,zip,deb,json,sh}").scanSync({ cwd: OUT })].sort();
  const sums = await run(["sha256sum", ...names], { cwd: OUT });
  write("SHA256SUMS", sums);

  // Only for a complete release with a known address: both files have the checksums of several systems.
  const releases = releasesOf(manifest, manifest.version);
  if (releases === null || targets.length < TARGETS.length) return;
  write("momo.rb", homebrewFormula(manifest.version, releases, parseSums(sums)));
  write("momo.json", inLines(scoopManifest(manifest.version, releases, parseSums(sums))));
});

/** Writes what is the same in every archive, and the list of what the executables contain. */
async function writeTexts(files: readonly string[]): Promise<Member[]> {
  const components = componentsOf(files, ROOT);
  write("momo.cdx.json", inLines(sbomOf(components, manifest.version, BUN_VERSION)));
  const momo = join(OUT, "host", "momo");
  mkdirSync(dirname(momo), { recursive: true });
  await compile("cli/main.ts", momo);
  const texts: Record<string, string> = {
    "THIRD-PARTY-NOTICES": noticesOf(components, BUN_VERSION),
    "README.txt": archiveReadme(manifest.version),
    "momo.1": await manPage(manifest.version),
  };
  for (const [shell, name] of Object.entries(SHELLS)) {
    texts[`completions/${name}`] = await run([momo, "completion", shell]);
  }
  const made = Object.entries(texts).map(([name, text]) => ({ name, source: write(`host/${name}`, text) }));
  return [{ name: "LICENSE", source: join(ROOT, "LICENSE") }, ...made];
}

/** Packs all npm packages in the order of publishing, the umbrella last. */
async function writePackages(targets: readonly Target[], texts: readonly Member[]): Promise<void> {
  const folder = join(OUT, "packages");
  for (const target of targets) makePlatformPackage(join(folder, target.name), target, executableOf(target), texts);
  await makeUmbrella(ROOT, join(folder, manifest.name), targets);
  mkdirSync(join(OUT, "npm"));
  for (const name of [...targets.map((target) => target.name), manifest.name]) {
    await npmPack(join(folder, name), join(OUT, "npm"));
    process.stdout.write(`packed npm/${name}\n`);
  }
  rmSync(folder, { recursive: true, force: true });
}

function executableOf(target: Target): string {
  return join(OUT, target.name, target.executable);
}

function inLines(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** @returns the path of the file */
function write(name: string, text: string): string {
  const file = join(OUT, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
