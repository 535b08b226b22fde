import { lstatSync, readFileSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Failure } from "../terminal/failure.ts";
import { writePrivateFile } from "./small-files.ts";

/** The file that says where a server is, as long as it is there. */
export interface ReadyFile {
  /** @throws Failure that names the flag */
  write(record: object): void;
  /** Where it still is what was written: another server may have been given the same file meanwhile. */
  remove(): void;
}

/**
 * Removes what an earlier server left there, so that nobody goes to an address where none is.
 * @throws Failure that names the flag
 */
export function prepareReadyFile(path: string): ReadyFile {
  const file = resolve(path);
  let written: string | null = null;
  helpfully(() => {
    // As root, a rename would put a file in the place of a device, which nobody on this machine has then.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error(`${file} is not a file`);
    const own = lstatSync(file, { throwIfNoEntry: false }); // of a link only the link is removed
    if (own?.isFile() && !mayBeRecord(file, own.size)) throw new Error(`${file} is no ready file, and stays as it is`);
    rmSync(file, { force: true });
  });
  return {
    write(record) {
      const text = `${JSON.stringify(record)}\n`;
      helpfully(() => writePrivateFile(file, text));
      written = text;
    },
    remove() {
      try {
        if (written !== null && readFileSync(file, "utf8") === written) rmSync(file, { force: true });
      } catch {
        // It is gone already.
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

/** The same where the command line cannot be read as a whole: what stands behind the flag, wherever that is. */
export function removeReadyFileOf(words: readonly string[]): void {
  const index = words.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  const path = words[index] === FLAG ? words[index + 1] : words[index]?.slice(FLAG.length + 1);
  if (!path) return;
  try {
    prepareReadyFile(path);
  } catch {
    // What is wrong with the command line is told.
  }
}
