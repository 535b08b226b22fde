import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { requirePinnedBase } from "./container/image.ts";
import { openAll, releasedVersions } from "./databases.ts";
import { debNameOf } from "./deb.ts";
import { checkSignature } from "./macho.ts";
import { notesOf } from "./notes.ts";
import { PLATFORM_FILES, tarballsOf, UMBRELLA_FILES } from "./npm.ts";
import { inTemporaryFolder, payment, run } from "./run.ts";
import { parseSums, wrongFiles } from "./sums.ts";
import { TARGETS } from "./targets.ts";

/**
 * Checks what can be checked before a version is tagged, after `npm run release:build`. It prints one line for each check, and ends
 * with 1 if one fails.
 */

const ROOT = join(import.meta.dir, "../..");
const OUT = join(ROOT, "dist/release");
const { version } = manifest;
const HOST_EXECUTABLE = join(OUT, `linux-${process.arch}`, "momo");

/** Each returns what it found, or throws an error that says what is wrong. */
const CHECKS: Record<string, () => string | Promise<string>> = {
  "the versions agree": () => {
    if (lock.version !== version) throw new Error(`package.json has ${version}, package-lock.json ${lock.version}`);
    return version;
  },
  "the changelog has notes": () => `${notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version).length} bytes`,
  "the repository is known": () => {
    if (!("repository" in manifest)) {
      throw new Error(
        "package.json has no repository.url: npm, install.sh, the formula and the manifest take it from there",
      );
    }
    return JSON.stringify(manifest.repository);
  },
  "the tag is new": async () => {
    const tags = await run(["git", "tag", "--list", `v${version}`, "--no-contains", "HEAD"], { cwd: ROOT });
    if (tags.trim() !== "") throw new Error(`v${version} is the tag of another commit already`);
    return `v${version}`;
  },
  "the base of the image is pinned": requirePinnedBase,
  "everything is built, and has its sum": async () => {
    const names = new Set(parseSums(readFileSync(join(OUT, "SHA256SUMS"), "utf8")).keys());
    const archives = TARGETS.map(({ name, os }) => `momo-${name}.${os === "win32" ? "zip" : "tar.gz"}`);
    const tarballs = tarballsOf(manifest.name, version).map((name) => `npm/${name}`);
    const debs = TARGETS.filter(({ libc }) => libc === "glibc").map(({ cpu }) => debNameOf(cpu));
    const missing = [...archives, ...debs, ...tarballs, "momo.cdx.json"].filter((name) => !names.has(name));
    if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")} (npm run release:build makes them)`);
    const wrong = await wrongFiles(OUT);
    if (wrong.length > 0) throw new Error(`the sum of ${wrong.join(", ")} is another one`);
    return `${names.size} files`;
  },
  "the executables for macOS are signed": () => {
    const found = TARGETS.filter(({ os }) => os === "darwin").map(({ name, executable }) => {
      const { pages, wrongPages, uncoveredBytes } = checkSignature(readFileSync(join(OUT, name, executable)));
      if (wrongPages + uncoveredBytes > 0) throw new Error(`${name}: ${wrongPages} of ${pages} pages are wrong`);
      return `${name}: ${pages} pages`;
    });
    return found.join(", ");
  },
  "the database of every released version opens": async () => {
    const released = releasedVersions(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version);
    const opened = await openAll(HOST_EXECUTABLE, released, join(ROOT, "test/release/databases"));
    return opened.length > 0 ? opened.join(", ") : "none is released";
  },
  "the npm packages hold what they need, and nothing else": async () => {
    const sizes = tarballsOf(manifest.name, version).map(async (tarball) => {
      await checkContents(join(OUT, "npm", tarball), tarball === `${manifest.name}-${version}.tgz`);
      return `${tarball} ${sizeOf(statSync(join(OUT, "npm", tarball)).size)}`;
    });
    return (await Promise.all(sizes)).join(", ");
  },
  "the npm packages install and take a payment": tryPackages,
};

/** A package has no tests, pictures or benchmarks. */
async function checkContents(tarball: string, isUmbrella: boolean): Promise<void> {
  const expected = isUmbrella ? UMBRELLA_FILES : PLATFORM_FILES;
  const names = (await run(["tar", "-tzf", tarball])).trim().split("\n");
  const found = names.map((name) => name.replace(/^package\//, "").replace(/\.exe$/, "")).sort();
  if (found.join() !== [...expected].sort().join()) throw new Error(`${tarball} has ${found.join(", ")}`);
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;

/** Installs the tarballs of this system as a user would, without a registry. */
async function tryPackages(): Promise<string> {
  const host = `linux-${process.arch}`;
  const tarballs = [`momo-sandbox-${host}-${version}.tgz`, `${manifest.name}-${version}.tgz`];
  return inTemporaryFolder("packages", async (folder) => {
    writeFileSync(join(folder, "package.json"), "{}");
    const install = ["npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await run([...install, ...tarballs.map((name) => join(OUT, "npm", name))], { cwd: folder });
    const momo = join(folder, "node_modules/.bin/momo");
    const said = (await run([momo, "--version"])).trim();
    if (said !== version) throw new Error(`the installed momo says ${said}`);
    return (await run([momo, "exec", "--", momo, ...payment("completed")])).trim();
  });
}

let failed = 0;
if (!existsSync(OUT)) process.stdout.write("nothing is built: npm run release:build comes first\n");
for (const [name, check] of Object.entries(CHECKS)) {
  try {
    process.stdout.write(`ok    ${name}: ${await check()}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`lacks ${name}: ${(error as Error).message}\n`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
