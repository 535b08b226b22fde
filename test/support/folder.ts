import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
