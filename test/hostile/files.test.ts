import { afterAll, describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runToEnd, startMomo } from "../support/momo.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

afterAll(cleanUp);

type Put = (file: string) => void;

/** A program that reads these to the end never ends, or needs all memory. */
const ENDLESS: [what: string, put: Put][] = [
  [
    "a hole of 5 GB",
    (file) => {
      writeFileSync(file, "");
      truncateSync(file, 5e9);
    },
  ],
  ["a device without an end", (file) => symlinkSync("/dev/zero", file)],
  ["a link to itself", (file) => symlinkSync(file, file)],
];

/** Starts a server as a separate process, and ends it. The exit code is null if it served. */
async function startOn(data: string, flags: readonly string[] = []) {
  const child = startMomo(["serve", "--port", "0", "--data", data, ...flags]);
  const late = setTimeout(() => child.signal("SIGKILL"), PATIENCE_MS);
  const exitCode = await child.stdout.until(/Ready/).then(
    () => null,
    () => child.exited,
  );
  clearTimeout(late);
  child.signal("SIGKILL");
  await child.exited;
  return { exitCode, stderr: child.stderr.text };
}

function expectPlainWords(stderr: string, named: string): void {
  const lines = stderr.trimEnd().split("\n");
  expect(lines.length, stderr).toBeLessThanOrEqual(2);
  expect(lines[0]).toStartWith("momo: ");
  expect(stderr).toContain(named);
  expect(stderr).not.toMatch(/^\s+at |\.ts\b|\$bunfs|SQLiteError|undefined/m);
}

const FILES = ["credentials.json", "server.json", "clock.json", "momo.db", "momo.lock"];

/** cli/foreign-files.test.ts has what ends. */
describe.each(FILES)("%s: the server refuses it and names it; the file does not change", (name) => {
  test.concurrent.each(ENDLESS)("%s", async (_what, put) => {
    const data = newFolder();
    const file = join(data, name);
    put(file);
    const before = lstatSync(file).size;
    const { exitCode, stderr } = await startOn(data);
    expect(exitCode).toBe(1);
    expectPlainWords(stderr, file);
    expect(lstatSync(file).size).toBe(before);
  });
});

describe.each(["--rules", "--control-token-file"])("a file that %s names: exit 2, and the flag's name", (flag) => {
  test.concurrent.each<[what: string, put: Put]>([
    ["an empty file", (file) => writeFileSync(file, "")],
    ["binary noise", (file) => writeFileSync(file, Buffer.from(Array.from({ length: 5000 }, (_, at) => at * 197)))],
    ["a folder", (file) => mkdirSync(file)],
    ...ENDLESS,
  ])("%s", async (_what, put) => {
    const file = join(newFolder(), "file");
    put(file);
    const { exitCode, stderr } = await startOn(newFolder(), [flag, file]);
    expect(exitCode).toBe(2);
    expectPlainWords(stderr, flag);
  });
});

test.concurrent("--rules reads a pipe, too, also one whose writer pauses", async () => {
  const writer = `{ printf '[{"outcome":'; sleep 0.2; echo '"cancelled"}]'; }`;
  const run = await runToEnd([
    "sh",
    "-c",
    `${writer} | "$@"`,
    "sh",
    ...PROGRAM,
    "exec",
    "--rules",
    "/dev/stdin",
    "--",
    "true",
  ]);
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
});
