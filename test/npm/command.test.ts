import { afterAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "../support/binary.ts";
import { cleanUp, newProgramFolder } from "../support/cleanup.ts";
import { KEYS, openMomo, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";

/** The command of the npm package, without an installation. */

afterAll(cleanUp);

const { findExecutable } = createRequire(import.meta.url)("../../npm/executable.cjs");

test("Node 20 and later are new enough; the message for an older one says so", () => {
  const findIn = (node: string) => findExecutable({ node, env: { MOMO_EXECUTABLE: process.execPath } });
  for (const node of ["20.0.0", "20.19.5", "24.1.0", "100.0.0"]) expect(findIn(node)).toBe(process.execPath);
  for (const node of ["2.0.0", "18.20.8", "19.9.9"]) {
    expect(() => findIn(node)).toThrow(`Node ${node} is too old: momo-sandbox needs Node 20 or later`);
  }
});

test.each([
  ["aix", "ppc64", "momo has no executable for aix on ppc64"],
  ["linux", "riscv64", "momo has no executable for linux on riscv64"],
  ["darwin", "arm64", "the package @momo-sandbox/darwin-arm64 is missing"],
  ["win32", "x64", "the package @momo-sandbox/windows-x64 is missing"],
  ["linux", "arm64", "the package @momo-sandbox/linux-arm64 or @momo-sandbox/linux-arm64-musl is missing"],
])("%s on %s is refused, unless an executable is named, and the message says why", (platform, arch, message) => {
  expect(() => findExecutable({ platform, arch, env: {} })).toThrow(message);
  const env = { MOMO_EXECUTABLE: process.execPath };
  expect(findExecutable({ platform, arch, env })).toBe(process.execPath);
});

testWith(
  ["node"],
  "where the packages for both C libraries are installed, that of this machine is chosen",
  async () => {
    const folder = join(newProgramFolder(), "node_modules");
    const version = "1.2.3";
    const packages = ["linux-x64", "linux-x64-musl", "windows-x64"].map((name) => `@momo-sandbox/${name}`);
    for (const name of ["momo-sandbox", ...packages]) {
      mkdirSync(join(folder, name, "bin"), { recursive: true });
      writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, version }));
      for (const file of ["momo", "momo.exe"]) writeFileSync(join(folder, name, "bin", file), "", { mode: 0o755 });
    }
    copyFileSync(join(ROOT, "npm/executable.cjs"), join(folder, "momo-sandbox/executable.cjs"));
    const found = async (header: object, platform = "linux") => {
      const script = `process.report.getReport = () => (${JSON.stringify({ header })});
      const { findExecutable } = require("./executable.cjs");
      process.stdout.write(findExecutable({ platform: "${platform}", arch: "x64", env: {} }));`;
      return (await runToEnd(["node", "-e", script], { cwd: join(folder, "momo-sandbox") })).stdout;
    };
    expect(await found({ glibcVersionRuntime: "2.36" })).toEndWith("/linux-x64/bin/momo");
    expect(await found({})).toEndWith("/linux-x64-musl/bin/momo");
    expect(await found({}, "win32")).toEndWith("/windows-x64/bin/momo.exe");
    const newer = JSON.stringify({ name: "@momo-sandbox/linux-x64", version: "1.2.4" });
    writeFileSync(join(folder, "@momo-sandbox/linux-x64/package.json"), newer);
    expect(await found({ glibcVersionRuntime: "2.36" })).toEndWith("/linux-x64-musl/bin/momo");
  },
);

// Node before 22.15 has no execve: the command runs the executable as its child.
const CHILD = { NODE_OPTIONS: `--import "data:text/javascript,process.execve = undefined"` };

for (const [script, exitCode] of [
  ["exit 7", 7],
  ['[ "$*" = "list -q --from 2026-01-01" ] && exit 9', 9],
  ["kill -TERM $$", 143],
  ["kill -KILL $$", 137],
] as const) {
  testWith(["node"], `an executable that ends with \`${script}\` ends the command the same way`, async () => {
    const executable = join(newProgramFolder(), "momo");
    writeFileSync(executable, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    // The shell says how the command has ended.
    const command = ["sh", "-c", `node '${join(ROOT, "npm/bin/momo.cjs")}' list -q --from 2026-01-01; exit $?`];
    const env = { MOMO_EXECUTABLE: executable };
    for (const more of [{}, CHILD])
      expect(await runToEnd(command, { env: { ...env, ...more } })).toMatchObject({ exitCode });
  });
}

testWith(["node"], "a command that runs the executable as its child passes every signal on, each time", async () => {
  const executable = join(newProgramFolder(), "momo");
  const names = ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"];
  const traps = names.map((name) => `trap 'heard="$heard ${name}"' ${name}`).join("\n");
  // One after the other: signals that wait have no order.
  const send = `for name in ${[...names, ...names].join(" ")}; do
    before=$heard; kill -$name $PPID; while [ "$heard" = "$before" ]; do sleep 0.01; done; done; echo $heard`;
  writeFileSync(executable, `#!/bin/sh\n${traps}\n${send}\n`, { mode: 0o755 });
  const env = { MOMO_EXECUTABLE: executable, ...CHILD };
  const stdout = `${[...names, ...names].join(" ")}\n`;
  expect(await runToEnd(["node", join(ROOT, "npm/bin/momo.cjs")], { env })).toEqual({
    stdout,
    stderr: "",
    exitCode: 0,
  });
});

testWith(["node"], "as a child at a terminal it is not sent the Ctrl+C that the terminal sends it anyway", async () => {
  const executable = join(newProgramFolder(), "momo");
  // In a session of its own it hears only what is passed on.
  const script = `[ $# = 0 ] && exec setsid "$0" again
    trap 'echo heard' INT; trap 'echo end; exit 0' TERM; echo ready $PPID; while kill -0 $PPID; do sleep 0.05; done`;
  writeFileSync(executable, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const program = ["node", join(ROOT, "npm/bin/momo.cjs")];
  const { screen, type, exited } = openMomo([], { program, env: { MOMO_EXECUTABLE: executable, ...CHILD } });
  const [, pid] = await screen.until(/ready (\d+)/);
  type(KEYS.ctrlC);
  await screen.until(/\^C/);
  process.kill(Number(pid), "SIGTERM");
  expect(await exited).toBe(0);
  expect(screen.text).toMatch(/end\r\n$/);
  expect(screen.text).not.toContain("heard");
});

testWith(["node"], "an executable that cannot be started, or is not there: one line, and exit code 1", async () => {
  const start = (MOMO_EXECUTABLE: string) =>
    runToEnd(["node", join(ROOT, "npm/bin/momo.cjs")], { env: { MOMO_EXECUTABLE, ...CHILD } });
  const [folder, nowhere] = [await start(ROOT), await start("/nowhere/momo")];
  expect(folder).toEqual({ stdout: "", stderr: `momo: ${ROOT} could not be started (EACCES)\n`, exitCode: 1 });
  expect(nowhere).toEqual({ stdout: "", stderr: "momo: there is no /nowhere/momo\n", exitCode: 1 });
});
