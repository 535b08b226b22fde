#!/usr/bin/env bun
import { writeOut } from "./terminal/standard-output.ts";
import { version } from "./version.ts";

const words = process.argv.slice(2);
if (words[0] === "--version" || words[0] === "-V" || (words[0] === "version" && words.length === 1)) {
  writeOut(`${version}\n`);
} else {
  // Not for --version: 8 of 16 ms.
  const { run } = await import("./run.ts");
  await run(words, version);
}
