"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** The test helper for a project whose node_modules link to a clone: it uses what `npm run build` makes. */

const root = join(__dirname, "..");
const built = join(root, "dist", process.platform === "win32" ? "momo.exe" : "momo");
const executable = process.env.MOMO_EXECUTABLE || built;
const helper = process.versions.bun ? join(__dirname, "testing.ts") : join(root, "dist/npm/npm/testing.cjs");
if (!existsSync(executable) || !existsSync(helper)) {
  throw new Error(`the clone of momo in ${root} is not built: run "npm run build" there`);
}
process.env.MOMO_EXECUTABLE = executable;
exports.startSandbox = require(helper).startSandbox;
