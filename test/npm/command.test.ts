import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { name as NAME } from "../../package.json";
import { builtBinary, ROOT } from "../support/binary.ts";
import { cleanUp, newProgramFolder } from "../support/cleanup.ts";
import { KEYS, openMomo, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";

afterAll(cleanUp);

const { findExecutable } = createRequire(import.meta.url)("../../npm/executable.cjs");

test("Node 20 and later are new enough; the message for an older one says so", () => {
  const findIn = (node: string) => findExecutable({ node, env: { MOMO_EXECUTABLE: process.execPath } });
  for (const node of ["20.0.0", "20.19.5", "24.1.0", "100.0.0"]) expect(findIn(node)).toBe(process.execPath);
  for (const node of ["2.0.0", "18.20.8", "19.9.9"]) {
    expect(() => findIn(node)).toThrow(`Node ${node} is too old: ${NAME} needs Node 20 or later`);
  }
});

test.each([
  ["aix", "ppc64", "momo has no executable for aix on ppc64"],
  ["linux", "riscv64", "momo has no executable for linux on riscv64"],
  ["darwin", "arm64", `the package @${NAME}/darwin-arm64 is missing`],
  ["win32", "x64", `the package @${NAME}/windows-x64 is missing`],
  ["linux", "arm64", `the package @${NAME}/linux-arm64 or @${NAME}/linux-arm64-musl is missing`],
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
    const packages = ["linux-x64", "linux-x64-musl", "windows-x64"].map((name) => `@${NAME}/${name}`);
    for (const name of [NAME, ...packages]) {
      for (const part of ["bin", "npm"]) mkdirSync(join(folder, name, part), { recursive: true });
      writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, version }));
      for (const file of ["momo", "momo.exe"])
        writeFileSync(join(folder, name, "bin", file), "#!/bin/sh\n", { mode: 0o755 });
    }
    copyFileSync(join(ROOT, "npm/executable.cjs"), join(folder, NAME, "npm/executable.cjs"));
    const found = async (header: object, platform = "linux") => {
      const script = `process.report.getReport = () => (${JSON.stringify({ header })});
      const { findExecutable } = require("./executable.cjs");
      process.stdout.write(findExecutable({ platform: "${platform}", arch: "x64", env: {} }));`;
      const { stdout, stderr } = await runToEnd(["node", "-e", script], { cwd: join(folder, NAME, "npm") });
      return stdout || stderr;
    };
    expect(await found({ glibcVersionRuntime: "2.36" })).toEndWith("/linux-x64/bin/momo");
    expect(await found({})).toEndWith("/linux-x64-musl/bin/momo");
    expect(await found({}, "win32")).toEndWith("/windows-x64/bin/momo.exe");
    // Packages above this project may be of another version.
    const update = (name: string) =>
      writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, version: "1.2.4" }));
    update(`@${NAME}/linux-x64`);
    expect(await found({ glibcVersionRuntime: "2.36" })).toEndWith("/linux-x64-musl/bin/momo");
    update(`@${NAME}/linux-x64-musl`);
    expect(await found({})).toContain(` is of @${NAME}/linux-x64 1.2.4, and this is ${NAME} 1.2.3: `);
  },
);

