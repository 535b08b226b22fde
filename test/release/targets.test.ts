import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import lock from "../../package-lock.json" with { type: "json" };
import { compile } from "../../scripts/build.ts";
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

test("the same sources make the same bytes, whatever the folder", async () => {
  const folder = newFolder();
  await compile("cli/main.ts", join(folder, "momo"));
  const bytes = readFileSync(join(folder, "momo"));
  expect(bytes.includes(folder)).toBe(false);
  expect(bytes.equals(readFileSync(await builtBinary()))).toBe(true);
});
