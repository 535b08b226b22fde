import { Option } from "commander";
import { answerAlone } from "../../sandbox/control/alone.ts";
import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import type { KeyMade, KeyOnWire, MerchantOnWire } from "../../sandbox/control/shapes/registry.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { formatTariff, type Tariff } from "../../src/domain/money.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { Registry } from "../../src/service/registry.ts";
import { explain, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { systemRandom } from "../../src/system.ts";
import { type Client, controlClient, controlOf } from "../client/client.ts";
import type { Answer, SendOptions } from "../client/request.ts";
import { serverAt } from "../client/server.ts";
import { nameDataDirectory } from "../files/data-directory.ts";
import { locateDataDirectory, makeDataDirectory } from "../files/own-directory.ts";
import { readCredentials, runningServer } from "../files/server-record.ts";
import type { Io } from "../io.ts";
import { withDatabase } from "../serving/engine.ts";
import { askText, askToGoOn, askWhich } from "../terminal/ask.ts";
import { Command } from "../terminal/command.ts";
import { printList, printRecord } from "../terminal/data.ts";
import {
  dataOption,
  merchantOption,
  readAccountId,
  readName,
  readPathPart,
  readTariff,
  yesOption,
} from "../terminal/options.ts";
import { asksForJson } from "../terminal/output.ts";
import { type DatabaseFlags, databaseOptions, databaseUnlessData } from "./database-flags.ts";
import { type Show, type Flags as SteeringFlags, steer, type Way } from "./steering.ts";

/** Merchants, their payment accounts and their keys. Each sub-command works with or without a running server. */

interface Flags extends SteeringFlags, DatabaseFlags {
  readonly yes?: true;
  readonly merchant?: number;
  readonly name?: string;
  readonly fee?: Tariff;
  readonly label?: string;
  readonly id?: number;
}

const HERE_OR_THERE: Way<Flags> = {
  reach: withRegistry,
  options: () => [dataOption(), ...databaseOptions()],
};

type RegistryCall = (client: Client, flags: Flags, argument: string) => Promise<Answer>;

/**
 * A command without sub-commands, and how to add one.
 * @param essential what `-q` prints, in the help
 */
function registry(io: Io, name: string, essential: string, show: Show) {
  const command = new Command(name);
  const add = (subName: string, summary: string, call: RegistryCall, shows = show): Command => {
    const sub = command.command(subName).description(summary);
    const work = (flags: Flags, argument: string) => (client: Client) => call(client, flags, argument);
    return steer(io, sub, HERE_OR_THERE, essential, [name, "list"], work, shows);
  };
  return { command, add };
}

/** @param columns the first one is what `-q` prints */
const showItems =
  (name: string, ...columns: string[]): Show =>
  (io, answer, flags) => {
    const items = (answer[name] as Record<string, unknown>[]).map((item) =>
      Object.fromEntries(columns.map((column) => [column, item[column]])),
    );
    const named = columns.map((column) => ({ name: column.replaceAll("_", " ") }));
    printList(io, { name, items, essential: columns[0] ?? "", columns: named }, flags);
  };

const showMade: Show = (io, { success: _, message: __, ...record }, flags) =>
  printRecord(io, record, flags, String(record.id));

const nameOf = async (io: Io, flags: Flags, message: string): Promise<string> =>
  flags.name ?? readName(await askText(io, { flag: "--name", message, json: asksForJson(flags), check: readName }));

const ofMerchant = ({ merchant }: Flags): Record<string, string> =>
  merchant === undefined ? {} : { merchant_id: String(merchant) };

export function merchantsCommand(io: Io): Command {
  const { command, add } = registry(io, "merchants", "the ids", showItems("merchants", "id", "name"));
  add(
    "create",
    "register a merchant",
    async (client, flags) => client.post("/merchants", { name: await nameOf(io, flags, "Name of the merchant") }),
    showMade,
  ).addOption(new Option("--name <name>", "shown to customers").argParser(readName));
  add("list", "list the merchants", (client) => client.get("/merchants", {}));
  return command;
}

export function accountsCommand(io: Io): Command {
  const show = showItems("accounts", "id", "merchant_id", "name", "fee");
  const { command, add } = registry(io, "accounts", "the ids", show);
  add(
    "create",
    "open a payment account",
    async (client, flags) => {
      const { id, fee, merchant: merchant_id } = flags;
      const name = await nameOf(io, flags, "Name of the payment account");
      return client.post("/accounts", { name, id, fee: fee && formatTariff(fee), merchant_id });
    },
    showMade,
  )
    .addOption(new Option("--name <name>", "what you call it").argParser(readName))
    .option("--id <id>", "the id that a program has (default: the next one)", readAccountId)
    .option("--fee <tariff>", "per payment, as 1%, 10 or 1.5%+10 (default: 1%)", readTariff)
    .addOption(merchantOption());
  add("list", "list a merchant's payment accounts", (client, flags) =>
    client.get("/accounts", ofMerchant(flags)),
  ).addOption(merchantOption());
  return command;
}

export function keysCommand(io: Io): Command {
  const show = showItems("keys", "api_key", "merchant_id", "label");
  const { command, add } = registry(io, "keys", "the keys; a new secret on stderr", show);
  add(
    "create",
    "create a key; its secret is shown only once",
    async (client, flags) => {
      const { label = `made ${formatTimestamp(io.clock.nowMs())}` } = flags;
      return client.post("/keys", { label, merchant_id: await merchantOf(io, client, flags) });
    },
    showKey,
  )
    .option("--label <text>", "what it is for (default: when it was made, in Nairobi)", readName)
    .addOption(merchantOption());
  add("list", "list a merchant's keys in force", async (client, flags) => {
    const answer = await client.get("/keys", ofMerchant(flags));
    return { ...answer, keys: (answer.keys as KeyOnWire[]).filter(({ revoked }) => !revoked) };
  }).addOption(merchantOption());
  add(
    "revoke",
    "refuse a key from now on",
    async (client, flags, apiKey) => revokeKey(io, client, flags, apiKey),
    (_io, _answer, flags, apiKey) => {
      if (flags.quiet) io.print(apiKey);
      else if (asksForJson(flags)) io.printJson({ api_key: apiKey, revoked: true });
      else io.tell(`revoked ${apiKey}`);
    },
  )
    .argument("<api-key>", "the key, mk_…", readPathPart)
    .addOption(yesOption());
  return command;
}

async function merchantOf(io: Io, client: Client, flags: Flags): Promise<number | undefined> {
  if (flags.merchant !== undefined) return flags.merchant;
  const merchants = (await client.get("/merchants", {})).merchants as MerchantOnWire[];
  const choices = merchants.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  return (await askWhich(io, { message: "Which merchant?", json: asksForJson(flags) }, choices)) ?? undefined;
}

const showKey: Show = (io, answer, flags) => {
  const { api_key, api_secret, merchant_id, label } = answer as Answer & KeyMade;
  if (flags.quiet) {
    io.print(api_key);
    io.tell(api_secret); // shown only now, so it is printed also with -q
    return;
  }
  printRecord(io, { api_key, api_secret, merchant_id, label }, flags, api_key);
  if (io.formatOf(flags) === "table") {
    io.tell();
    io.tell("The secret is not shown again: momo keeps only a hash of it.");
  }
};

async function revokeKey(io: Io, client: Client, flags: Flags, apiKey: string): Promise<Answer> {
  const directory = nameDataDirectory(io, flags.data);
  if (readOrNull(() => readCredentials(directory))?.api_key === apiKey) {
    await askToGoOn(
      io,
      () => [
        `${apiKey} is the key in ${directory.credentials}: commands without --api-key use it, and are refused from now on.`,
        "The next momo serve makes a new one.",
      ],
      flags,
    );
  }
  return client.delete(`/keys/${encodeURIComponent(apiKey)}`);
}

/**
 * For calls of the control API about merchants, accounts and keys: the server that the environment names or that of the data directory
 * answers them, or this process, if none runs there or a shared database is meant.
 */
async function withRegistry(
  io: Io,
  flags: Pick<Flags, "data" | keyof DatabaseFlags>,
  work: (client: Client) => Promise<Answer>,
  usual?: SendOptions,
): Promise<Answer> {
  const isNamed = isServerNamed(io, flags);
  const database = isNamed ? null : databaseUnlessData(io, flags);
  if (database)
    return withDatabase(database, "refuse", (shared) => work(clientHere(io, () => shared, shared.clock, usual)));
  const directory = locateDataDirectory(io, flags.data);
  if (isNamed || readOrNull(() => runningServer(directory))) {
    return work(controlOf(io, flags, usual));
  }
  io.hideFiles();
  let store: Store | undefined;
  // Opened by the first call. Only a new merchant makes a missing directory.
  const open = ({ method, url }: Request) => {
    const create = method === "POST" && url.endsWith("/merchants");
    if (create) makeDataDirectory(directory, io.warn);
    store ??= openStore(directory.database, { create });
    return store;
  };
  try {
    return await work(clientHere(io, open, io.clock, usual));
  } catch (error) {
    throw explain(error, directory.database); // it became locked or full after it was opened
  } finally {
    store?.close();
  }
}

/** Whether a variable names a server, and no flag names a directory or a database. */
function isServerNamed(io: Io, flags: Pick<Flags, "data" | keyof DatabaseFlags>): boolean {
  const { baseUrl, controlUrl } = io.environment.momo();
  const { data, database, databasePasswordFile } = flags;
  return (controlUrl ?? baseUrl) !== undefined && (data ?? database ?? databasePasswordFile) === undefined;
}

/** The part of the control API that needs no server, without HTTP. */
function clientHere(
  io: Io,
  open: (request: Request) => Pick<Store, "merchants">,
  clock: Clock,
  usual?: SendOptions,
): Client {
  const handler = async (request: Request): Promise<Response> => {
    const registry = new Registry({ store: open(request), clock, random: systemRandom });
    return answerAlone(request, { service: { registry }, realClock: io.clock });
  };
  const controlUrl = `http://localhost${CONTROL_PATH}`;
  return controlClient({ controlUrl, controlToken: null, server: serverAt(controlUrl, io.send), handler }, usual);
}
