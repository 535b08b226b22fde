import { afterAll, describe, expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** What can stand in the place of a file of momo's. */
const STRANGERS: Record<string, (file: string) => void> = {
  "an empty file": (file) => writeFileSync(file, ""),
  "half a file": (file) => writeFileSync(file, '{"merchant_id":1,"paym'),
  "binary noise": (file) =>
    writeFileSync(
      file,
      Uint8Array.from({ length: 5000 }, (_, index) => (index * 197) & 0xff),
    ),
  zeroes: (file) => writeFileSync(file, new Uint8Array(4096)),
  "a hole of 5 GB": (file) => {
    writeFileSync(file, "");
    truncateSync(file, 5e9);
  },
  "a folder": (file) => mkdirSync(file),
  "a link to nowhere": (file) => symlinkSync("nowhere", file),
  "a link to itself": (file) => symlinkSync(file, file),
  "a link to a file of the system": (file) => symlinkSync("/etc/passwd", file),
  "a device without an end": (file) => symlinkSync("/dev/zero", file),
  "a pipe that nobody writes to": (file) => void Bun.spawnSync(["mkfifo", file]),
};

/** @returns the exit code, or null where it serves; ended in any case */
async function startOn(data: string, flags: readonly string[] = [], program = PROGRAM) {
  const child = startMomo(["serve", "--port", "0", "--data", data, ...flags], { program });
  const served = child.stdout.until(/Ready/).then(
    () => null,
    () => child.exited,
  );
  const exitCode = await served;
  child.signal("SIGKILL");
  await child.exited;
  return { exitCode, stdout: child.stdout.text, stderr: child.stderr.text };
}

/** One line that says what is wrong, and one that says what to do. */
function expectPlainWords(stderr: string): void {
  const lines = stderr.trimEnd().split("\n");
  expect(lines.length, stderr).toBeLessThanOrEqual(2);
  expect(lines[0]).toStartWith("momo: ");
  expect(stderr).not.toMatch(/^\s+at |\.ts\b|\$bunfs|SQLiteError|undefined/m);
}

for (const name of ["credentials.json", "server.json", "clock.json", "momo.db", "momo.lock"]) {
  describe(`${name} in the data directory: served all the same, or refused in words that name it, and left as it is`, () => {
    for (const [stranger, put] of Object.entries(STRANGERS)) {
      test.concurrent(stranger, async () => {
        const data = newFolder();
        const file = join(data, name);
        put(file);
        const before = existsSync(file) ? statSync(file).size : null;
        const { exitCode, stderr } = await startOn(data);
        expect([null, 1]).toContain(exitCode);
        if (exitCode === null) {
          expect(stderr).toBe("");
          return;
        }
        expectPlainWords(stderr);
        expect(stderr).toContain(file);
        expect(existsSync(file) ? statSync(file).size : null).toBe(before);
      });
    }
  });
}

describe("a file that a flag names: exit 2, and the flag's name", () => {
  for (const flag of ["--rules", "--control-token-file"]) {
    for (const stranger of [
      "an empty file",
      "binary noise",
      "a hole of 5 GB",
      "a folder",
      "a link to itself",
      "a device without an end",
    ]) {
      test.concurrent(`${flag}: ${stranger}`, async () => {
        const file = join(newFolder(), "file");
        STRANGERS[stranger]?.(file);
        const { exitCode, stderr } = await startOn(newFolder(), [flag, file]);
        expect(exitCode).toBe(2);
        expectPlainWords(stderr);
        expect(stderr).toContain(flag);
      });
    }
  }

  test.concurrent("--rules takes them from a pipe, too", async () => {
    const pipe = join(newFolder(), "rules");
    STRANGERS["a pipe that nobody writes to"]?.(pipe);
    const writer = Bun.spawn(["sh", "-c", `echo '[{"outcome":"cancelled"}]' > "$0"`, pipe]);
    expect((await startOn(newFolder(), ["--rules", pipe])).exitCode).toBeNull();
    await writer.exited;
  });
});

/** Root may read everything, so it becomes somebody else for this; anybody else cannot make files of others. */
const NOBODY = 65_534;
const asNobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...PROGRAM];
const canBecomeNobody = process.getuid?.() === 0 && Bun.spawnSync([...asNobody, "--version"]).success;

describe.each(canBecomeNobody ? ["credentials.json", "server.json", "clock.json", "momo.db", "momo.lock"] : [])(
  "%s that belongs to somebody else",
  (name) => {
    test.concurrent("is refused in words that name it, or served without", async () => {
      const data = join("/tmp", `momo-test-${process.pid}-${name}`);
      mkdirSync(data, { mode: 0o700 });
      try {
        writeFileSync(join(data, name), "{}", { mode: 0o600 });
        chownSync(data, NOBODY, NOBODY);
        const { exitCode, stderr } = await startOn(data, [], asNobody);
        if (exitCode === null) return;
        expect(exitCode).toBe(1);
        expectPlainWords(stderr);
        expect(stderr).toContain(join(data, name));
      } finally {
        Bun.spawnSync(["rm", "-r", data]);
      }
    });
  },
);
