import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import lock from "../../package-lock.json" with { type: "json" };
import { compile } from "../../scripts/build.ts";
import { type Member, writeTarGz, writeZip } from "../../scripts/release/archives.ts";
import { buildExecutable } from "../../scripts/release/executables.ts";
import { makePlatformPackage } from "../../scripts/release/npm.ts";
import { run } from "../../scripts/release/run.ts";
import { chosenTargets, TARGETS, type Target } from "../../scripts/release/targets.ts";
import { tryExecutable } from "../../scripts/release/try-executable.ts";
import { builtBinary, ROOT } from "../support/binary.ts";
import { cleanUp, keepEnvironment, later, makePrograms, newFolder } from "../support/cleanup.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);
keepEnvironment();

const TEXTS = { momo: "an executable\n", LICENSE: "MIT\n", "THIRD-PARTY-NOTICES": "MIT, too\n" };

/** The files of an archive in a new folder, with other times and rights each time; the second time in another order. */
function makeMembers(time: number): { folder: string; members: Member[] } {
  const folder = newFolder();
  const members = Object.entries(TEXTS).map(([name, text]) => {
    const source = join(folder, name);
    writeFileSync(source, text, { mode: name === "momo" ? 0o700 : 0o600 });
    utimesSync(source, Math.random() * 1e9, Math.random() * 1e9);
    return { name, source };
  });
  return { folder, members: time === 0 ? members : members.toReversed() };
}

test("a .tar.gz has its files with the rights that everybody needs, the owner root and one time, and is the same again", async () => {
  const [one = "", two = ""] = await Promise.all(
    [0, 1].map(async (time) => {
      const { folder, members } = makeMembers(time);
      await writeTarGz(join(folder, "archive.tar.gz"), members);
      return join(folder, "archive.tar.gz");
    }),
  );
  expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
  const listed = (await run(["tar", "--utc", "--full-time", "-tvzf", one])).trim().split("\n");
  expect(listed.map((line) => line.split(/ +/))).toEqual([
    ["-rw-r--r--", "0/0", "4", "2026-01-01", "00:00:00", "LICENSE"],
    ["-rw-r--r--", "0/0", "9", "2026-01-01", "00:00:00", "THIRD-PARTY-NOTICES"],
    ["-rwxr-xr-x", "0/0", "14", "2026-01-01", "00:00:00", "momo"],
  ]);
  expect(await run(["tar", "-xzOf", one, "momo"])).toBe(TEXTS.momo);
});

test("a .zip has its files in order, and is the same again", () => {
  const [one = Buffer.alloc(0), two] = [0, 1].map((time) => {
    const { folder, members } = makeMembers(time);
    writeZip(join(folder, "archive.zip"), members);
    return readFileSync(join(folder, "archive.zip"));
  });
  expect(two?.equals(one)).toBe(true);
  const contents = Object.entries(unzipSync(one)).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]);
  expect(contents).toEqual([
    ["LICENSE", TEXTS.LICENSE],
    ["THIRD-PARTY-NOTICES", TEXTS["THIRD-PARTY-NOTICES"]],
    ["momo", TEXTS.momo],
  ]);
});

test("the lock file pins the runtime of each target", () => {
  const pins: Record<string, { version?: string; integrity?: string }> = lock.packages;
  for (const { runtime } of TARGETS) {
    expect(pins[`node_modules/${runtime}`]).toMatchObject({
      version: lock.packages["node_modules/bun"].version,
      integrity: expect.stringMatching(/^sha512-/),
    });
  }
});

test("a runtime with another sum than that of the lock file is refused, and nothing of it is kept; one of another version is not used", async () => {
  const { PATH, bin } = makePrograms({ npm: `#!/bin/sh\necho other > "$5/other.tgz"; echo other.tgz\n` });
  const runtimes = join(ROOT, "dist/runtimes");
  // The folder of a runtime is its name without "@oven/" (six characters), and its version. This one has no version.
  const kept = join(runtimes, "commander".slice("@oven/".length));
  later(() => rmSync(kept, { recursive: true }));
  mkdirSync(join(kept, "package/bin"), { recursive: true });
  const drafts = () => readdirSync(runtimes).filter((name) => name.startsWith("draft-"));
  const before = drafts();
  writeFileSync(join(kept, "package/bin/bun"), "");
  process.env.PATH = PATH;
  // This package of the lock file is no runtime, so no build has kept one.
  const target = { ...TARGETS[0], runtime: "commander" } as Target;
  const refusal = String(await rejectionOf(buildExecutable(target, join(bin, "momo"))));
  expect(refusal).toMatch(/^Error: commander@\S+ is sha512-\S+; package-lock\.json pins sha512-\S+$/);
  expect(drafts()).toEqual(before);
});

