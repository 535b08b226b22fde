import { steeredAlone } from "../../sandbox/steering.ts";
import { explain, isBusy, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Engine, EngineOptions } from "./engine.ts";

/** How long a write may wait for another program. Everything else waits with it, also a stop. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Chooses and opens the engine of a server. The code for a shared database is loaded only if it is used.
 * @throws UnusableDatabase
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  if (options.database) {
    const { openShared } = await import("./shared-database.ts");
    return openShared(options.database, options);
  }
  const { directory, realClock, stopwatch } = options;
  const store = openStore(directory.database, { busyTimeoutMs: BUSY_TIMEOUT_MS, mustWrite: true, stopwatch });
  return {
    store,
    clock: realClock,
    steering: steeredAlone,
    replica: null,
    exclusively: (work) => work(),
    // The database was locked after it was opened, so the first key could not be stored.
    explain: (error) => (isBusy(error) ? explain(error, directory.database) : error),
    close: () => store.close(),
  };
}
