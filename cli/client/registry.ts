import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { type ControlOptions, createControl } from "../../sandbox/control/control.ts";
import { steeredAlone } from "../../sandbox/steering.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { Registry } from "../../src/service/registry.ts";
import { explain, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock, systemRandom } from "../../src/system.ts";
import { momoEnvironment } from "../environment.ts";
import { host } from "../host.ts";
import { makeDataDirectory } from "../serving/data-directory.ts";
import { type DatabaseFlags, databaseUnlessData } from "../serving/database-flags.ts";
import { withDatabase } from "../serving/engine.ts";
import { readOrNull } from "../serving/files.ts";
import { readServer } from "../serving/records.ts";
import { locateServerDirectory } from "../serving/server-directory.ts";
import { type Answer, type Client, controlClient } from "./client.ts";
import { BY_ADDRESS } from "./found.ts";
import { isUsed } from "./meant.ts";
import { resolveControl } from "./target.ts";

interface Place extends DatabaseFlags {
  readonly data?: string;
}

/**
 * For calls of the control API about merchants, accounts and keys: the server of the data directory answers them, or this process, if
 * none runs there or a shared database is meant.
 */
export async function withRegistry(flags: Place, work: (client: Client) => Promise<Answer>): Promise<Answer> {
  const database = databaseUnlessData(flags);
  if (database) return withDatabase(database, "refuse", (shared) => work(clientHere(() => shared, shared.clock)));
  const directory = locateServerDirectory(flags.data);
  if (readOrNull(() => readServer(directory)) && isUsed(directory)) {
    return work(controlClient(resolveControl(flags, { ...momoEnvironment(), ...NO_ADDRESS })));
  }
  host().hideFiles();
  let store: Store | undefined;
  // Opened by the first call. Only a new merchant makes a missing directory.
  const open = ({ method, url }: Request) => {
    const create = method === "POST" && url.endsWith("/merchants");
    if (create) makeDataDirectory(directory);
    store ??= openStore(directory.database, { create });
    return store;
  };
  try {
    return await work(clientHere(open, systemClock));
  } catch (error) {
    throw explain(error, directory.database); // it became locked or full after it was opened
  } finally {
    store?.close();
  }
}

/** The directory says which server is meant. */
const NO_ADDRESS = { baseUrl: undefined, controlUrl: undefined };

/** Of this process to itself. */
const TOKEN = "local";

/** The part of the control API that needs no server, without HTTP. */
function clientHere(open: (request: Request) => Pick<Store, "merchants">, clock: Clock): Client {
  const handler = async (request: Request): Promise<Response> => {
    const faults: unknown[] = [];
    const service = { registry: new Registry({ store: open(request), clock, random: systemRandom }), resolver: {} };
    const context = { service, realClock: systemClock, server: {}, steering: steeredAlone, eventHub: { steered() {} } };
    const guard = { host: "localhost", token: TOKEN, reportFault: (error: unknown) => void faults.push(error) };
    const answer = await createControl({ ...context, ...guard } as unknown as ControlOptions)(request);
    if (faults.length > 0) throw faults[0];
    return answer;
  };
  const found = { ...BY_ADDRESS, handler };
  return controlClient({ controlUrl: `http://localhost${CONTROL_PATH}`, controlToken: TOKEN, found });
}
