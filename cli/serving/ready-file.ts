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
    if (own?.isFile() && !mayBeRecord(file, own.size)) throw new Error(`${file} is no ready file, and stays as it is`);
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

/** A wrong path must not cost a database or another file: a ready file is a short JSON object, or empty. */
function mayBeRecord(file: string, size: number): boolean {
  return size <= MAX_RECORD_BYTES && /^\s*(?:\{|$)/.test(readFileSync(file, "utf8"));
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
