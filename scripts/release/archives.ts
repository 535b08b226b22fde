import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
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
      ...members.map(({ name }) => name).sort(),
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
