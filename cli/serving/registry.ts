import type { Merchant } from "../../src/domain/merchant.ts";
import { Registry } from "../../src/service/registry.ts";
import { explain, openStore } from "../../src/store/sqlite/sqlite.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { Failure } from "../terminal/failure.ts";
import { locateDataDirectory, makeDataDirectory } from "./data-directory.ts";

/**
 * Opens the data directory's registry for one piece of work. It needs no server, and does not mind one that runs: the database
 * serves several processes.
 * @param options.create whether a missing directory is made; only a command that creates something does
 */
export async function withRegistry<T>(
  { data, create }: { data: string | undefined; create: boolean },
  work: (registry: Registry) => Promise<T>,
): Promise<T> {
  process.umask(0o077);
  const directory = locateDataDirectory(data);
  if (create) makeDataDirectory(directory);
  const store = openStore(directory.database, { create });
  try {
    return await work(new Registry({ store, clock: systemClock, random: systemRandom }));
  } catch (error) {
    throw explain(error, directory.database); // locked, or full, only since it was opened
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
