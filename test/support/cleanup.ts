import { afterEach, beforeEach } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the tests of a file have opened; `afterAll(cleanUp)` closes it in the opposite order. */
const steps: (() => unknown)[] = [];

export function later(step: () => unknown): void {
  steps.push(step);
}

export async function cleanUp(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) await step();
}

/** A new folder; {@link cleanUp} removes it. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "momo-test-")));
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
