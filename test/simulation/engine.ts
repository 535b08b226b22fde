import { appendFileSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { createStore, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { Prng } from "./prng.ts";
import { type DatabaseHazards, makeUnreliable } from "./unreliable-database.ts";

/** Where the process under test keeps its payments, through all its lives. */
export interface SimulatedEngine {
  /** A new life of the process: opens what the last one left behind. */
  open(hazards: DatabaseHazards): Promise<OpenedStore>;
  /** What a crash leaves behind. Call it before the next life begins. */
  crash(chance: Prng): void;
  /** What a command does beside the server, in a process of its own. */
  beside(work: (store: Store) => Promise<void>): Promise<void>;
  /** Whether calls are under way that only the world outside can end. */
  readonly isBusy: boolean;
  close(): Promise<void>;
}

export interface OpenedStore {
  readonly store: Store;
  /** Gives back what the operating system would take back. */
  bury(): void;
}

/** In memory where the system has such a folder: what matters is what is in a file, not how long a disk takes to take it. */
const FAST_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A real SQLite file. A crash leaves its files as they are, and perhaps the beginning of a write that came no further. */
export function sqliteEngine(): SimulatedEngine {
  const folder = mkdtempSync(join(FAST_FOLDER, "momo-simulation-"));
  let generation = 0;
  const file = () => join(folder, `momo-${generation}.db`);
  return {
    async open(hazards) {
      const opened = openDatabase(file());
      // The same ids for the same seed.
      opened.client.run("UPDATE numbering SET request_id_key = zeroblob(32)");
      const database = makeUnreliable(opened, file(), hazards);
      return { store: createStore(database, file()), bury: () => database.client.close(false) };
    },
    crash(chance) {
      const left = file();
      generation += 1;
      for (const suffix of ["", "-wal"]) if (existsSync(left + suffix)) copyFileSync(left + suffix, file() + suffix);
      if (existsSync(`${file()}-wal`) && chance.chance(0.3))
        appendFileSync(`${file()}-wal`, chance.bytes(chance.int(1, 5000)));
    },
    async beside(work) {
      const store = openStore(file(), { create: false });
      await work(store);
      store.close();
    },
    isBusy: false,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
