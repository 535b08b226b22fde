import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unsign } from "macho-unsign";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { PLATFORM_FILES, tarballsOf, UMBRELLA_FILES } from "./npm.ts";
import { type Checks, orSayWhy, report, run } from "./run.ts";
import { TARGETS } from "./targets.ts";
import { notesOf } from "./texts.ts";
import { tryExecutable } from "./try-executable.ts";
import { tryNpm } from "./try-npm.ts";

/** Checks what can be checked before a version is tagged, after `npm run release:build`. */

const ROOT = join(import.meta.dir, "../..");
const OUT = join(ROOT, "dist/release");
const { name: PACKAGE, version } = manifest;

const CHECKS: Checks = {
  "the versions agree": () => {
    if (lock.version !== version) throw new Error(`package.json has ${version}, package-lock.json ${lock.version}`);
    return version;
  },
  "the changelog has notes": () => `${notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version).length} bytes`,
  "the repository is known": () => {
    if ("repository" in manifest) return JSON.stringify(manifest.repository);
    throw new Error("package.json has no repository.url: npm and install.sh take it from there");
  },
  "the tag is new": async () => {
    const tags = await run(["git", "tag", "--list", `v${version}`, "--no-contains", "HEAD"], { cwd: ROOT });
    if (tags.trim() !== "") throw new Error(`v${version} is the tag of another commit already`);
    return `v${version}`;
  },
  "the bases of the image are pinned": () => {
    const bases = [...readFileSync(join(ROOT, "Dockerfile"), "utf8").matchAll(/^FROM (?:--\S+ )?(\S+)/gm)];
    const names = bases.map(([, name = ""]) => name);
    const loose = names.filter((name) => !/@sha256:[0-9a-f]{64}$/.test(name));
    if (loose.length > 0) throw new Error(`Dockerfile has ${loose.join(", ")}: write NAME@sha256:…`);
    return names.join(", ");
  },
  "everything is built, and has its sum": async () => {
    const sums = readFileSync(join(OUT, "SHA256SUMS"), "utf8").trim().split("\n");
    const names = sums.map((line) => line.replace(/^[0-9a-f]{64} {2}/, ""));
    const npm = tarballsOf(PACKAGE, version).map((name) => `npm/${name}`);
    const expected = [...TARGETS.map(({ archive }) => archive), ...npm, "install.sh"];
    const missing = expected.filter((name) => !names.includes(name));
    if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")} (npm run release:build makes them)`);
    await run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], { cwd: OUT });
    return `${names.length} files`;
  },
  "the executable for macOS on arm64 is signed, and the one on x64 has no wrong signature": () => {
    const isSigned = (target: string) => unsign(readFileSync(join(OUT, target, "momo"))) !== null;
    if (!isSigned("darwin-arm64")) throw new Error("darwin-arm64 is not signed: macOS does not run it");
    if (isSigned("darwin-x64")) throw new Error("darwin-x64 is signed, and Bun's signature is not for this file");
  },
  // A package has no tests, pictures or benchmarks.
  "the npm packages hold what they need, and nothing else": async () => {
    const sizes = tarballsOf(PACKAGE, version).map(async (tarball) => {
      const file = join(OUT, "npm", tarball);
      const names = (await run(["tar", "-tzf", file])).trim().split("\n");
      const found = names.map((name) => name.replace(/^package\//, "").replace(/\.exe$/, "")).sort();
      const expected = tarball === `${PACKAGE}-${version}.tgz` ? UMBRELLA_FILES : PLATFORM_FILES;
      if (found.join() !== [...expected].sort().join()) throw new Error(`${tarball} has ${found.join(", ")}`);
      return `${tarball} ${(statSync(file).size / 1e6).toFixed(2)} MB`;
    });
    return (await Promise.all(sizes)).join(", ");
  },
};

const EXECUTABLES = TARGETS.map(({ name, executable }) => [
  `${name} runs`,
  () => tryExecutable(name, join(OUT, name, executable), version),
]);

if (!existsSync(OUT)) process.stdout.write("nothing is built: npm run release:build comes first\n");
await report({ ...CHECKS, ...(Object.fromEntries(EXECUTABLES) as Checks) });
await orSayWhy(tryNpm);
