import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";

/** A data directory for one run, which only its owner can read. */
export function makeTemporaryDirectory(): DataDirectory {
  return dataDirectoryAt(mkdtempSync(join(tmpdir(), "momo-")));
}

export function removeTemporaryDirectory({ path }: DataDirectory): void {
  rmSync(path, { recursive: true, force: true });
}
