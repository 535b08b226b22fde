import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { compile } from "../build.ts";
import { type Member, writeTarGz, writeZip } from "./archives.ts";
import { homebrewFormula, scoopManifest } from "./channels.ts";
import { type Component, componentsOf, noticesOf, sbomOf } from "./components.ts";
import { debNameOf, writeDeb } from "./deb.ts";
import { checkSignature, signAdHoc } from "./macho.ts";
import { manPage } from "./man.ts";
import { makePlatformPackage, makeUmbrella, pack } from "./npm.ts";
import { releaseOf, releasesOf } from "./repository.ts";
import { run } from "./run.ts";
import { fetchRuntime } from "./runtimes.ts";
import { parseSums } from "./sums.ts";
import { chosenTargets, TARGETS, type Target } from "./targets.ts";

/**
 * Makes all files of a release in dist/release: `bun scripts/release/build.ts [target …]`, by default for all targets.
 * It needs Linux on x64, npm, GNU tar and dpkg-deb. The same sources give the same bytes.
 */

const ROOT = join(import.meta.dir, "../..");
const OUT = join(ROOT, "dist", "release");
const BUN_VERSION = manifest.devDependencies.bun;
const SHELLS = { bash: "momo.bash", zsh: "_momo", fish: "momo.fish", powershell: "momo.ps1" } as const;

const targets = chosenTargets(process.argv.slice(2));

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const taken = new Set<string>(await filesOfConsole());
for (const target of targets) {
  for (const file of await buildExecutable(target)) taken.add(file);
  process.stdout.write(`built ${target.name}\n`);
}
const texts = await writeTexts(componentsOf([...taken], ROOT));
for (const target of targets) await writeArchive(target, texts);
for (const target of targets) {
  if (target.libc !== "glibc") continue;
  await writeDeb(join(OUT, debNameOf(target.cpu)), target.cpu, executableOf(target), texts);
  process.stdout.write(`packed ${debNameOf(target.cpu)}\n`);
}
await writePackages(texts);
writeInstaller();
writeSums();
writeChannels();

/** Compiles momo for a target. Each has its own folder, because the name of the file is part of its bytes. */
async function buildExecutable(target: Target): Promise<string[]> {
  const executablePath = await fetchRuntime(target, ROOT, join(ROOT, "dist", "runtimes"));
  const file = executableOf(target);
  mkdirSync(join(OUT, target.name), { recursive: true });
  const files = await compile("cli/main.ts", file, { target: target.compileTarget, executablePath });
  if (target.os === "darwin") {
    if (target.cpu === "x64") writeFileSync(file, signAdHoc(readFileSync(file), "momo"));
    const { wrongPages, uncoveredBytes } = checkSignature(readFileSync(file));
    if (wrongPages + uncoveredBytes > 0) throw new Error(`${target.name}: the signature does not fit the file`);
  }
  return files;
}

/** The sources of the console's page. The executable contains the page as text. */
async function filesOfConsole(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(ROOT, "sandbox/console/browser/page.html")],
    target: "browser",
    metafile: true,
  });
  return Object.keys(metafile?.inputs ?? {});
}

/** The files that are the same in every archive. */
async function writeTexts(components: readonly Component[]): Promise<Member[]> {
  const momo = join(OUT, "host", "momo");
  mkdirSync(join(OUT, "host", "completions"), { recursive: true });
  await compile("cli/main.ts", momo);
  const write = (name: string, text: string): Member => {
    const source = join(OUT, "host", name);
    writeFileSync(source, text);
    return { name, source };
  };
  const completions: Member[] = [];
  for (const [shell, name] of Object.entries(SHELLS)) {
    completions.push(write(`completions/${name}`, await run([momo, "completion", shell])));
  }
  writeFileSync(
    join(OUT, "momo.cdx.json"),
    `${JSON.stringify(sbomOf(components, manifest.version, BUN_VERSION), null, 2)}\n`,
  );
  return [
    { name: "LICENSE", source: join(ROOT, "LICENSE") },
    write("THIRD-PARTY-NOTICES", noticesOf(components, BUN_VERSION)),
    write("momo.1", await manPage(manifest.version)),
    ...completions,
  ];
}

async function writeArchive(target: Target, texts: readonly Member[]): Promise<void> {
  const members = [{ name: target.executable, source: executableOf(target) }, ...texts];
  const archive = join(OUT, `momo-${target.name}.${target.os === "win32" ? "zip" : "tar.gz"}`);
  if (target.os === "win32") writeZip(archive, members);
  else await writeTarGz(archive, members);
  process.stdout.write(`packed ${relative(ROOT, archive)}\n`);
}

/** Packs all npm packages in the order of publishing, the umbrella last. */
async function writePackages(texts: readonly Member[]): Promise<void> {
  const folder = join(OUT, "packages");
  for (const target of targets) {
    makePlatformPackage(join(folder, target.name), target, executableOf(target), texts);
    process.stdout.write(`packed npm/${await pack(join(folder, target.name), join(OUT, "npm"))}\n`);
  }
  await makeUmbrella(ROOT, join(folder, manifest.name), targets);
  process.stdout.write(`packed npm/${await pack(join(folder, manifest.name), join(OUT, "npm"))}\n`);
  rmSync(folder, { recursive: true, force: true });
}

/** The address of the releases comes from package.json, the one place that has it. */
function writeInstaller(): void {
  const script = readFileSync(join(ROOT, "scripts/release/install.sh"), "utf8");
  const file = join(OUT, "install.sh");
  writeFileSync(file, script.replace("@RELEASES@", releasesOf(manifest) ?? ""));
  chmodSync(file, 0o755);
}

function writeSums(): void {
  const names = [...new Bun.Glob("**/*.{tar.gz,tgz,zip,deb,json,sh}").scanSync({ cwd: OUT })].sort();
  const lines = names.map((name) => {
    const sum = createHash("sha256")
      .update(readFileSync(join(OUT, name)))
      .digest("hex");
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(OUT, "SHA256SUMS"), lines.join(""));
}

/** Only for a complete release with a known address: both files have the checksums of several systems. */
function writeChannels(): void {
  const release = releaseOf(manifest, manifest.version);
  if (release === null || targets.length < TARGETS.length) return;
  const sums = parseSums(readFileSync(join(OUT, "SHA256SUMS"), "utf8"));
  writeFileSync(join(OUT, "momo.rb"), homebrewFormula(manifest.version, release, sums));
  writeFileSync(
    join(OUT, "scoop.json"),
    `${JSON.stringify(scoopManifest(manifest.version, release, sums), null, 2)}\n`,
  );
}

function executableOf(target: Target): string {
  return join(OUT, target.name, target.executable);
}
