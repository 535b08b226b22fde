import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { type Member, writeTarGz, writeZip } from "../../scripts/release/archives.ts";
import { manPage } from "../../scripts/release/man.ts";
import { makePlatformPackage } from "../../scripts/release/npm.ts";
import { homeOf, releaseOf, releasesOf } from "../../scripts/release/repository.ts";
import { run } from "../../scripts/release/run.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";

afterAll(cleanUp);

const TEXTS = { momo: "an executable\n", LICENSE: "MIT\n", "completions/momo.bash": "complete momo\n" };

/** The files of an archive in a new folder, with other times and rights each time. */
function makeMembers(): { folder: string; members: Member[] } {
  const folder = newFolder();
  mkdirSync(join(folder, "completions"));
  const members = Object.entries(TEXTS).map(([name, text]) => {
    const source = join(folder, name);
    writeFileSync(source, text, { mode: name === "momo" ? 0o700 : 0o600 });
    utimesSync(source, Math.random() * 1e9, Math.random() * 1e9);
    return { name, source };
  });
  return { folder, members };
}

test("a .tar.gz has its files with the rights that everybody needs, the owner root and one time, and is the same again", async () => {
  const [one, two] = await Promise.all(
    [makeMembers(), makeMembers()].map(async ({ folder, members }, index) => {
      const file = join(folder, "archive.tar.gz");
      await writeTarGz(file, index === 0 ? members : members.toReversed());
      return file;
    }),
  );
  expect(readFileSync(two ?? "").equals(readFileSync(one ?? ""))).toBe(true);
  const listed = await run(["tar", "--utc", "--full-time", "-tvzf", one ?? ""]);
  expect(
    listed
      .trim()
      .split("\n")
      .map((line) => line.split(/ +/)),
  ).toEqual([
    ["-rw-r--r--", "0/0", "4", "2026-01-01", "00:00:00", "LICENSE"],
    ["drwxr-xr-x", "0/0", "0", "2026-01-01", "00:00:00", "completions/"],
    ["-rw-r--r--", "0/0", "14", "2026-01-01", "00:00:00", "completions/momo.bash"],
    ["-rwxr-xr-x", "0/0", "14", "2026-01-01", "00:00:00", "momo"],
  ]);
  expect(await run(["tar", "-xzOf", one ?? "", "momo"])).toBe(TEXTS.momo);
});

test("a .zip has its files in order, and is the same again", () => {
  const zips = [makeMembers(), makeMembers()].map(({ folder, members }, index) => {
    writeZip(join(folder, "archive.zip"), index === 0 ? members : members.toReversed());
    return readFileSync(join(folder, "archive.zip"));
  });
  expect(zips[1]?.equals(zips[0] ?? Buffer.alloc(0))).toBe(true);
  const contents = Object.entries(unzipSync(zips[0] ?? Buffer.alloc(0)));
  expect(contents.map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])).toEqual([
    ["LICENSE", TEXTS.LICENSE],
    ["completions/momo.bash", TEXTS["completions/momo.bash"]],
    ["momo", TEXTS.momo],
  ]);
});

test("the npm package of a system has the licence and the notices, but neither the manual page nor completions", () => {
  const { folder, members } = makeMembers();
  const [target] = TARGETS;
  if (!target) throw new Error("there is no target");
  const made = join(folder, "made");
  makePlatformPackage(made, target, join(folder, "momo"), members.slice(1));
  expect(readFileSync(join(made, "LICENSE"), "utf8")).toBe(TEXTS.LICENSE);
  expect([...new Bun.Glob("**").scanSync({ cwd: made })].sort()).toEqual([
    ...["LICENSE", "README.md", "bin/momo", "package.json"],
  ]);
});

test("the manual page has each command, and no line of it is a request of roff by mistake", async () => {
  const page = await manPage("1.2.3");
  expect(page).toStartWith('.TH MOMO 1 "" "momo 1.2.3" "momo"\n.SH NAME\nmomo \\- ');
  for (const name of ["serve", "pay", "keys create"]) expect(page).toContain(`\n.SS momo ${name}\n.nf\n`);
  expect(page).toContain("\\-\\-outcome");
  const requests = new Set(page.match(/^[.'].*?(?= |$)/gm));
  expect([...requests].sort()).toEqual([".B", ".I", ".SH", ".SS", ".TH", ".fi", ".nf"]);
});

test("the addresses of the releases come from package.json, in each of its forms", () => {
  for (const url of ["git+https://example.org/pay/momo.git", "https://example.org/pay/momo"]) {
    for (const repository of [url, { type: "git", url }]) {
      expect(homeOf({ repository })).toBe("https://example.org/pay/momo");
      expect(releaseOf({ repository }, "1.2.3")).toBe("https://example.org/pay/momo/releases/download/v1.2.3");
      expect(releasesOf({ repository })).toBe("https://example.org/pay/momo/releases/latest/download");
    }
  }
  for (const manifest of [{}, { repository: null }, { repository: {} }]) {
    expect([homeOf(manifest), releaseOf(manifest, "1.2.3"), releasesOf(manifest)]).toEqual([null, null, null]);
  }
});
