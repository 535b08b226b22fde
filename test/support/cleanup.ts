import { mkdtempSync, realpathSync, rmSync } from "node:fs";
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
