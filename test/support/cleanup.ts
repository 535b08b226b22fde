import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the tests of a file have opened; `afterAll(cleanUp)` closes it in the opposite order. */
const steps: (() => unknown)[] = [];

export function later(step: () => unknown): void {
  steps.push(step);
}

export async function cleanUp(): Promise<void> {
  const errors: unknown[] = [];
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** In memory if the system has such a folder with room: the content of the files matters, not the speed of a disk. */
export const FAST_FOLDER = hasRoom("/dev/shm") ? "/dev/shm" : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 1e9;
}

/** A new folder; {@link cleanUp} removes it. */
export function newFolder(parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, "momo-test-")));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same for programs that the tests write and run: TMPDIR may forbid to execute. */
export function newProgramFolder(): string {
  const dist = join(import.meta.dir, "../../dist");
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, "test-"));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for the path, with these programs. */
export function makePrograms(scripts: Readonly<Record<string, string>>): { PATH: string; bin: string } {
  const bin = newProgramFolder();
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(bin, name), script, { mode: 0o755 });
  return { PATH: `${bin}:${process.env.PATH}`, bin };
}

/**
 * A new folder for each test of a file, removed after it.
 * @returns the path of something in it
 */
export function useFolder(): (name: string) => string {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "momo-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

/** Sets the environment back after each test of a file or of a `describe`. */
export function keepEnvironment(): void {
  let before: typeof process.env = {};
  beforeEach(() => {
    before = { ...process.env };
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

interface Closable {
  close(): Promise<void>;
}

/** Opens something for each test of a file or of a `describe`, and closes it after the test. Only tests can use it. */
export function forEachTest<T extends Closable>(open: () => T | Promise<T>): T {
  return use(open, beforeEach, afterEach);
}

/** The same, once for all tests. */
export function forAllTests<T extends Closable>(open: () => T | Promise<T>): T {
  return use(open, beforeAll, afterAll);
}

function use<T extends Closable>(
  open: () => T | Promise<T>,
  before: (step: () => Promise<void>) => void,
  after: (step: () => Promise<void>) => void,
): T {
  let current: T | undefined;
  before(async () => {
    current = await open();
  });
  after(async () => current?.close());
  return new Proxy({} as T, { get: (_, member) => Reflect.get(current ?? {}, member) });
}
