import { appendFileSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { createStore, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { Prng } from "./draws.ts";
import { type DatabaseFaults, makeUnreliable } from "./unreliable-database.ts";

/** Where the process under test keeps its payments, from one start to the next. */
export interface SimulatedEngine {
  /** A new process: opens what the last one left. */
  open(faults: DatabaseFaults): Promise<OpenedStore>;
  /** Prepares what a crash leaves, for the next process. */
  crash(chance: Prng): void;
  /** What another process, such as a command, does beside the server. */
  beside(work: (store: Store) => Promise<void>): Promise<void>;
  /** Whether calls to a real server are in flight. */
  readonly isBusy: boolean;
  close(): Promise<void>;
}

export interface OpenedStore {
  readonly store: Store;
  /** Releases the resources that the operating system takes from a dead process. */
  release(): void;
}

/** In memory if the system has such a folder: the content of the files matters, not the speed of a disk. */
const FAST_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A real SQLite file. A crash leaves its files as they are, and perhaps the beginning of a write. */
export function sqliteEngine(): SimulatedEngine {
  const folder = mkdtempSync(join(FAST_FOLDER, "momo-simulation-"));
  let generation = 0;
  const file = () => join(folder, `momo-${generation}.db`);
  return {
    async open(faults) {
      const opened = openDatabase(file());
      // So that a seed gives the same ids again.
      opened.client.run("UPDATE numbering SET request_id_key = zeroblob(32)");
      const database = makeUnreliable(opened, file(), faults);
      return { store: createStore(database, file()), release: () => database.client.close(false) };
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
