import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { PROGRAM, type Served } from "../support/momo.ts";
import { mountSmall, run } from "./mount.ts";

/** A place for data that can be made full, and have space again. */
export interface SmallDisk {
  readonly data: string;
  /** How it is made small. */
  readonly kind: string;
  /** How the program is to be called, so that it comes to feel it. */
  readonly program: readonly string[];
  fill(server: Served): void;
  free(server: Served): void;
}

/** A small file system where this user may mount one, else a limit on the size of files; null where neither can be had. */
export function makeSmallDisk(): SmallDisk | null {
  const folder = newFolder();
  if (mountSmall(folder)) return smallFileSystem(folder);
  return Bun.which("prlimit") ? limitFiles(join(folder, "data")) : null;
}

function smallFileSystem(folder: string): SmallDisk {
  const filler = join(folder, "filler");
  return {
    data: join(folder, "data"),
    kind: "a file system of 6 MB",
    program: PROGRAM,
    fill() {
      const file = openSync(filler, "a");
      try {
        for (const size of [65_536, 4096]) {
          const block = new Uint8Array(size);
          try {
            while (writeSync(file, block) === size);
          } catch {
            // Full for blocks of this size.
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler),
  };
}

function limitFiles(data: string): SmallDisk {
  mkdirSync(data, { mode: 0o700 });
  const limit = ({ ready }: Served, bytes: number | "unlimited") => {
    if (!run(["prlimit", "--pid", String(ready.pid), `--fsize=${bytes}:`])) throw new Error("prlimit has failed");
  };
  return {
    data,
    kind: "a limit on the size of files",
    // A program that does not ignore the signal is ended by it.
    program: ["sh", "-c", 'trap "" XFSZ; exec "$@"', "sh", ...PROGRAM],
    fill: (server) => limit(server, statSync(join(data, "momo.db-wal")).size),
    free: (server) => limit(server, "unlimited"),
  };
}
