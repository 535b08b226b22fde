import { lstatSync, readFileSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Failure } from "../terminal/failure.ts";
import { writePrivateFile } from "./small-files.ts";

/**
 * The file with the address of a server. It exists while the server runs. The file of an earlier server is removed, so that no client
 * uses its old address.
 * @throws Failure that names the flag
 */
export function prepareReadyFile(path: string) {
  const file = resolve(path);
  let written: string | null = null;
  helpfully(() => {
    // As root, rename() would replace a device such as /dev/null.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error(`${file} is not a file`);
    const own = lstatSync(file, { throwIfNoEntry: false }); // of a link only the link is removed
    if (own?.isFile() && !isRecord(file, own.size)) throw new Error(`${file} is no ready file, and stays as it is`);
    rmSync(file, { force: true });
  });
  return {
    /** @throws Failure that names the flag */
    write(record: object): void {
      const text = `${JSON.stringify(record)}\n`;
      helpfully(() => writePrivateFile(file, text));
      written = text;
    },
    /** Removes it if its content is still ours: another server may use the same file by now. */
    remove(): void {
      try {
        if (written !== null && readFileSync(file, "utf8") === written) rmSync(file, { force: true });
      } catch {
        // The file is gone already.
      }
    },
  };
}

/** A wrong path must not cost a `package.json`: only what momo wrote is removed, or an empty file. */
function isRecord(file: string, size: number): boolean {
  if (size === 0) return true;
  if (size > MAX_RECORD_BYTES) return false;
  try {
    const { base_url, console_url, pid } = JSON.parse(readFileSync(file, "utf8"));
    return typeof base_url === "string" && typeof console_url === "string" && Number.isInteger(pid);
  } catch {
    return false;
  }
}

const MAX_RECORD_BYTES = 64 * 1024;

function helpfully(step: () => void): void {
  try {
    step();
  } catch (error) {
    throw new Failure("unexpected", (error as Error).message, "choose another place with --ready-file");
  }
}

const FLAG = "--ready-file";

/** The same for a command line with errors: it takes the word after the flag, wherever the flag is. */
export function removeReadyFileOf(words: readonly string[]): void {
  const index = words.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  const path = words[index] === FLAG ? words[index + 1] : words[index]?.slice(FLAG.length + 1);
  if (!path) return;
  try {
    prepareReadyFile(path);
  } catch {
    // The error of the command line is reported elsewhere.
  }
}
