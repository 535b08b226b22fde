import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toFailure } from "../../cli/terminal/failure.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runToEnd, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

afterAll(cleanUp);

type Put = (file: string) => void;

/** What can stand in the place of a file of momo's. */
const HARMLESS: [what: string, put: Put][] = [
  ["an empty file", (file) => writeFileSync(file, "")],
  ["half a file", (file) => writeFileSync(file, '{"merchant_id":1,"paym')],
  ["binary noise", (file) => writeFileSync(file, Buffer.from(Array.from({ length: 5000 }, (_, at) => at * 197)))],
  ["zeroes", (file) => writeFileSync(file, new Uint8Array(4096))],
  ["a folder", (file) => mkdirSync(file)],
  ["a link to nowhere", (file) => symlinkSync("nowhere", file)],
  ["a link to itself", (file) => symlinkSync(file, file)],
  ["a link to a file of the system", (file) => symlinkSync("/etc/passwd", file)],
];
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
];
const PIPE: [what: string, put: Put] = ["a pipe without a writer", (file) => void Bun.spawnSync(["mkfifo", file])];

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

/** The same in this process. */
async function startHere(data: string) {
  try {
    await (await startIn(data)).stop();
    return { exitCode: null, stderr: "" };
  } catch (error) {
    const { exitCode, message, hint } = toFailure(error);
    return { exitCode, stderr: `momo: ${message}\n      ${hint}\n` };
  }
}

/** One line that says what is wrong, and one that says what to do. */
function expectPlainWords(stderr: string, named: string): void {
  const lines = stderr.trimEnd().split("\n");
  expect(lines.length, stderr).toBeLessThanOrEqual(2);
  expect(lines[0]).toStartWith("momo: ");
  expect(stderr).toContain(named);
  expect(stderr).not.toMatch(/^\s+at |\.ts\b|\$bunfs|SQLiteError|undefined/m);
}

const FILES = ["credentials.json", "server.json", "clock.json", "momo.db", "momo.lock"];

describe.each(FILES)("%s: the server starts with it, or refuses it and names it; the file does not change", (name) => {
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : null);
  async function check(put: Put, start: (data: string) => Promise<{ exitCode: number | null; stderr: string }>) {
    const data = newFolder();
    const file = join(data, name);
    put(file);
    const before = sizeOf(file);
    const { exitCode, stderr } = await start(data);
    if (exitCode === null) expect(stderr).toBe("");
    else {
      expect(exitCode).toBe(1);
      expectPlainWords(stderr, file);
      expect(sizeOf(file)).toBe(before);
    }
  }
  test.each(HARMLESS)("%s", (_what, put) => check(put, startHere));
  test.concurrent.each([...ENDLESS, PIPE])("%s", (_what, put) => check(put, startOn));
});

describe.each(["--rules", "--control-token-file"])("a file that %s names: exit 2, and the flag's name", (flag) => {
  const chosen = HARMLESS.filter(([what]) => ["an empty file", "binary noise", "a folder"].includes(what));
  test.concurrent.each([...chosen, ...ENDLESS])("%s", async (_what, put) => {
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