for (const [script, exitCode] of [
  ["exit 7", 7],
  ['[ "$*" = "list -q --from 2026-01-01" ] && exit 9', 9],
  ["kill -TERM $$", 143],
  ["kill -KILL $$", 137],
  ["kill -SEGV $$", 139],
] as const) {
  testWith(["node"], `an executable that ends with \`${script}\` ends the command the same way`, async () => {
    const executable = join(newProgramFolder(), "momo");
    writeFileSync(executable, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    // The shell says how the command has ended.
    const command = ["sh", "-c", `node '${join(ROOT, "npm/bin/momo.cjs")}' list -q --from 2026-01-01; exit $?`];
    const env = { MOMO_EXECUTABLE: executable };
    expect(await runToEnd(command, { env })).toMatchObject({ exitCode });
  });
}

testWith(["node"], "the command passes every signal on, each time", async () => {
  const executable = join(newProgramFolder(), "momo");
  const names = ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"];
  const traps = names.map((name) => `trap 'heard="$heard ${name}"' ${name}`).join("\n");
  // One after the other: signals that wait have no order.
  const send = `for name in ${[...names, ...names].join(" ")}; do
    before=$heard; kill -$name $PPID; while [ "$heard" = "$before" ]; do sleep 0.01; done; done; echo $heard`;
  writeFileSync(executable, `#!/bin/sh\n${traps}\n${send}\n`, { mode: 0o755 });
  const env = { MOMO_EXECUTABLE: executable };
  const stdout = `${[...names, ...names].join(" ")}\n`;
  expect(await runToEnd(["node", join(ROOT, "npm/bin/momo.cjs")], { env })).toEqual({
    stdout,
    stderr: "",
    exitCode: 0,
  });
});

testWith(["node"], "at a terminal the command does not pass on the Ctrl+C that the terminal sends anyway", async () => {
  const executable = join(newProgramFolder(), "momo");
  // In a session of its own it hears only what is passed on.
  const script = `[ $# = 0 ] && exec setsid "$0" again
    trap 'echo heard' INT; trap 'echo end; exit 0' TERM; echo ready $PPID; while kill -0 $PPID; do sleep 0.05; done`;
  writeFileSync(executable, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const program = ["node", join(ROOT, "npm/bin/momo.cjs")];
  const { screen, type, exited } = openMomo([], { program, env: { MOMO_EXECUTABLE: executable } });
  const [, pid] = await screen.until(/ready (\d+)/);
  type(KEYS.ctrlC);
  await screen.until(/\^C/);
  process.kill(Number(pid), "SIGTERM");
  expect(await exited).toBe(0);
  expect(screen.text).toMatch(/end\r\n$/);
  expect(screen.text).not.toContain("heard");
});

const ELF_OF_THIS_MACHINE = readFileSync(await builtBinary());

/** A copy with other bytes at a place. */
function changed(at: number, bytes: string): Buffer {
  const copy = Buffer.from(ELF_OF_THIS_MACHINE.subarray(0, 100_000));
  copy.write(bytes, at, "latin1");
  return copy;
}

/** The smallest program for this machine with a loader of this name. */
function withLoader(loader: string): Buffer {
  const file = Buffer.alloc(512);
  ELF_OF_THIS_MACHINE.copy(file, 0, 0, 40); // with the headers of segments at 64, and none of sections
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(3, 64);
  file.writeBigUInt64LE(256n, 64 + 8);
  file.writeBigUInt64LE(BigInt(loader.length + 1), 64 + 32);
  file.write(loader, 256);
  return file;
}

const OF_ANOTHER_MACHINE = `is not an executable for linux on ${process.arch}`;
const WITHOUT_ITS_PROGRAM = "needs a C library, or the program of its first line, that is not on this machine";

/** Files that cannot run here: Node would give most of them to a shell. */
const UNFIT: Readonly<Record<string, readonly [content: string | Uint8Array | null, reason: string]>> = {
  "an empty file": ["", OF_ANOTHER_MACHINE],
  "a text": ["hello\n", OF_ANOTHER_MACHINE],
  "a pointer of Git LFS": ["version https://git-lfs.github.com/spec/v1\n", OF_ANOTHER_MACHINE],
  "one for 32 bits": [changed(4, "\x01"), OF_ANOTHER_MACHINE],
  "one for another processor": [changed(18, "\xf3\0"), OF_ANOTHER_MACHINE],
  "one for macOS": ["\xcf\xfa\xed\xfe\x0c\0\0\x01", OF_ANOTHER_MACHINE],
  "one for Windows": [`MZ${"\0".repeat(58)}\x40\0\0\0PE\0\0\x64\x86`, OF_ANOTHER_MACHINE],
  "one for another C library": [withLoader("/lib/ld-nowhere.so.1"), WITHOUT_ITS_PROGRAM],
  "a script without its interpreter": ["#!/nowhere/sh\n", WITHOUT_ITS_PROGRAM],
  "a script with CRLF": ["#!/bin/sh\r\nexit 0\r\n", WITHOUT_ITS_PROGRAM],
  "a file that was cut": [ELF_OF_THIS_MACHINE.subarray(0, 100_000), "ended with SIG"],
  "a folder": [null, "is a folder"],
};

testWith(
  ["node"],
  "an executable that cannot run here, or is not there: one line with the reason, and no success",
  async () => {
    const folder = newProgramFolder();
    const start = async (MOMO_EXECUTABLE: string) =>
      runToEnd(["node", join(ROOT, "npm/bin/momo.cjs")], { cwd: folder, env: { MOMO_EXECUTABLE } });
    const remedy =
      "remove node_modules and install again on this machine, or set MOMO_EXECUTABLE to momo's executable for this machine";
    for (const [what, [content, reason]] of Object.entries(UNFIT)) {
      const file = join(folder, what.replaceAll(" ", "-"));
      if (content === null) mkdirSync(file);
      else writeFileSync(file, typeof content === "string" ? Buffer.from(content, "latin1") : content, { mode: 0o755 });
      const { stdout, stderr, exitCode } = await start(file);
      expect({ what, stdout, stderr }).toEqual({ what, stdout: "", stderr: expect.stringContaining(reason) });
      expect(stderr).toStartWith(`momo: ${file} `);
      expect(stderr).toEndWith(`: ${remedy}\n`);
      expect(stderr.split("\n")).toHaveLength(2);
      expect(exitCode).not.toBe(0);
    }
    symlinkSync("loop", join(folder, "loop"));
    for (const file of ["/nowhere/momo", join(folder, "loop"), `${await builtBinary()}/momo`]) {
      expect(await start(file)).toEqual({ stdout: "", stderr: `momo: there is no ${file}: ${remedy}\n`, exitCode: 1 });
    }
    const file = join(folder, "momo");
    writeFileSync(file, "#!/bin/sh\necho here\n", { mode: 0o755 });
    const writer = openSync(file, "r+");
    const stderr = `momo: ${file} could not be started (ETXTBSY): a program is writing it; try again when that has ended\n`;
    expect(await start(file)).toEqual({ stdout: "", stderr, exitCode: 1 });
    closeSync(writer);
    expect((await start("momo")).stdout).toBe("here\n");
    chmodSync(file, 0o644);
    expect((await start(file)).stderr).toMatch(/^momo: \S+ may not be executed: chmod \+x it, .*\n$/);
  },
);
