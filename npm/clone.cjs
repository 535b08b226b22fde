"use strict";
const { spawnSync } = require("node:child_process");
const { existsSync, renameSync, rmSync } = require("node:fs");
const { join } = require("node:path");

/**
 * The test helper for a project whose node_modules link to a clone, and where the executable of a clone is. The first use builds
 * both, with Node alone; `npm run build` builds them again.
 */

const root = join(__dirname, "..");
const name = process.platform === "win32" ? "momo.exe" : "momo";
const executable = join(root, "dist", name);
const helper = join(root, "dist/npm/npm/testing.cjs");

/** @returns the path of the executable @throws Error if it cannot be built */
exports.builtExecutable = function builtExecutable() {
  if (process.env.MOMO_EXECUTABLE) return process.env.MOMO_EXECUTABLE;
  if (!existsSync(executable) || !existsSync(helper)) build();
  return executable;
};

/** In a folder of its own, then in its place: several test files may need it at once. Its output goes to stderr. */
function build() {
  process.stderr.write(`momo: building the clone in ${root}, once\n`);
  const draft = join(root, `dist/build-${process.pid}`);
  const words = [join(root, "scripts/setup.mjs"), "scripts/build.ts", join(draft, name)];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`the clone of momo in ${root} cannot be built: "npm run build" there says why`);
  if (!existsSync(helper)) renameSync(join(draft, "npm"), join(root, "dist/npm"));
  renameSync(join(draft, name), executable);
  rmSync(draft, { recursive: true });
}

exports.connectSandbox = (...given) => load().connectSandbox(...given);
exports.startSandbox = (...given) => load().startSandbox(...given);

function load() {
  process.env.MOMO_EXECUTABLE = exports.builtExecutable();
  return require(process.versions.bun ? join(__dirname, "testing.ts") : helper);
}
