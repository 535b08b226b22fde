import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";

/**
 * A data directory for one run, which only its owner can read.
 * @throws Failure that names the place where none can be made
 */
export function makeTemporaryDirectory(): DataDirectory {
  const place = tmpdir();
  try {
    return dataDirectoryAt(mkdtempSync(join(place, "momo-")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      "unexpected",
      `${place} can hold no temporary folder (${code})`,
      "name another place in the variable TMPDIR",
    );
  }
}

export function removeTemporaryDirectory({ path }: DataDirectory): void {
  rmSync(path, { recursive: true, force: true });
}
