import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import lock from "../../package-lock.json" with { type: "json" };
import { compile } from "../../scripts/build.ts";
import { makePlatformPackage } from "../../scripts/release/npm.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { builtBinary } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";

afterAll(cleanUp);

test("there are eight targets, and the lock file pins the runtime of each", () => {
  expect(TARGETS.map(({ name }) => name).sort()).toEqual([
    ...["darwin-arm64", "darwin-x64", "linux-arm64", "linux-arm64-musl", "linux-x64", "linux-x64-musl"],
    ...["windows-arm64", "windows-x64"],
  ]);
  const pins: Record<string, { version?: string; integrity?: string }> = lock.packages;
  for (const { runtime } of TARGETS) {
    expect(pins[`node_modules/${runtime}`]).toMatchObject({
      version: lock.packages["node_modules/bun"].version,
      integrity: expect.stringMatching(/^sha512-/),
    });
  }
});

test("the package of a target is installed only there, and its executable may be executed", () => {
  const folder = newFolder();
  const executable = join(folder, "momo");
  writeFileSync(executable, "", { mode: 0o600 });
  const wanted = TARGETS.map((target) => {
    const made = join(folder, target.name);
    makePlatformPackage(made, target, executable, []);
    const { os, cpu, libc } = JSON.parse(readFileSync(join(made, "package.json"), "utf8"));
    const mode = statSync(join(made, "bin", target.os === "win32" ? "momo.exe" : "momo")).mode & 0o777;
    return [target.name, os, cpu, libc, mode.toString(8)];
  });
  expect(wanted).toEqual([
    ["linux-x64", ["linux"], ["x64"], ["glibc"], "755"],
    ["linux-arm64", ["linux"], ["arm64"], ["glibc"], "755"],
    ["linux-x64-musl", ["linux"], ["x64"], ["musl"], "755"],
    ["linux-arm64-musl", ["linux"], ["arm64"], ["musl"], "755"],
    ["darwin-x64", ["darwin"], ["x64"], undefined, "755"],
    ["darwin-arm64", ["darwin"], ["arm64"], undefined, "755"],
    ["windows-x64", ["win32"], ["x64"], undefined, "755"],
    ["windows-arm64", ["win32"], ["arm64"], undefined, "755"],
  ]);
});

test("the same sources make the same bytes, whatever the folder", async () => {
  const folder = newFolder();
  await compile("cli/main.ts", join(folder, "momo"));
  const bytes = readFileSync(join(folder, "momo"));
  expect(bytes.includes(folder)).toBe(false);
  expect(bytes.equals(readFileSync(await builtBinary()))).toBe(true);
});
