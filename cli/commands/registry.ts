import { Command, Option } from "commander";
import { parseName } from "../../src/domain/merchant.ts";
import { formatTariff, type Tariff } from "../../src/domain/money.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Registry } from "../../src/service/registry.ts";
import { systemClock } from "../../src/system.ts";
import { type DatabaseFlags, databaseOptions } from "../serving/database-flags.ts";
import { readOrNull } from "../serving/files.ts";
import { readCredentials } from "../serving/records.ts";
import { chosenMerchant, withRegistry } from "../serving/registry.ts";
import { locateServerDirectory } from "../serving/server-directory.ts";
import { askText, askToGoOn, askWhich } from "../terminal/ask.ts";
import { printList, printRecord } from "../terminal/data.ts";
import { Failure } from "../terminal/failure.ts";
import {
  dataOption,
  merchantOption,
  outputOptions,
  readAccountId,
  readName,
  readTariff,
  withOptions,
  yesOption,
} from "../terminal/options.ts";
import { asksForJson, formatOf, type OutputOptions, print, printJson, tell } from "../terminal/output.ts";

/** Merchants, their payment accounts and their keys. Each sub-command works with or without a running server. */

interface Flags extends OutputOptions, DatabaseFlags {
  readonly yes?: true;
  readonly data?: string;
  readonly merchant?: number;
  readonly name?: string;
  readonly fee?: Tariff;
  readonly label?: string;
  readonly id?: number;
}

function add(command: Command, name: string, summary: string, essential: string, ...options: Option[]): Command {
  const sub = command.command(name).description(summary);
  return withOptions(sub, ...options, dataOption(), ...databaseOptions(), ...outputOptions(essential));
}

const inRegistry = <T>(flags: Flags, work: (registry: Registry) => Promise<T>): Promise<T> =>
  withRegistry({ ...flags, create: false }, work);

const inMerchant = <T>(flags: Flags, work: (registry: Registry, merchantId: number) => Promise<T>): Promise<T> =>
  inRegistry(flags, async (registry) => work(registry, (await chosenMerchant(registry, flags.merchant)).id));

/** @param columns the first one is what `-q` prints */
function show<T extends object>(
  name: string,
  items: readonly T[],
  columns: readonly (keyof T & string)[],
  flags: Flags,
) {
  const [essential = "" as never] = columns;
  const named = columns.map((column) => ({ name: column.replaceAll("_", " ") }));
  printList({ name, items, essential, columns: named }, flags);
}

const nameOf = (flags: Flags, message: string): string | Promise<string> =>
  flags.name ?? askText({ flag: "--name", message, json: asksForJson(flags) });

export function merchantsCommand(): Command {
  const command = new Command("merchants");
  const name = new Option("--name <name>", "shown to customers");
  add(command, "create", "register a merchant", "the id", name).action(async (flags: Flags) => {
    const given = await nameOf(flags, "Name of the merchant");
    parseName(given, "--name"); // before a folder is created
    const merchant = await withRegistry({ ...flags, create: true }, (registry) => registry.registerMerchant(given));
    printRecord({ id: merchant.id, name: merchant.name }, flags, merchant.id);
  });
  add(command, "list", "list the merchants", "the ids").action(async (flags: Flags) => {
    const merchants = await inRegistry(flags, (registry) => registry.listMerchants());
    const items = merchants.map(({ id, name }) => ({ id, name }));
    show("merchants", items, ["id", "name"], flags);
  });
  return command;
}

type Account = Awaited<ReturnType<Registry["openAccount"]>>;

const accountView = ({ id, merchantId: merchant_id, name, tariff }: Account) => ({
  id,
  merchant_id,
  name,
  fee: formatTariff(tariff),
});