test("a command line names some of the targets, or all", () => {
  expect(chosenTargets([])).toEqual(TARGETS);
  expect(chosenTargets(["darwin-x64", "linux-x64"]).map(({ name }) => name)).toEqual(["linux-x64", "darwin-x64"]);
  expect(() => chosenTargets(["linux-x64", "plan9"])).toThrow("there is no target plan9; the targets are linux-x64, ");
});

test("each target has the runtime of its system, processor and C library; its npm package is installed only there, and has the executable and the licences", () => {
  const { folder, members } = makeMembers(0);
  const made = TARGETS.map((target) => {
    const place = join(folder, target.name);
    makePlatformPackage(place, target, join(folder, "momo"), members.slice(1));
    expect(readFileSync(join(place, "LICENSE"), "utf8")).toBe(TEXTS.LICENSE);
    const { os, cpu, libc = ["any"] } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    const names = [...new Bun.Glob("**").scanSync({ cwd: place })].sort();
    const mode = (statSync(join(place, names[3] ?? "")).mode & 0o777).toString(8);
    return [target.name, target.runtime, target.compileTarget, ...os, ...cpu, ...libc, mode, ...names].join(" ");
  });
  const files = (executable: string) => `755 LICENSE README.md THIRD-PARTY-NOTICES ${executable} package.json`;
  expect(made).toEqual([
    `linux-x64 @oven/bun-linux-x64 bun-linux-x64 linux x64 glibc ${files("bin/momo")}`,
    `linux-arm64 @oven/bun-linux-aarch64 bun-linux-arm64 linux arm64 glibc ${files("bin/momo")}`,
    `linux-x64-musl @oven/bun-linux-x64-musl bun-linux-x64-musl linux x64 musl ${files("bin/momo")}`,
    `linux-arm64-musl @oven/bun-linux-aarch64-musl bun-linux-arm64-musl linux arm64 musl ${files("bin/momo")}`,
    `darwin-x64 @oven/bun-darwin-x64 bun-darwin-x64 darwin x64 any ${files("bin/momo")}`,
    `darwin-arm64 @oven/bun-darwin-aarch64 bun-darwin-arm64 darwin arm64 any ${files("bin/momo")}`,
    `windows-x64 @oven/bun-windows-x64 bun-windows-x64 win32 x64 any ${files("bin/momo.exe")}`,
    `windows-arm64 @oven/bun-windows-aarch64 bun-windows-arm64 win32 arm64 any ${files("bin/momo.exe")}`,
  ]);
});

test("an executable for another processor is tried with an emulator; without one, the check names what installs it", async () => {
  const file = join(newFolder(), "momo");
  const { PATH } = makePrograms({
    "qemu-aarch64": '#!/bin/sh\nshift 2\ncase "$2" in --version) echo 1.2.3 ;; esac\n',
  });
  expect(await tryExecutable("darwin-arm64", file, "1.2.3")).toStartWith("not tried here: ");
  process.env.PATH = "/nowhere";
  expect(await tryExecutable("linux-arm64", file, "1.2.3")).toBe(
    "not tried, because there is no qemu-aarch64: apt-get install qemu-user libc6-arm64-cross",
  );
  process.env.PATH = PATH;
  expect(await tryExecutable("linux-arm64", file, "1.2.3")).toBe("a sandbox started");
  expect(String(await rejectionOf(tryExecutable("linux-arm64", file, "1.2.4")))).toBe("Error: it is 1.2.3");
});

test("the same sources make the same bytes, whatever the folder", async () => {
  const folder = newFolder();
  await compile("cli/main.ts", join(folder, "momo"));
  const bytes = readFileSync(join(folder, "momo"));
  expect(bytes.includes(folder)).toBe(false);
  expect(bytes.equals(readFileSync(await builtBinary()))).toBe(true);
});
