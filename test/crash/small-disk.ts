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

/** A small file system where this user may mount one, and a limit on the size of files where there is a way to set it. */
export function makeSmallDisks(): SmallDisk[] {
  const folder = newFolder();
  return [
    ...(mountSmall(folder) ? [smallFileSystem(folder)] : []),
    ...(Bun.which("prlimit") ? [limitFiles(join(newFolder(), "data"))] : []),
  ];
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
  const limit = ({ ready }: Served, bytes: number | "unlimited") =>
    run(["prlimit", "--pid", String(ready.pid), `--fsize=${bytes}:`]);
  return {
    data,
    kind: "a limit on the size of files",
    // A program that does not ignore the signal is ended by it.
    program: ["sh", "-c", 'trap "" XFSZ; exec "$@"', "sh", ...PROGRAM],
    fill(server) {
      if (!limit(server, statSync(join(data, "momo.db-wal")).size)) throw new Error("prlimit has failed");
    },
    // Where the process has ended, the limit is gone with it.
    free: (server) => void limit(server, "unlimited"),
  };
}
