import type { Merchant } from "../../src/domain/merchant.ts";
import { Registry } from "../../src/service/registry.ts";
import { explain, openStore } from "../../src/store/sqlite/sqlite.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { host } from "../host.ts";
import { Failure } from "../terminal/failure.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { type DatabaseFlags, databaseUnlessData } from "./database-flags.ts";
import { withDatabase } from "./engine.ts";
import { locateServerDirectory } from "./server-directory.ts";

interface Place extends DatabaseFlags {
  readonly data?: string;
  /** Whether a missing directory is made; only a command that creates something does. */
  readonly create: boolean;
}

/**
 * Opens the registry of a shared database or of the data directory for one piece of work, with or without a running server: several
 * processes can use the database.
 */
export async function withRegistry<T>(place: Place, work: (registry: Registry) => Promise<T>): Promise<T> {
  host().hideFiles();
  const database = databaseUnlessData(place);
  if (database) {
    return withDatabase(database, "refuse", (shared) =>
      work(new Registry({ store: shared, clock: shared.clock, random: systemRandom })),
    );
  }
  const { data, create } = place;
  const directory = locateServerDirectory(data);
  if (create) makeDataDirectory(directory);
  const store = openStore(directory.database, { create });
  try {
    return await work(new Registry({ store, clock: systemClock, random: systemRandom }));
  } catch (error) {
    throw explain(error, directory.database); // it became locked or full after it was opened
  } finally {
    store.close();
  }
}

/** The merchant that `--merchant` names, or the first. */
export async function chosenMerchant(registry: Registry, id: number | undefined): Promise<Merchant> {
  if (id === undefined) return registry.firstMerchant();
  const merchant = (await registry.listMerchants()).find((candidate) => candidate.id === id);
  if (!merchant) throw new Failure("not_found", `there is no merchant ${id}`, "momo merchants list shows them");
  return merchant;
}
