import { afterAll, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

/** A clone without packages, with a set-up that makes what the command needs. */
function newClone(setup: string): string {
  const clone = newFolder();
  mkdirSync(join(clone, "scripts"));
  cpSync(join(ROOT, "bin"), join(clone, "bin"), { recursive: true });
  writeFileSync(join(clone, "scripts/setup.mjs"), setup);
  writeFileSync(join(clone, "bun"), '#!/bin/sh\nshift 3\necho "momo $*"\n');
  chmodSync(join(clone, "bun"), 0o755);
  return clone;
}

const SETUP = `import { cpSync, mkdirSync, writeFileSync } from "node:fs";
const root = new URL("..", import.meta.url).pathname;
mkdirSync(root + "node_modules/.bin", { recursive: true });
cpSync(root + "bun", root + "node_modules/.bin/bun");
mkdirSync(root + "sandbox/console/dist", { recursive: true });
writeFileSync(root + "sandbox/console/dist/console.html", "");
process.stderr.write("Installing …\\n");`;

test("the first command of a fresh clone sets it up, and the next ones do not", async () => {
  const momo = join(newClone(SETUP), "bin/momo");
  const help = { stdout: "momo serve --help\n", exitCode: 0 };
  expect(await runToEnd([momo, "serve", "--help"])).toEqual({ ...help, stderr: "Installing …\n" });
  expect(await runToEnd([momo, "serve", "--help"])).toEqual({ ...help, stderr: "" });
});

test("if the set-up fails, the command ends with 1", async () => {
  const momo = join(newClone('process.stderr.write("Set-up failed: no network\\n"); process.exit(1);'), "bin/momo");
  const run = await runToEnd([momo, "list"]);
  expect(run).toEqual({ stdout: "", stderr: "Set-up failed: no network\n", exitCode: 1 });
});

test("without a runtime, the command says what to install", async () => {
  const clone = newClone("");
  const tools = newFolder();
  for (const tool of ["dirname", "readlink"]) symlinkSync(Bun.which(tool) ?? "", join(tools, tool));
  const run = await runToEnd(["/bin/sh", join(clone, "bin/momo"), "list"], { env: { PATH: tools } });
  const stderr = "momo: install Node 20 or later, or Bun: neither is on the path\n";
  expect(run).toEqual({ stdout: "", stderr, exitCode: 1 });
});
