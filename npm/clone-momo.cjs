#!/usr/bin/env node
"use strict";
const { builtExecutable } = require("./clone.cjs");

/** The command `momo` of a project whose node_modules link to a clone. */

try {
  process.env.MOMO_EXECUTABLE = builtExecutable();
} catch (error) {
  process.stderr.write(`momo: ${error.message}\n`);
  process.exit(1);
}
require("./bin/momo.cjs");
