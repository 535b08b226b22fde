import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import manifest from "../../package.json" with { type: "json" };
import { homeOf } from "./channels.ts";
import { inTemporaryFolder, run } from "./run.ts";

/** A file of an archive: its name there, and where it is now. */
export interface Member {
  readonly name: string;
  readonly source: string;
}

/** The time of all members, so that the same files give the same archive. */
const MEMBER_TIME = new Date(Date.UTC(2026, 0, 1));

/** Puts files into a folder, with the rights that everybody needs; those of executables come with them. */
export function place(folder: string, members: readonly Member[]): void {
  for (const { name, source } of members) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(source, file);
    chmodSync(file, statSync(source).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Writes a `.tar.gz`. The order, owner and time of members are fixed. Needs GNU tar. */
export async function writeTarGz(file: string, members: readonly Member[]): Promise<void> {
  await inTemporaryFolder("archive", async (folder) => {
    const root = join(folder, "root");
    place(root, members);
    const tar = join(folder, "archive.tar");
    await run([
      ...["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go+rX,go-w"],
      ...["--format=ustar", `--mtime=@${MEMBER_TIME.getTime() / 1000}`, "-cf", tar, "-C", root],
      ...[...new Set(members.map(({ name }) => name.split("/")[0] ?? name))].sort(),
    ]);
    writeFileSync(file, gzipSync(readFileSync(tar), { level: 9 }));
  });
}

/** Writes a `.zip`, for Windows. */
export function writeZip(file: string, members: readonly Member[]): void {
  // A zip has no time zone: this is the local time that fflate writes.
  const mtime = new Date(2026, 0, 1);
  const contents = [...members]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, source }) => [name, [readFileSync(source), { mtime, os: 0 }] as const]);
  writeFileSync(file, zipSync(Object.fromEntries(contents), { level: 9 }));
}

/** The package for Debian and Ubuntu. It needs dpkg-deb. The same files give the same package. */

const NAME = manifest.name;
const PROGRAM = "usr/bin/momo";
const DOC = `usr/share/doc/${NAME}`;

/** xz would make it a quarter smaller, but takes ten times as long. Debian's own tools refuse zstd. */
const COMPRESSION = ["-Zgzip", "-z9"];

/** The place of each text in the package. Compressed ones end with `.gz`. */
const PLACES: Record<string, string> = {
  LICENSE: `${DOC}/copyright`,
  "THIRD-PARTY-NOTICES": `${DOC}/THIRD-PARTY-NOTICES.gz`,
  "momo.1": "usr/share/man/man1/momo.1.gz",
  "completions/momo.bash": "usr/share/bash-completion/completions/momo",
  "completions/_momo": "usr/share/zsh/vendor-completions/_momo",
  "completions/momo.fish": "usr/share/fish/vendor_completions.d/momo.fish",
};

export function debNameOf(cpu: "x64" | "arm64"): string {
  return `momo-${architectureOf(cpu)}.deb`;
}

const architectureOf = (cpu: "x64" | "arm64") => (cpu === "x64" ? "amd64" : "arm64");

/** Debian sorts `0.2.0~rc.1` before `0.2.0`. */
export const debVersionOf = (version: string) => version.replace("-", "~");

/** @param executable for Linux with glibc */
export async function writeDeb(
  file: string,
  cpu: "x64" | "arm64",
  executable: string,
  texts: readonly Member[],
): Promise<void> {
  await inTemporaryFolder("deb", async (root) => {
    chmodSync(root, 0o755);
    const put = (name: string, content: Uint8Array | string) => {
      mkdirSync(dirname(join(root, name)), { recursive: true, mode: 0o755 });
      writeFileSync(join(root, name), name.endsWith(".gz") ? gzipSync(content, { level: 9 }) : content);
      chmodSync(join(root, name), name === PROGRAM ? 0o755 : 0o644);
      return name;
    };
    const places = [
      put(PROGRAM, readFileSync(executable)),
      ...texts.flatMap(({ name, source }) => (PLACES[name] ? put(PLACES[name], readFileSync(source)) : [])),
    ].sort();
    const bytes = places.reduce((sum, name) => sum + statSync(join(root, name)).size, 0);
    const sums = await run(["md5sum", ...places], { cwd: root });
    put("DEBIAN/control", control(architectureOf(cpu), Math.ceil(bytes / 1024)));
    put("DEBIAN/md5sums", sums);
    const env = { SOURCE_DATE_EPOCH: String(MEMBER_TIME.getTime() / 1000) };
    await run(["dpkg-deb", "--root-owner-group", ...COMPRESSION, "--build", root, file], { env });
  });
}

function control(architecture: string, kibibytes: number): string {
  const home = homeOf(manifest);
  return `Package: ${NAME}
Version: ${debVersionOf(manifest.version)}
Architecture: ${architecture}
Maintainer: the maintainers of momo
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.17)
Section: devel
Priority: optional
${home === null ? "" : `Homepage: ${home}\n`}Description: mobile-money payment sandbox
 One local program with the payment service that a shop calls, a simulated
 mobile network, and a command-line client: try STK push payments, and every
 way they can fail.
`;
}