export function accountsCommand(): Command {
  const command = new Command("accounts");
  const name = new Option("--name <name>", "what you call it");
  const fee = new Option("--fee <tariff>", "per payment, as 1%, 10 or 1.5%+10 (default: 1%)").argParser(readTariff);
  const id = new Option("--id <id>", "the id that a program has (default: the next one)").argParser(readAccountId);
  const create = add(command, "create", "open a payment account", "the id", name, id, fee, merchantOption());
  create.action(async (flags: Flags) => {
    const given = await nameOf(flags, "Name of the payment account");
    const account = await inMerchant(flags, async (registry, merchantId) => {
      if (flags.id !== undefined) await expectFree(registry, flags.id);
      return registry.openAccount(merchantId, given, flags.fee, flags.id);
    });
    printRecord(accountView(account), flags, account.id);
  });
  const list = add(command, "list", "list a merchant's payment accounts", "the ids", merchantOption());
  list.action(async (flags: Flags) => {
    const accounts = await inMerchant(flags, (registry, merchantId) => registry.listAccounts(merchantId));
    show("accounts", accounts.map(accountView), ["id", "merchant_id", "name", "fee"], flags);
  });
  return command;
}

async function expectFree(registry: Registry, id: number): Promise<void> {
  for (const merchant of await registry.listMerchants()) {
    if (!(await registry.listAccounts(merchant.id)).some((account) => account.id === id)) continue;
    const hint = `momo accounts list --merchant ${merchant.id} shows it`;
    throw new Failure("refused", `there is a payment account ${id} already`, hint);
  }
}

export function keysCommand(): Command {
  const command = new Command("keys");
  const label = new Option("--label <text>", "what it is for (default: when it was made, in Nairobi)").argParser(
    readName,
  );
  const essential = "the key on stdout, its secret on stderr";
  add(command, "create", "create a key; its secret is shown only once", essential, label, merchantOption()).action(
    createKey,
  );
  add(command, "list", "list a merchant's keys in force", "the keys", merchantOption()).action(async (flags: Flags) => {
    const keys = await inMerchant(flags, (registry, merchantId) => registry.listKeys(merchantId));
    const inForce = keys.filter(({ revoked }) => !revoked);
    const items = inForce.map(({ apiKey: api_key, merchantId: merchant_id, label }) => ({
      api_key,
      merchant_id,
      label,
    }));
    show("keys", items, ["api_key", "merchant_id", "label"], flags);
  });
  const revoke = add(command, "revoke", "refuse a key from now on", "the key", yesOption());
  revoke.argument("<api-key>", "the key, mk_…").action(revokeKey);
  return command;
}

async function createKey(flags: Flags): Promise<void> {
  const { apiKey, apiSecret, merchantId, label } = await inRegistry(flags, async (registry) =>
    registry.issueKey(
      await merchantIdOf(registry, flags),
      flags.label ?? `made ${formatTimestamp(systemClock.nowMs())}`,
    ),
  );
  if (flags.quiet) {
    print(apiKey);
    tell(apiSecret); // shown only now, so it is printed also with -q
    return;
  }
  printRecord({ api_key: apiKey, api_secret: apiSecret, merchant_id: merchantId, label }, flags, apiKey);
  if (formatOf(flags) === "table") {
    tell();
    tell("The secret is not shown again: momo keeps only a hash of it.");
  }
}

async function merchantIdOf(registry: Registry, flags: Flags): Promise<number> {
  if (flags.merchant !== undefined) return (await chosenMerchant(registry, flags.merchant)).id;
  const choices = (await registry.listMerchants()).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  const chosen = await askWhich({ message: "Which merchant?", json: asksForJson(flags) }, choices);
  return chosen ?? (await registry.firstMerchant()).id;
}

async function revokeKey(apiKey: string, flags: Flags): Promise<void> {
  const directory = locateServerDirectory(flags.data);
  if (readOrNull(() => readCredentials(directory))?.api_key === apiKey) {
    await askToGoOn(
      () => [
        `${apiKey} is the key in ${directory.credentials}: commands without --api-key use it, and are refused from now on.`,
        "The next momo serve makes a new one.",
      ],
      flags,
    );
  }
  await inRegistry(flags, (registry) => registry.revokeKey(apiKey));
  if (flags.quiet) print(apiKey);
  else if (asksForJson(flags)) printJson({ api_key: apiKey, revoked: true });
  else tell(`revoked ${apiKey}`);
}
